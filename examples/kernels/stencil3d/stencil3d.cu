// One step of the heat equation on a grid of nz x ny x nx points: y = x + rate * (the six neighbours - 6 * x). Points
// on the boundary stay.
__global__ void stencil3d(float* __restrict__ y, const float* __restrict__ x, float rate, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.z;
  if (i >= nx || j >= ny) return;
  const int plane = nx * ny;
  const int at = k * plane + j * nx + i;
  const float here = x[at];
  if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1) {
    y[at] = here;
    return;
  }
  const float neighbours = (x[at - 1] + x[at + 1]) + (x[at - nx] + x[at + nx]) + (x[at - plane] + x[at + plane]);
  y[at] = here + rate * (neighbours - 6.0f * here);
}
