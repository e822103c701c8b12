#include "block_reduce.cuh"

// The sum of n values in two launches: every block sums its share into a workspace, then one block sums what the blocks
// left there. No atomics, so the result is the same in every run.
template <int Threads>
__global__ void sum_chunks(float* __restrict__ partial, const float* __restrict__ x, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += gridDim.x * Threads) sum += x[i];
  sum = block_sum<Threads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <int Threads>
__global__ void sum_partials(float* __restrict__ total, const float* __restrict__ partial) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < BLOCKS; i += Threads) sum += partial[i];
  sum = block_sum<Threads>(sum);
  if (threadIdx.x == 0) *total = sum;
}
