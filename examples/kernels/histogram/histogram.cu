// How often each of the values 0 .. Bins - 1 occurs. A block counts in shared memory, where its atomics meet only its
// own threads, and adds its counts to the result once. The result starts at zero: `init = "zero"` in cases.toml.
template <int Bins, int Threads>
__global__ void histogram(unsigned* __restrict__ counts, const int* __restrict__ x, int n) {
  __shared__ unsigned own[Bins];
  for (int b = threadIdx.x; b < Bins; b += Threads) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += gridDim.x * Threads) atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < Bins; b += Threads) {
    if (own[b] != 0) atomicAdd(&counts[b], own[b]);
  }
}
