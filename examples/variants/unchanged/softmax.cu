#include "block_reduce.cuh"

// Row softmax. A block owns a row and goes over it three times: for the largest value, for the sum of exponentials, and
// to write.
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

  for (int c = threadIdx.x; c < cols; c += Threads) out[c] = expf(in[c] - highest) / sum;
}
