#include <cub/block/block_reduce.cuh>

// The Euclidean length of each row, one block a row, summed up by CUB. Compiles at run time with the CUB of CUDA 13;
// that of CUDA 11.8 asks for the headers of a host compiler, which NVRTC does not have.
template <int Threads>
__global__ void row_norm(float* __restrict__ y, const float* __restrict__ x, int rows, int cols) {
  using Reduce = cub::BlockReduce<float, Threads>;
  __shared__ typename Reduce::TempStorage storage;
  const float* in = x + blockIdx.x * cols;
  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += Threads) squares += in[c] * in[c];
  squares = Reduce(storage).Sum(squares);
  if (threadIdx.x == 0) y[blockIdx.x] = sqrtf(squares);
}
