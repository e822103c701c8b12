// One thread an element: each finds its row's maximum and sum for itself, one value after the other, in f64.
__global__ void softmax_reference(double* y, const float* x, int rows, int cols) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= rows * cols) return;
  const float* row = x + (i / cols) * cols;
  double highest = row[0];
  for (int c = 1; c < cols; ++c) {
    if (row[c] > highest) highest = row[c];
  }
  double sum = 0.0;
  for (int c = 0; c < cols; ++c) sum += exp(row[c] - highest);
  y[i] = exp(x[i] - highest) / sum;
}
