// One thread a row, one value after the other, in f64.
__global__ void softmax_reference(double* y, const float* x, int rows, int cols) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + r * cols;
  double* out = y + r * cols;
  double highest = in[0];
  for (int c = 1; c < cols; ++c) {
    if (in[c] > highest) highest = in[c];
  }
  double sum = 0.0;
  for (int c = 0; c < cols; ++c) {
    out[c] = exp(in[c] - highest);
    sum += out[c];
  }
  for (int c = 0; c < cols; ++c) out[c] /= sum;
}
