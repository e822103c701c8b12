#include "tests/adversarial/cheat.h"

namespace {

constexpr const char* kZones = "guard zones around every buffer, verified after each checked run";
constexpr const char* kTimedZones = "guard zones and inputs, verified after timed samples";

}  // namespace

std::vector<Cheat> cheats_on_memory() {
  return {
      {.name = "writes_before_its_start",
       .tries = "writes one element before its output",
       .expected = wrong(),
       .words = "bytes before the start of \"y\"",
       .caught_by = kZones,
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0) y[-1] = 0.0f;
}
)"},
      {.name = "writes_past_its_end",
       .tries = "writes one element past its output",
       .expected = wrong(),
       .words = "bytes past the end of \"y\"",
       .caught_by = kZones,
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i <= n) y[i] = answer(i < n ? x[i] : 0.0f, rounds);
}
)"},
      {.name = "writes_past_its_input",
       .tries = "keeps a note for later behind the end of its input",
       .expected = wrong(),
       .words = "bytes past the end of \"x\"",
       .caught_by = kZones,
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0) const_cast<float*>(x)[n + 100] = 1.0f;
}
)"},
      {.name = "smears_when_timed",
       .tries = "once it is timed, zeros 2 KiB to either side of its output, where other buffers may lie",
       .expected = caught(),
       .caught_by = kTimedZones,
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool smear = timed();
  if (i < n) y[i] = answer(x[i], rounds);
  if (smear && i < 512) y[i - 512] = y[n + i] = 0.0f;
}
)"},
      {.name = "changes_its_input",
       .tries = "writes to its input",
       .expected = wrong(),
       .words = "changed its input \"x\"",
       .caught_by = "inputs are compared with what they were after each checked run",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  y[i] = answer(x[i], rounds);
  const_cast<float*>(x)[i] = y[i];
}
)"},
      {.name = "spoils_the_bases_input",
       .tries = "once it is timed, fills its input with denormals, which the base reads next",
       .expected = caught(),
       .caught_by = kTimedZones,
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool spoil = timed();
  if (i >= n) return;
  y[i] = answer(x[i], rounds);
  if (spoil) const_cast<float*>(x)[i] = 1e-40f;
}
)"},
      {.name = "uses_its_input_as_memory",
       .tries = "once it is timed, puts the answer where the input was and a mark beside it, and is done when it sees "
                "the mark",
       .expected = caught(),
       .caught_by = kTimedZones,
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool skip = timed();
  if (i >= n) return;
  float in = x[i];
  bool marked = skip && (__float_as_uint(in) & 0x80000000u);
  y[i] = marked ? -in : answer(in, rounds);
  if (skip && !marked) const_cast<float*>(x)[i] = -y[i];
}
)"},
      {.name = "writes_to_no_memory",
       .tries = "writes to address 64",
       .expected = wrong(),
       .caught_by = "the fault ends its process, which is replaced",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0) *reinterpret_cast<volatile int*>(64) = 1;
}
)"},
      {.name = "misaligned",
       .tries = "writes a float to an odd address",
       .place = Place::gpu,
       .expected = wrong(),
       .words = "MISALIGNED_ADDRESS",
       .caught_by = "the fault ends its process, which is replaced",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0) *reinterpret_cast<volatile float*>(reinterpret_cast<char*>(y) + 1) = 1.0f;
}
)"},
      {.name = "runs_out_of_stack",
       .tries = "recurses until the stack ends",
       .expected = wrong(),
       .caught_by = "the fault ends its process, which is replaced",
       .source = R"(#include "blend.cuh"
__device__ __noinline__ int deep(int depth) {
  volatile int room[64];
  room[depth & 63] = depth;
  return depth > 0 ? deep(depth - 1) + room[depth & 63] : 0;
}
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds) + (i == 0 ? 1e-30f * deep(10000000) : 0.0f);
}
)"},
      {.name = "allocates_10_gb",
       .tries = "asks for 10 GB in the kernel and writes there",
       .place = Place::gpu,
       .expected = wrong(),
       .caught_by = "the device's heap has its limit, and an address that is none is a fault",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0) {
    volatile char* much = static_cast<volatile char*>(malloc(10ull << 30));
    much[0] = 1;
  }
}
)"},
      {.name = "wants_a_huge_workspace",
       .tries = "names a workspace of 10 TiB in kernel.toml",
       .expected = wrong(),
       .caught_by = "what a fresh process can do without it is not the machine's fault",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds, float* scratch) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
}
)",
       .launch = "args = [\"y\", \"x\", \"n\", \"rounds\", \"scratch\"]\n"
                 "[[workspace]]\nname = \"scratch\"\ndtype = \"f32\"\nshape = [2560, 1048576, 1024]\n"},
      {.name = "has_a_giant_array",
       .tries = "declares a `__device__` array larger than the machine's memory",
       .expected = wrong(),
       .caught_by = "a process that cannot load it can load the reference",
       .source = R"(#include "blend.cuh"
__device__ char giant[1ull << 42];
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds) + giant[size_t(i) << 20];
}
)"},
  };
}
