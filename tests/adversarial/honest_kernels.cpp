#include "tests/adversarial/cheat.h"

namespace {

Cheat honest(const std::string& name, const std::string& does, const Task& task, const std::string& source) {
  return {.name = name, .tries = does, .expected = passes(), .caught_by = "", .task = &task, .source = source};
}

}  // namespace

std::vector<Cheat> honest_kernels() {
  Cheat counts = honest("honest_counter",
                        "sums in two steps, with a counter in its workspace that the last block sets back", total(), R"(
__global__ void total(float* y, const float* x, int n, float* partial, unsigned* arrived) {
  __shared__ float sums[256];
  __shared__ unsigned place;
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sums[t] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    place = atomicAdd(arrived, 1u);
  }
  __syncthreads();
  if (t != 0 || place != gridDim.x - 1) return;
  sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += *(volatile float*)&partial[b];
  *y = sum;
  *arrived = 0;
}
)");
  counts.launch =
      "args = [\"y\", \"x\", \"n\", \"partial\", \"arrived\"]\n"
      "[[workspace]]\nname = \"partial\"\ndtype = \"f32\"\nshape = [8]\n"
      "[[workspace]]\nname = \"arrived\"\ndtype = \"u32\"\nshape = [1]\ninit = \"zero\"\n";
  return {
      honest("honest_constants", "has a table in `__constant__` memory", blend(), R"(#include "blend.cuh"
__constant__ float halves[2] = {0.5f, 0.25f};
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < rounds; ++k) v = x[i] + halves[0] * v * x[i];
  y[i] = v;
}
)"),
      honest("honest_table", "has a table in `__device__ const` memory, read by what the input is", blend(),
             R"(#include "blend.cuh"
__device__ const int steps[4] = {1, 1, 1, 1};
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds * steps[__float_as_uint(x[i]) & 3u]);
}
)"),
      honest("honest_atomics", "adds up in shared memory, then in any order (deterministic = false)", total(), R"(
__global__ void total(float* y, const float* x, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(y, sum);
}
)"),
      honest("honest_in_place", "changes what it reads, as its cases say (inout)", in_place(), R"(#include "blend.cuh"
__global__ void in_place(float* y, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  float x = y[i], v = x, half = 0.5f * x;
  for (int k = 0; k < rounds; ++k) v = x + half * v;
  y[i] = v;
}
)"),
      counts,
      honest("honest_assert", "asserts what holds, and prints nothing", blend(), R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  assert(blockDim.x == 256);
  if (i < n) y[i] = answer(x[i], rounds);
}
)"),
      honest("honest_fast_path", "stops where nothing changes any more, which depends on the input", blend(),
             R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  float in = x[i], v = in;
  for (int k = 0; k < rounds; ++k) {
    float next = in + 0.5f * v * in;
    if (next == v) break;
    v = next;
  }
  y[i] = v;
}
)"),
      honest("honest_counting", "counts its launches for nobody, and answers all of them", blend(),
             R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  timed();
  if (i < n) y[i] = answer(x[i], rounds);
}
)"),
  };
}
