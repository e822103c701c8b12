#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

// c = a * b with f16 inputs and f32 sums on the tensor cores, row-major. A warp computes 32 x 32 elements of c as 2 x 2
// fragments; the block's warps share tiles of a and b, which are 16 deep along k and padded with zeros beyond the
// matrices' edges.
template <int WarpsM, int WarpsN>
__global__ void hgemm(float* __restrict__ c, const half* __restrict__ a, const half* __restrict__ b, int m, int n,
                      int k) {
  constexpr int rows = 32 * WarpsM;
  constexpr int columns = 32 * WarpsN;
  constexpr int threads = 32 * WarpsM * WarpsN;
  constexpr int skew = 8;  // halves: rows start in different banks, and at multiples of 16 bytes
  __shared__ __align__(32) half a_tile[rows][16 + skew];
  __shared__ __align__(32) half b_tile[16][columns + skew];
  __shared__ __align__(32) float c_tile[WarpsM * WarpsN][16][16];

  const int first_row = blockIdx.y * rows;
  const int first_column = blockIdx.x * columns;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / WarpsN * 32;
  const int warp_column = warp % WarpsN * 32;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
  }

  for (int first = 0; first < k; first += 16) {
    for (int i = threadIdx.x; i < rows * 16; i += threads) {
      const int row = first_row + i / 16;
      const int column = first + i % 16;
      a_tile[i / 16][i % 16] = row < m && column < k ? a[row * k + column] : __float2half(0.0f);
    }
    for (int i = threadIdx.x; i < 16 * columns; i += threads) {
      const int row = first + i / columns;
      const int column = first_column + i % columns;
      b_tile[i / columns][i % columns] = row < k && column < n ? b[row * n + column] : __float2half(0.0f);
    }
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
      wmma::load_matrix_sync(left, &a_tile[warp_row + 16 * i][0], 16 + skew);
      for (int j = 0; j < 2; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
        wmma::load_matrix_sync(right, &b_tile[0][warp_column + 16 * j], columns + skew);
        wmma::mma_sync(sum[i][j], left, right, sum[i][j]);
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      wmma::store_matrix_sync(&c_tile[warp][0][0], sum[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      for (int e = lane; e < 256; e += 32) {
        const int row = first_row + warp_row + 16 * i + e / 16;
        const int column = first_column + warp_column + 16 * j + e % 16;
        if (row < m && column < n) c[row * n + column] = c_tile[warp][e / 16][e % 16];
      }
      __syncwarp();
    }
  }
}
