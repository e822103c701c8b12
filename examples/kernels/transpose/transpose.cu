// y = x transposed, by way of a tile in shared memory, so that reads and writes both run along rows. The tile has a
// column more than it needs: without it the 32 values of a column would all lie in one bank.
__global__ void transpose(float* __restrict__ y, const float* __restrict__ x, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += ROWS) {
    if (row + i < rows && column < cols) tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * cols + column];
  }
  __syncthreads();
  const int out_column = blockIdx.y * TILE + threadIdx.x;
  const int out_row = blockIdx.x * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += ROWS) {
    if (out_row + i < cols && out_column < rows)
      y[(out_row + i) * rows + out_column] = tile[threadIdx.x][threadIdx.y + i];
  }
}
