// The dot product of two vectors in one launch: a warp adds up with shuffles, and its first lane adds the warp's sum to
// the total. The order of these atomic additions is not the same from run to run, hence `deterministic = false` in
// cases.toml.
__global__ void dot(float* __restrict__ total, const float* __restrict__ x, const float* __restrict__ y, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
