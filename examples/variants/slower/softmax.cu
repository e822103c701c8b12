#include "block_reduce.cuh"

// Softmax of each row, one block a row: its maximum, the sum of the exponentials, the quotients. The quotients of a
// row, each rounded, do not add up to exactly one, so they are added up too, and divided by what they come to.
template <int Threads>
__global__ void softmax(float* __restrict__ y, const float* __restrict__ x, int rows, int cols) {
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;

  float highest = in[0];
  for (int c = threadIdx.x; c < cols; c += Threads) highest = fmaxf(highest, in[c]);
  highest = block_max<Threads>(highest);

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += Threads) sum += expf(in[c] - highest);
  sum = block_sum<Threads>(sum);

  float whole = 0.0f;
  for (int c = threadIdx.x; c < cols; c += Threads) whole += expf(in[c] - highest) / sum;
  whole = block_sum<Threads>(whole);

  for (int c = threadIdx.x; c < cols; c += Threads) out[c] = expf(in[c] - highest) / sum / whole;
}
