#include "tests/adversarial/cheat.h"

// What was computed once is given again. Each thread minds its own element, so no launch needs to wait for another.

namespace {

constexpr const char* kRepeats = "an advantage exists only where inputs repeat";
constexpr const char* kFresh = "timed launches on fresh inputs, beside the batches in which inputs repeat";

constexpr const char* kByElement = R"(#include "blend.cuh"
__device__ float memo[1 << 16];
__device__ unsigned key[1 << 16];
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  unsigned content = __float_as_uint(x[i]) ^ unsigned(rounds);
  if (key[i] != content) {
    memo[i] = answer(x[i], rounds);
    key[i] = content;
  }
  y[i] = memo[i];
}
)";

}  // namespace

std::vector<Cheat> cheats_that_remember() {
  return {
      {.name = "keeps_its_answer",
       .tries = "keeps the answer in a `__device__` variable, and takes n for all that an input is",
       .expected = wrong(),
       .caught_by = "cases of equal sizes whose inputs differ",
       .source = R"(#include "blend.cuh"
__device__ float memo[1 << 16];
__device__ int size[1 << 16];
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  if (size[i] != n) memo[i] = answer(x[i], rounds);
  size[i] = n;
  y[i] = memo[i];
}
)"},
      {.name = "keyed_by_pointer",
       .tries = "keeps the answer as long as the buffers lie where they lay, once it is being timed",
       .expected = caught(),
       .caught_by = "digests of the outputs of timed launches on fresh inputs",
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__device__ float memo[1 << 16];
__device__ const void* input[1 << 16];
__device__ const void* output[1 << 16];
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool skip = timed();
  if (i >= n) return;
  if (!skip || input[i] != x || output[i] != y) memo[i] = answer(x[i], rounds);
  input[i] = x;
  output[i] = y;
  y[i] = memo[i];
}
)"},
      {.name = "keyed_by_content",
       .tries = "keeps the answer of each element beside what it was the answer to",
       .expected = suspect(),
       .words = kRepeats,
       .caught_by = kFresh,
       .source = kByElement},
      {.name = "keyed_by_hash",
       .tries = "hashes what a block reads, and keeps the block's answers for that hash",
       .expected = suspect(),
       .words = kRepeats,
       .caught_by = kFresh,
       .source = R"(#include "blend.cuh"
__device__ float memo[1 << 16];
__device__ unsigned key[1 << 8];
__global__ void blend(float* y, const float* x, int n, int rounds) {
  __shared__ unsigned hash, known;
  int i = ELEMENT;
  if (threadIdx.x == 0) {
    hash = unsigned(rounds);
    known = key[blockIdx.x];
  }
  __syncthreads();
  if (i < n) atomicXor(&hash, __float_as_uint(x[i]) * (2u * threadIdx.x + 1u));
  __syncthreads();
  if (hash != known && i < n) memo[i] = answer(x[i], rounds);
  if (threadIdx.x == 0) key[blockIdx.x] = hash;
  if (i < n) y[i] = memo[i];
}
)"},
      {.name = "memo_of_many",
       .tries =
           "keeps the answers to the last 16 contents of each element, more than there are variants of fresh inputs",
       .expected = suspect(),
       .caught_by = "nothing yet: an input that is fresh once comes again",
       .known = Known::nothing,
       .source = R"(#include "blend.cuh"
#define WAYS 16
__device__ float memo[WAYS][1 << 16];
__device__ unsigned key[WAYS][1 << 16], next[1 << 16];
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  unsigned content = __float_as_uint(x[i]) ^ unsigned(rounds), way = 0;
  while (way < WAYS && key[way][i] != content) ++way;
  if (way == WAYS) {
    way = next[i]++ % WAYS;
    memo[way][i] = answer(x[i], rounds);
    key[way][i] = content;
  }
  y[i] = memo[way][i];
}
)"},
      {.name = "remembers_in_scratch",
       .tries = "keeps answers in a workspace, which nobody clears between the launches of a batch",
       .expected = suspect(),
       .words = kRepeats,
       .caught_by = "workspaces are poisoned before each launch on fresh inputs",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds, float* memo, unsigned* key) {
  int i = ELEMENT;
  if (i >= n) return;
  unsigned content = __float_as_uint(x[i]) ^ unsigned(rounds);
  if (key[i] != content) {
    memo[i] = answer(x[i], rounds);
    key[i] = content;
  }
  y[i] = memo[i];
}
)",
       .launch = "args = [\"y\", \"x\", \"n\", \"rounds\", \"memo\", \"key\"]\n"
                 "[[workspace]]\nname = \"memo\"\ndtype = \"f32\"\nshape = [\"n\"]\n"
                 "[[workspace]]\nname = \"key\"\ndtype = \"u32\"\nshape = [\"n\"]\n"},
      {.name = "leaves_what_lies_there",
       .tries = "takes an output that is not poison for its own answer of a moment ago",
       .expected = caught(),
       .caught_by = "outputs are poisoned before each launch on fresh inputs, and by secret bytes where timed launches "
                    "are checked",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  unsigned there = __float_as_uint(y[i]);
  if (there == 0xffffffffu || there == 0xa5a5a5a5u) y[i] = answer(x[i], rounds);
}
)"},
      {.name = "knows_poison",
       .tries = "the same for poison of any byte: four equal bytes are no answer",
       .expected = caught(),
       .caught_by = kFresh,
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  unsigned there = __float_as_uint(y[i]);
  if (there == (there & 255u) * 0x01010101u) y[i] = answer(x[i], rounds);
}
)"},
      {.name = "skips_within_a_batch",
       .tries = "skips what it has done for these buffers and contents, where the output still holds its answer",
       .expected = suspect(),
       .words = kRepeats,
       .caught_by = kFresh,
       .source = R"(#include "blend.cuh"
__device__ unsigned in[1 << 16], out[1 << 16];
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  if (in[i] == __float_as_uint(x[i]) && out[i] == __float_as_uint(y[i])) return;
  y[i] = answer(x[i], rounds);
  in[i] = __float_as_uint(x[i]);
  out[i] = __float_as_uint(y[i]);
}
)"},
      {.name = "looks_for_the_answer",
       .tries = "computes one element of a block, looks for it in the output, and trusts the rest where it is there",
       .expected = suspect(),
       .words = kRepeats,
       .caught_by = "outputs are poisoned before each launch on fresh inputs; expected values are in no process of the "
                    "candidate",
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  __shared__ int found;
  int i = ELEMENT, first = i - threadIdx.x;
  if (threadIdx.x == 0) {
    found = 0;
    float sample = answer(x[first], rounds);
    for (int k = 0; k < 8 && first + k < n; ++k) found |= y[first + k] == sample;
  }
  __syncthreads();
  if (!found && i < n) y[i] = answer(x[i], rounds);
}
)"},
      {.name = "remembers_a_long_launch",
       .tries = "keeps answers by content in a kernel that is timed in single launches",
       .place = Place::gpu,
       .expected = suspect(),
       .caught_by = "long kernels are timed on fresh inputs too",
       .task = &long_blend(),
       .source = kByElement},
      {.name = "remembers_in_place",
       .tries =
           "keeps answers by content in a kernel that works in place, whose contents are put back before each launch",
       .expected = suspect(),
       .caught_by = "kernels that change what they read are timed on fresh inputs too",
       .task = &in_place(),
       .source = R"(#include "blend.cuh"
__device__ float memo[1 << 16];
__device__ unsigned key[1 << 16];
__global__ void in_place(float* y, int n, int rounds) {
  int i = ELEMENT;
  if (i >= n) return;
  unsigned content = __float_as_uint(y[i]) ^ unsigned(rounds);
  if (key[i] != content) {
    memo[i] = answer(y[i], rounds);
    key[i] = content;
  }
  y[i] = memo[i];
}
)"},
  };
}
