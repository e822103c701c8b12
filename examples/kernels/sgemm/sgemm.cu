// c = a * b, row-major, one element of c a thread. The block walks along k in tiles of TILE x TILE, which it keeps in
// shared memory.
__global__ void sgemm(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int m, int n,
                      int k) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;

  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    const int a_column = first + threadIdx.x;
    const int b_row = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
