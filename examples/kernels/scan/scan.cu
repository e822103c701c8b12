// y[i] = x[0] + ... + x[i] in three launches: every block scans a chunk and leaves the chunk's total, one block scans
// the totals, and the sum of all chunks before is added to every element.

// The inclusive sum over the block's CHUNK threads (Hillis and Steele: log2(CHUNK) steps).
__device__ int block_scan(int value) {
  __shared__ int sums[CHUNK];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < CHUNK; distance *= 2) {
    const int left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += left;
    __syncthreads();
  }
  return sums[threadIdx.x];
}

__global__ void scan_chunks(int* __restrict__ y, int* __restrict__ total, const int* __restrict__ x, int n) {
  const int i = blockIdx.x * CHUNK + threadIdx.x;
  const int sum = block_scan(i < n ? x[i] : 0);
  if (i < n) y[i] = sum;
  if (threadIdx.x == CHUNK - 1) total[blockIdx.x] = sum;
}

// offset[c] = the sum of the totals before c: all of them in steps of CHUNK, with what the steps before came to carried
// along.
__global__ void scan_totals(int* __restrict__ offset, const int* __restrict__ total, int n) {
  __shared__ int carried;
  const int chunks = (n + CHUNK - 1) / CHUNK;
  if (threadIdx.x == 0) carried = 0;
  __syncthreads();
  for (int first = 0; first < chunks; first += CHUNK) {
    const int c = first + threadIdx.x;
    const int own = c < chunks ? total[c] : 0;
    const int before = carried;
    const int sum = block_scan(own);
    if (c < chunks) offset[c] = before + sum - own;
    __syncthreads();
    if (threadIdx.x == CHUNK - 1) carried = before + sum;
    __syncthreads();
  }
}

__global__ void add_offsets(int* __restrict__ y, const int* __restrict__ offset, int n) {
  const int i = blockIdx.x * CHUNK + threadIdx.x;
  if (i < n) y[i] += offset[blockIdx.x];
}
