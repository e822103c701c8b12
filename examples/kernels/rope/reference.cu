// One pair a thread, in f64, rounded once.
__global__ void rope_reference(float* x, const float* cosines, const float* sines, int tokens, int heads, int width) {
  const int pair = blockIdx.x * 64 + threadIdx.x;
  const int half = width / 2;
  if (pair >= tokens * heads * half) return;
  const int i = pair % half;
  const int t = pair / half / heads;
  float* vector = x + pair / half * width;
  const double c = cosines[t * half + i];
  const double s = sines[t * half + i];
  const double a = vector[i];
  const double b = vector[i + half];
  vector[i] = static_cast<float>(a * c - b * s);
  vector[i + half] = static_cast<float>(b * c + a * s);
}
