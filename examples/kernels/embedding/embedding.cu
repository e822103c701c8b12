// y[t] = table[ids[t]]: a row of the table for each token, one block a token. Rows whose width is a multiple of four
// are copied 16 bytes at a time (buffers start at multiples of 256 bytes, so such rows are aligned).
__global__ void embedding(float* __restrict__ y, const float* __restrict__ table, const int* __restrict__ ids,
                          int tokens, int width) {
  const float* from = table + __ldg(&ids[blockIdx.x]) * width;
  float* to = y + blockIdx.x * width;
  if (width % 4 == 0) {
    const float4* from4 = reinterpret_cast<const float4*>(from);
    float4* to4 = reinterpret_cast<float4*>(to);
    for (int c = threadIdx.x; c < width / 4; c += blockDim.x) to4[c] = from4[c];
    return;
  }
  for (int c = threadIdx.x; c < width; c += blockDim.x) to[c] = from[c];
}
