// In f64, rounded once: what a fused multiply-add gives but for a second rounding at ties. It answers in f32, so that
// an overflow is an infinity here too.
__global__ void saxpy_reference(float* z, const float* x, const float* y, float a, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) z[i] = static_cast<float>(static_cast<double>(a) * x[i] + y[i]);
}
