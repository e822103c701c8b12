// Rotary position embedding, in place: in every head, elements i and i + width / 2 of a token are turned by the token's
// angle for i, whose cosines and sines come in a table. One block a token, one pair after the other a thread.
__global__ void rope(float* __restrict__ x, const float* __restrict__ cosines, const float* __restrict__ sines,
                     int tokens, int heads, int width) {
  const int half = width / 2;
  float* token = x + blockIdx.x * heads * width;
  for (int pair = threadIdx.x; pair < heads * half; pair += blockDim.x) {
    const int i = pair % half;
    float* low = token + pair / half * width + i;
    float* high = low + half;
    const float c = cosines[blockIdx.x * half + i];
    const float s = sines[blockIdx.x * half + i];
    const float a = *low;
    const float b = *high;
    *low = a * c - b * s;
    *high = b * c + a * s;
  }
}
