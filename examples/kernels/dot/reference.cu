// In f64, 4096 threads with every 4096th product each; then one thread adds their sums in order.
__global__ void dot_reference_parts(double* part, const float* x, const float* y, int n) {
  const int t = blockIdx.x * 32 + threadIdx.x;
  double sum = 0.0;
  for (int i = t; i < n; i += 4096) sum += static_cast<double>(x[i]) * y[i];
  part[t] = sum;
}

__global__ void dot_reference_whole(double* total, const double* part) {
  double sum = 0.0;
  for (int t = 0; t < 4096; ++t) sum += part[t];
  *total = sum;
}
