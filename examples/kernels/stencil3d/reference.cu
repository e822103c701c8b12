__device__ double value(const float* x, int nx, int ny, int i, int j, int k) {
  return x[(k * ny + j) * nx + i];
}

// One point a thread, in f64: the second differences along the three axes, each by itself.
__global__ void stencil3d_reference(double* y, const float* x, float rate, int nx, int ny, int nz) {
  const int at = blockIdx.x * 64 + threadIdx.x;
  if (at >= nx * ny * nz) return;
  const int i = at % nx;
  const int j = at / nx % ny;
  const int k = at / nx / ny;
  const double here = value(x, nx, ny, i, j, k);
  y[at] = here;
  if (i == 0 || j == 0 || k == 0 || i + 1 == nx || j + 1 == ny || k + 1 == nz) return;
  const double along_x = value(x, nx, ny, i - 1, j, k) - 2.0 * here + value(x, nx, ny, i + 1, j, k);
  const double along_y = value(x, nx, ny, i, j - 1, k) - 2.0 * here + value(x, nx, ny, i, j + 1, k);
  const double along_z = value(x, nx, ny, i, j, k - 1) - 2.0 * here + value(x, nx, ny, i, j, k + 1);
  y[at] = here + rate * (along_x + along_y + along_z);
}
