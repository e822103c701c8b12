// c = a * b, row-major. A block makes a tile of BM x BN and walks along k in steps of BK; a thread makes TM x TN elements of the tile,
// which it keeps in registers. All five are tunables: what does not fit a block does not compile or is refused before that.
#define THREADS_X (BN / TN)
#define THREADS_Y (BM / TM)
#define THREADS (THREADS_X * THREADS_Y)

static_assert(BM % TM == 0 && BN % TN == 0, "a thread's elements must divide the tile");
static_assert(THREADS >= 32 && THREADS <= 1024, "a block has 32 to 1024 threads");

__global__ void __launch_bounds__(THREADS)
    tiled_gemm(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k) {
  __shared__ float a_tile[BK][BM + 1];
  __shared__ float b_tile[BK][BN];
  const int first_row = blockIdx.y * BM;
  const int first_column = blockIdx.x * BN;
  const int thread = threadIdx.y * THREADS_X + threadIdx.x;

  float sums[TM][TN];
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) sums[i][j] = 0.0f;
  }
  for (int first = 0; first < k; first += BK) {
    for (int i = thread; i < BM * BK; i += THREADS) {
      const int row = i / BK;
      const int step = i % BK;
      const bool inside = first_row + row < m && first + step < k;
      a_tile[step][row] = inside ? a[(first_row + row) * k + first + step] : 0.0f;
    }
    for (int i = thread; i < BK * BN; i += THREADS) {
      const int step = i / BN;
      const int column = i % BN;
      const bool inside = first + step < k && first_column + column < n;
      b_tile[step][column] = inside ? b[(first + step) * n + first_column + column] : 0.0f;
    }
    __syncthreads();
    for (int step = 0; step < BK; ++step) {
      float left[TM];
      float right[TN];
      for (int i = 0; i < TM; ++i) left[i] = a_tile[step][threadIdx.y * TM + i];
      for (int j = 0; j < TN; ++j) right[j] = b_tile[step][threadIdx.x + j * THREADS_X];
      for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) sums[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) {
    const int row = first_row + threadIdx.y * TM + i;
    for (int j = 0; j < TN; ++j) {
      const int column = first_column + threadIdx.x + j * THREADS_X;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
  }
}
