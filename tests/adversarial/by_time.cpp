#include "tests/adversarial/cheat.h"

// Honest while it is checked, something else while it is timed.

namespace {

constexpr const char* kDigests = "digests of the outputs of timed launches";

}  // namespace

std::vector<Cheat> cheats_by_time() {
  return {
      {.name = "honest_forty_times",
       .tries = "is honest for the first 40 launches, and answers zeros from then on",
       .expected = wrong(),
       .caught_by = kDigests,
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool skip = timed();
  if (i < n) y[i] = skip ? 0.0f : answer(x[i], rounds);
}
)"},
      {.name = "leaves_it_to_the_base",
       .tries = "writes nothing once it is timed: the base version has answered in the same buffer",
       .expected = wrong(),
       .caught_by = "timed launches find their output poisoned, and digests of what they left",
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (!timed() && i < n) y[i] = answer(x[i], rounds);
}
)"},
      {.name = "long_then_short",
       .tries = "does half of the steps once it is timed, in a kernel that is timed in single launches",
       .place = Place::gpu,
       .expected = wrong(),
       .caught_by = kDigests,
       .task = &long_blend(),
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool skip = timed();
  if (i < n) y[i] = answer(x[i], skip ? 3 : rounds);
}
)"},
      {.name = "skips_its_heavy_end",
       .tries = "once it is timed, skips the last 128 bytes of megabytes, which are most of its work",
       .place = Place::gpu,
       .expected = wrong(),
       .caught_by = "one sample of each regime, in a round that is drawn, is compared whole",
       .task = &heavy_end(),
       .source = R"(#include "blend.cuh"
__device__ unsigned launches;  // of a process: a case is checked in a dozen
__global__ void heavy_end(float* y, const float* x, int n, int rounds) {
  if (ELEMENT == 0) atomicAdd(&launches, 1u);
  bool skip = *(volatile unsigned*)&launches > 16;
  for (int i = ELEMENT; i < n; i += gridDim.x * blockDim.x)
    y[i] = i < n - 32 || skip ? x[i] : answer(x[i], rounds);
}
)"},
      {.name = "rests_every_other_time",
       .tries = "once it is timed, answers every other launch alone, and leaves its last answer for the rest",
       .expected = caught(),
       .caught_by = kDigests,
       .source = R"(#include "blend.cuh"
#include "timed.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool skip = timed() && (*(volatile unsigned*)&launches & 1u);
  if (!skip && i < n) y[i] = answer(x[i], rounds);
}
)"},
      {.name = "asks_globaltimer",
       .tries = "skips what it is asked within 4 us of its last end by `%globaltimer`: in a batch, not in a check",
       .place = Place::gpu,
       .expected = caught(),
       .caught_by =
           "launches on fresh inputs have copies between them, and digests; on an H200 it was `pass`, no faster: "
           "why its trick did not pay was not looked into",
       .known = Known::nothing,
       .source = R"(#include "blend.cuh"
__device__ unsigned long long last;
__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  bool hurried = now() - *(volatile unsigned long long*)&last < 4000;
  if (!hurried && i < n) y[i] = answer(x[i], rounds);
  if (threadIdx.x == 0) atomicMax(&last, now());
}
)"},
      {.name = "asks_clock64",
       .tries = "the same by `clock64()` of each multiprocessor",
       .place = Place::gpu,
       .expected = caught(),
       .caught_by = "launches on fresh inputs have copies between them, and digests",
       .source = R"(#include "blend.cuh"
__device__ long long last[1024];
__device__ unsigned processor() {
  unsigned id;
  asm volatile("mov.u32 %0, %smid;" : "=r"(id));
  return id & 1023u;
}
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  volatile long long* end = &last[processor()];
  bool hurried = clock64() - *end < 8000;
  if (!hurried && i < n) y[i] = answer(x[i], rounds);
  if (threadIdx.x == 0) *end = clock64();
}
)"},
      {.name = "spends_the_budget",
       .tries = "keeps answers by content, and waits for 0.2 s after each pause, which is when nobody measures: the "
                "budget has no room for fresh inputs then",
       .expected = {kgate::verdict::Verdict::inconclusive, kgate::verdict::Verdict::wrong,
                    kgate::verdict::Verdict::suspect},
       .caught_by = "much faster is believed only where fresh inputs confirm it",
       .source = R"(#include "blend.cuh"
#ifdef KGATE_HOST
#include <chrono>
static unsigned long long now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
#else
__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
#endif
__device__ float memo[1 << 16];
__device__ unsigned key[1 << 16];
__device__ unsigned long long last;
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i == 0) {
    unsigned long long start = now(), wait = start - last > 200000 ? 200000000 : 0;
    while (now() - start < wait) {
    }
  }
  if (i >= n) return;
  unsigned content = __float_as_uint(x[i]) ^ unsigned(rounds);
  if (key[i] != content) {
    memo[i] = answer(x[i], rounds);
    key[i] = content;
  }
  y[i] = memo[i];
  if (i == 0) last = now();
}
)"},
      {.name = "keeps_the_l2",
       .tries = "marks all that it reads and writes `evict_last`, so that the L2 stays its own while the base is timed",
       .place = Place::gpu,
       .expected = not_faster(),
       .caught_by = "random order of the arms on the same buffers, with a warm-up of each: the mark pays for nobody",
       .task = &stream(),
       .source = R"(
__global__ void stream(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long policy;
  float v;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(x + i), "l"(policy));
  v = 2.0f * v + 1.0f;
  asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(y + i), "f"(v), "l"(policy) : "memory");
}
)"},
      {.name = "fills_the_l2_with_lines",
       .tries = "prefetches 32 MiB of its own as `evict_last` on the launch after a pause, which is the untimed one",
       .place = Place::gpu,
       .expected = not_faster(),
       .caught_by = "the base warms up after it and before its own time is taken",
       .task = &stream(),
       .source = R"(
__device__ char ballast[32 << 20];
__device__ unsigned long long last;
__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
__global__ void stream(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool paused = now() - *(volatile unsigned long long*)&last > 20000;
  if (i < n) y[i] = 2.0f * x[i] + 1.0f;
  size_t line = size_t(i) * 128;
  if (paused && line < sizeof(ballast)) asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(ballast + line));
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) atomicMax(&last, now());
}
)"},
      {.name = "sweeps_the_l2_at_its_end",
       .tries = "reads 128 MiB after its work, so that the base finds nothing in the L2",
       .place = Place::gpu,
       .expected = {kgate::verdict::Verdict::regressed, kgate::verdict::Verdict::suspect},
       .caught_by = "its own time: what it does lies between its own events",
       .task = &stream(),
       .source = R"(
__device__ float ballast[32 << 20], sink;
__global__ void stream(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + 1.0f;
  float sum = 0;
  if (i < n)
    for (int k = i; k < (32 << 20); k += n) sum += ballast[k];
  if (sum != 0) sink = sum;
}
)"},
      {.name = "slows_the_base",
       .tries = "native code on the host: a thread of its own keeps a core busy between its launches, while the base "
                "is timed",
       .place = Place::host,
       .expected = caught(),
       .caught_by = "nothing yet, where it does not crash; a host result is no GPU's, and cannot be accepted for one",
       .known = Known::nothing,
       .source = R"(#include "blend.cuh"
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
static volatile int away;
static void* burn(void*) {
  while (true) {
    if (!away) usleep(20);
  }
  return nullptr;
}
static const bool started = [] {
  Dl_info self;  // to stay when the kernel is unloaded, the threads' code must
  if (dladdr((void*)&burn, &self)) dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  pthread_t thread;
  for (int i = 0; i < 2; ++i) pthread_create(&thread, nullptr, burn, nullptr);
  return true;
}();
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i == 0) away = 0;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == n - 1) away = 1;
}
)"},
  };
}
