// The k largest values of each row, largest first, with their columns; of equal values the one further left comes
// first. One block a row, which it keeps in dynamic shared memory (4 * cols bytes: see `shared` in kernel.toml), and k
// rounds: find the best of what is left.

// Whether value a in column i comes before value b in column j. A column of -1 is none.
__device__ bool comes_before(float a, int i, float b, int j) {
  if (i < 0 || j < 0) return j < 0 && i >= 0;
  return a > b || (a == b && i < j);
}

template <int Threads>
__global__ void topk(float* __restrict__ values, int* __restrict__ columns, const float* __restrict__ x, int rows,
                     int cols, int k) {
  extern __shared__ float row[];
  __shared__ float best_value[Threads];
  __shared__ int best_column[Threads];
  for (int c = threadIdx.x; c < cols; c += Threads) row[c] = x[blockIdx.x * cols + c];

  float last_value = 0.0f;
  int last_column = -1;
  for (int round = 0; round < k; ++round) {
    __syncthreads();
    float value = 0.0f;
    int column = -1;
    for (int c = threadIdx.x; c < cols; c += Threads) {
      const bool left = last_column < 0 || comes_before(last_value, last_column, row[c], c);
      if (left && comes_before(row[c], c, value, column)) {
        value = row[c];
        column = c;
      }
    }
    best_value[threadIdx.x] = value;
    best_column[threadIdx.x] = column;
    __syncthreads();
    for (unsigned half = Threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) {
        const float other = best_value[threadIdx.x + half];
        const int other_column = best_column[threadIdx.x + half];
        if (comes_before(other, other_column, best_value[threadIdx.x], best_column[threadIdx.x])) {
          best_value[threadIdx.x] = other;
          best_column[threadIdx.x] = other_column;
        }
      }
      __syncthreads();
    }
    last_value = best_value[0];
    last_column = best_column[0];
    if (threadIdx.x == 0) {
      values[blockIdx.x * k + round] = last_value;
      columns[blockIdx.x * k + round] = last_column;
    }
  }
}
