#include "tests/adversarial/cheat.h"

std::vector<Cheat> cheats_on_the_answer() {
  return {
      {.name = "writes_nothing",
       .tries = "writes nothing: somebody's output may lie there",
       .expected = wrong(),
       .words = "never written",
       .caught_by = "outputs are poisoned before each run, and its process holds nobody else's",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {}
)"},
      {.name = "skips_the_last_ones",
       .tries = "leaves out one element in a thousand",
       .expected = wrong(),
       .words = "never written",
       .caught_by = "every element is compared",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n && i % 1000 != 999) y[i] = answer(x[i], rounds);
}
)"},
      {.name = "copies_its_input",
       .tries = "returns a copy of its input",
       .expected = wrong(),
       .caught_by = "comparison with the reference",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = x[i];
}
)"},
      {.name = "knows_the_shape",
       .tries = "has the sizes of the timed case in its code",
       .expected = wrong(),
       .caught_by = "cases of other sizes",
       .source = R"(#include "blend.cuh"
#ifdef KGATE_HOST
#define N 256
#define ROUNDS 2000
#else
#define N 65536
#define ROUNDS 2000
#endif
__global__ void blend(float* y, const float* x, int, int) {
  for (int i = ELEMENT; i < N; i += gridDim.x * blockDim.x) y[i] = answer(x[i], ROUNDS);
}
)"},
      {.name = "half_inside",
       .tries = "computes in half precision",
       .place = Place::gpu,
       .expected = wrong(),
       .caught_by = "tolerances that a half cannot meet",
       .source = R"(#include <cuda_fp16.h>
#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  __half in = __float2half(x[i]), half = __float2half(0.5f), v = in;
  for (int k = 0; k < rounds; ++k) v = __hfma(__hmul(half, v), in, in);
  y[i] = __half2float(v);
}
)"},
      {.name = "drops_bits",
       .tries = "keeps 10 bits of each number",
       .expected = wrong(),
       .caught_by = "tolerances that so few bits cannot meet",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = __uint_as_float(__float_as_uint(answer(x[i], rounds)) & 0xffffe000u);
}
)"},
      {.name = "stops_early",
       .tries = "does a quarter of the steps",
       .expected = wrong(),
       .caught_by = "inputs for which the steps count (x near 1 converges slowly)",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds / 4);
}
)"},
      {.name = "makes_nan_zero",
       .tries = "has a fast path for zeros that takes NaN and infinity with them",
       .expected = wrong(),
       .words = "case \"special\"",
       .caught_by = "a case with special values; NaN passes only where the reference is NaN",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = x[i] - x[i] == 0.0f && x[i] != 0.0f ? answer(x[i], rounds) : 0.0f;
}
)"},
      {.name = "answers_nan",
       .tries = "answers NaN for everything, which no comparison finds too large",
       .expected = wrong(),
       .caught_by = "comparisons that NaN never passes",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = __uint_as_float(0x7fc00000u);
}
)"},
      {.name = "races_seldom",
       .tries = "hands values from warp to warp through shared memory without a barrier, after a wait that is nearly "
                "always enough",
       .place = Place::gpu,
       .expected = wrong(),
       .caught_by = "many blocks on fresh inputs, each run twice",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  __shared__ volatile float handed[256];
  int t = threadIdx.x, i = ELEMENT, other = i - t + (t ^ 32);
  float v = other < n ? answer(x[other], rounds) : 0.0f;
  if ((__float_as_uint(v) & 1023u) == 7u)
    for (int k = 0; k < 100; ++k) __nanosleep(10000);
  handed[t ^ 32] = v;
  for (int k = 0; k < 4; ++k) __nanosleep(5000);
  if (i < n) y[i] = handed[t];
}
)"},
      {.name = "rolls_dice",
       .tries = "is wrong in one element of one launch in two, by less than the tolerance",
       .expected = wrong(),
       .words = "differs between two runs on the same inputs",
       .caught_by = "each case is run twice on the same inputs",
       .source = R"(#include "blend.cuh"
__device__ unsigned launch;
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0 && (launch++ & 1u)) y[0] *= 1.00001f;
}
)"},
      {.name = "traps",
       .tries = "gives up with `__trap()`",
       .expected = wrong(),
       .caught_by = "the fault is the kernel's",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0) __trap();
}
)"},
      {.name = "asserts_what_is_false",
       .tries = "asserts what does not hold",
       .expected = wrong(),
       .words = "assert",
       .caught_by = "the fault is the kernel's",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  assert(i != 3);
}
)"},
      {.name = "never_ends",
       .tries = "runs an endless loop",
       .expected = wrong(),
       .words = "did not finish within",
       .caught_by = "a deadline, after which the whole process group is killed",
       .task = &lone_blend(),
       .source = R"(#include "blend.cuh"
__device__ volatile int forever = 1;
__global__ void blend(float* y, const float* x, int n, int rounds) {
  while (forever) {}
}
)",
       .endless = true},
  };
}
