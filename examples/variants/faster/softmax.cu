// Softmax of each row, one block a row. A thread keeps its share of the row in registers, so that the row is read once
// and every exponential is taken once, and a reduction costs two barriers instead of one a level.

// Every thread passes its value and gets all of them combined: sixteen at a time, and then all threads combine what
// came of that.
template <int Threads, class Combine>
__device__ float combine_block(float value, Combine combine) {
  constexpr unsigned groups = Threads / 16;
  __shared__ float own[Threads];
  __shared__ float of_group[groups];
  own[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x < groups) {
    float result = own[threadIdx.x];
    for (unsigned i = 1; i < 16; ++i) result = combine(result, own[threadIdx.x + i * groups]);
    of_group[threadIdx.x] = result;
  }
  __syncthreads();
  float result = of_group[0];
  for (unsigned i = 1; i < groups; ++i) result = combine(result, of_group[i]);
  return result;
}

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <int Threads>
__global__ void softmax(float* __restrict__ y, const float* __restrict__ x, int rows, int cols) {
  constexpr int kept = 8;  // values a thread holds; of a longer row the rest is read again
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;
  float value[kept];

  float highest = in[0];
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int c = threadIdx.x + i * Threads;
    if (c < cols) {
      value[i] = in[c];
      highest = fmaxf(highest, value[i]);
    }
  }
  for (int c = threadIdx.x + kept * Threads; c < cols; c += Threads) highest = fmaxf(highest, in[c]);
  highest = combine_block<Threads>(highest, Larger{});

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int c = threadIdx.x + i * Threads;
    if (c < cols) {
      value[i] = expf(value[i] - highest);
      sum += value[i];
    }
  }
  for (int c = threadIdx.x + kept * Threads; c < cols; c += Threads) sum += expf(in[c] - highest);
  const float scale = 1.0f / combine_block<Threads>(sum, Sum{});

#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int c = threadIdx.x + i * Threads;
    if (c < cols) out[c] = value[i] * scale;
  }
  for (int c = threadIdx.x + kept * Threads; c < cols; c += Threads) out[c] = expf(in[c] - highest) * scale;
}
