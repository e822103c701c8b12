// One thread a row, one value after the other, in f64.
__global__ void row_norm_reference(double* y, const float* x, int rows, int cols) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  double squares = 0.0;
  for (int c = 0; c < cols; ++c) squares += static_cast<double>(x[r * cols + c]) * x[r * cols + c];
  y[r] = sqrt(squares);
}
