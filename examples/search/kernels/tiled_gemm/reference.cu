// One element a thread, in f64.
__global__ void tiled_gemm_reference(double* c, const float* a, const float* b, int m, int n, int k) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= m * n) return;
  const int row = i / n;
  const int column = i % n;
  double sum = 0.0;
  for (int j = 0; j < k; ++j) sum += static_cast<double>(a[row * k + j]) * b[j * n + column];
  c[i] = sum;
}
