#pragma once

// Reductions over a block of Threads threads (a power of two). Every thread passes its value and gets the result of all
// of them. The textbook tree in shared memory: one barrier a level. The storage is reused, so the last barrier keeps a
// second call apart from the first.

struct AddValues {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct MaxValues {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <int Threads, class Combine>
__device__ float block_reduce(float value, Combine combine) {
  static_assert((Threads & (Threads - 1)) == 0, "the tree halves the block at every level");
  __shared__ float partial[Threads];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = Threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  const float result = partial[0];
  __syncthreads();
  return result;
}

template <int Threads>
__device__ float block_sum(float value) {
  return block_reduce<Threads>(value, AddValues{});
}

template <int Threads>
__device__ float block_max(float value) {
  return block_reduce<Threads>(value, MaxValues{});
}
