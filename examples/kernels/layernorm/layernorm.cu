#include "block_reduce.cuh"

// y = (x - mean) / sqrt(variance + eps) * gamma + beta over each row, one block a row. The variance is taken about the
// mean, in a pass of its own: the mean of the squares less the square of the mean would lose all digits where the mean
// is large.
template <int Threads>
__global__ void layernorm(float* __restrict__ y, const float* __restrict__ x, const float* __restrict__ gamma,
                          const float* __restrict__ beta, float eps, int rows, int cols) {
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += Threads) sum += in[c];
  const float mean = block_sum<Threads>(sum) / cols;

  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += Threads) squares += (in[c] - mean) * (in[c] - mean);
  const float scale = 1.0f / sqrtf(block_sum<Threads>(squares) / cols + eps);

  for (int c = threadIdx.x; c < cols; c += Threads) out[c] = (in[c] - mean) * scale * gamma[c] + beta[c];
}
