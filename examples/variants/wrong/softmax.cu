#include "block_reduce.cuh"

// Softmax of each row, one block a row: its maximum, the sum of the exponentials, the quotients. The sum takes two
// values at a time, which gives the compiler two exponentials to overlap.
template <int Threads>
__global__ void softmax(float* __restrict__ y, const float* __restrict__ x, int rows, int cols) {
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;

  float highest = in[0];
  for (int c = threadIdx.x; c < cols; c += Threads) highest = fmaxf(highest, in[c]);
  highest = block_max<Threads>(highest);

  float even = 0.0f;
  float odd = 0.0f;
  for (int c = threadIdx.x; c + Threads < cols; c += 2 * Threads) {
    even += expf(in[c] - highest);
    odd += expf(in[c + Threads] - highest);
  }
  const float sum = block_sum<Threads>(even + odd);

  for (int c = threadIdx.x; c < cols; c += Threads) out[c] = expf(in[c] - highest) / sum;
}
