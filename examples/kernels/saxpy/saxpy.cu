// z = a * x + y, one element a thread.
__global__ void saxpy(float* __restrict__ z, const float* __restrict__ x, const float* __restrict__ y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}
