// y = x convolved with a filter of 5 x 5, row-major, zero outside of x. A thread makes PER_X x PER_Y elements, BLOCK_X and BLOCK_Y apart;
// STAGED = 1 keeps the block's part of x in shared memory, 0 leaves that to the caches.
#define RADIUS 2
#define SIDE (2 * RADIUS + 1)
#define TILE_X (BLOCK_X * PER_X)
#define TILE_Y (BLOCK_Y * PER_Y)

static_assert(BLOCK_X * BLOCK_Y <= 1024, "a block has at most 1024 threads");

__global__ void conv2d(float* __restrict__ y, const float* __restrict__ x, const float* __restrict__ filter, int width,
                       int height) {
#if STAGED
  __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];
#endif
  const int first_x = blockIdx.x * TILE_X;
  const int first_y = blockIdx.y * TILE_Y;
#if STAGED
  for (int row = threadIdx.y; row < TILE_Y + 2 * RADIUS; row += BLOCK_Y) {
    for (int column = threadIdx.x; column < TILE_X + 2 * RADIUS; column += BLOCK_X) {
      const int from_x = first_x + column - RADIUS;
      const int from_y = first_y + row - RADIUS;
      const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
      tile[row][column] = inside ? x[from_y * width + from_x] : 0.0f;
    }
  }
  __syncthreads();
#endif
  for (int i = 0; i < PER_Y; ++i) {
    for (int j = 0; j < PER_X; ++j) {
      const int column = threadIdx.x + j * BLOCK_X;
      const int row = threadIdx.y + i * BLOCK_Y;
      float sum = 0.0f;
      for (int dy = 0; dy < SIDE; ++dy) {
        for (int dx = 0; dx < SIDE; ++dx) {
#if STAGED
          const float value = tile[row + dy][column + dx];
#else
          const int from_x = first_x + column + dx - RADIUS;
          const int from_y = first_y + row + dy - RADIUS;
          const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
          const float value = inside ? x[from_y * width + from_x] : 0.0f;
#endif
          sum += filter[dy * SIDE + dx] * value;
        }
      }
      if (first_x + column < width && first_y + row < height) y[(first_y + row) * width + first_x + column] = sum;
    }
  }
}
