// y[column] = the sum of x over its rows, row-major: PARTS blocks share a column's rows, BLOCK_Y threads of a block share those of a part,
// and a thread keeps UNROLL sums, so that as many loads are under way.
static_assert(BLOCK_X * BLOCK_Y >= 32 && BLOCK_X * BLOCK_Y <= 1024, "a block has 32 to 1024 threads");

__global__ void partial_sums(float* __restrict__ partial, const float* __restrict__ x, int rows, int columns) {
  __shared__ float sums[BLOCK_Y][BLOCK_X];
  const int column = blockIdx.x * BLOCK_X + threadIdx.x;
  const int rows_a_part = (rows + PARTS - 1) / PARTS;
  const int first = blockIdx.y * rows_a_part;
  const int end = first + rows_a_part < rows ? first + rows_a_part : rows;

  float own[UNROLL];
  for (int i = 0; i < UNROLL; ++i) own[i] = 0.0f;
  if (column < columns) {
    int row = first + threadIdx.y;
    for (; row + (UNROLL - 1) * BLOCK_Y < end; row += UNROLL * BLOCK_Y) {
      for (int i = 0; i < UNROLL; ++i) own[i] += x[static_cast<long long>(row + i * BLOCK_Y) * columns + column];
    }
    for (; row < end; row += BLOCK_Y) own[0] += x[static_cast<long long>(row) * columns + column];
  }
  float sum = 0.0f;
  for (int i = 0; i < UNROLL; ++i) sum += own[i];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (int i = 1; i < BLOCK_Y; ++i) sum += sums[i][threadIdx.x];
  partial[blockIdx.y * columns + column] = sum;
}

__global__ void whole_sums(float* __restrict__ y, const float* __restrict__ partial, int columns) {
  const int column = blockIdx.x * 128 + threadIdx.x;
  if (column >= columns) return;
  float sum = 0.0f;
  for (int part = 0; part < PARTS; ++part) sum += partial[part * columns + column];
  y[column] = sum;
}
