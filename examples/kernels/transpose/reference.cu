// One element a thread.
__global__ void transpose_reference(float* y, const float* x, int rows, int cols) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < rows * cols) y[i] = x[(i % rows) * cols + i / rows];
}
