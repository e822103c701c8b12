// CUDA C++ for the system's C++ compiler: the language of kgate's host backend. This file and its neighbours are
// embedded in kgate-runner, written beside a kernel's sources and included before the first of them. (.cuh, because it
// is not part of kgate's own build.)
//
// How a kernel runs: all threads of a block run on one OS thread, one after the other, and a thread that waits is a
// fiber of its own. So what is one for each block (__shared__, blockIdx) is thread_local, and what is one for each
// thread (threadIdx) is thread_local too, saved on the fiber's stack over every wait.
#pragma once

#ifdef __clang__
#pragma clang diagnostic ignored "-Wdeprecated-volatile"
#else
#pragma GCC diagnostic ignored "-Wvolatile"
#pragma GCC diagnostic ignored "-Wattributes"
#endif

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kgate_host_abi.h"

extern "C" int printf(const char*, ...);

#define KGATE_HOST 1
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
// Not higher: what needs a newer architecture is beyond this backend. Not undefined: a kernel's body may stand in
// #ifdef __CUDA_ARCH__.
#define __CUDA_ARCH__ 700

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#ifndef __clang__
#define __builtin_assume(condition)            \
  do {                                         \
    if (!(condition)) __builtin_unreachable(); \
  } while (0)
#endif

#include "kgate_host_types.cuh"

static constexpr int warpSize = 32;

extern "C" {
// The child fills it in after loading.
// A section of its own: it is not one of the kernel's variables (gate/lint).
__attribute__((visibility("default"), section(".kgate_host"))) const kgate_host_services* kgate_host_bound = nullptr;
}

// Non-zero initial values keep kgate's own variables in .tdata: .tbss then holds the kernel's static shared memory and
// nothing else.
static thread_local uint3 threadIdx = {1u, 1u, 1u};
static thread_local uint3 blockIdx = {1u, 1u, 1u};
static thread_local dim3 blockDim = {1u, 1u, 1u};
static thread_local dim3 gridDim = {1u, 1u, 1u};

namespace kgate_host {

struct Current {
  kgate_host_block* block;
  unsigned thread;  // threadIdx as one number
  unsigned spins;
};
static thread_local Current current = {nullptr, 0u, 1u};

// threadIdx belongs to the thread that runs: kept here, on its own stack, while others run.
struct Waiting {
  uint3 index = threadIdx;
  unsigned thread = current.thread;
  ~Waiting() {
    threadIdx = index;
    current.thread = thread;
  }
};

inline void* dynamic_shared() { return current.block->dynamic_shared; }

inline void yield() {
  Waiting waiting;
  kgate_host_bound->yield(current.block);
}

// A thread that polls an atomic may wait for a thread of its own block: let it run now and then.
inline void polled() {
  if ((++current.spins & 1023u) == 0u) yield();
}

[[noreturn]] inline void fault(const char* text) {
  kgate_host_bound->fault(current.block, current.thread, text);
  __builtin_unreachable();
}

inline kgate_host_exchange exchange(kgate_host_operation operation, unsigned mask, unsigned long long value) {
  Waiting waiting;
  return kgate_host_bound->exchange(current.block, current.thread, operation, mask, value);
}

template <typename Function, Function* kernel>
struct EntryOf;

template <typename... Parameters, void (*kernel)(Parameters...)>
struct EntryOf<void(Parameters...), kernel> {
  template <unsigned... I>
  struct Indices {};
  template <unsigned N, unsigned... I>
  struct Count : Count<N - 1, N - 1, I...> {};
  template <unsigned... I>
  struct Count<0, I...> {
    using Type = Indices<I...>;
  };

  template <unsigned... I>
  static void run_all(kgate_host_block* block, void* const* arguments, Indices<I...>) {
    (void)arguments;
    current.block = block;
    blockIdx = uint3{block->block_index[0], block->block_index[1], block->block_index[2]};
    blockDim = dim3(block->block_dim[0], block->block_dim[1], block->block_dim[2]);
    gridDim = dim3(block->grid_dim[0], block->grid_dim[1], block->grid_dim[2]);
    while (block->next_thread < block->threads) {
      const unsigned thread = block->next_thread++;
      current.thread = thread;
      threadIdx = uint3{block->next[0], block->next[1], block->next[2]};
      if (++block->next[0] == block->block_dim[0]) {
        block->next[0] = 0;
        if (++block->next[1] == block->block_dim[1]) {
          block->next[1] = 0;
          ++block->next[2];
        }
      }
      kernel(*static_cast<Parameters*>(arguments[I])...);
      --block->warp_live[thread / 32];
      --block->live;
    }
  }
  static void run(kgate_host_block* block, void* const* arguments) {
    run_all(block, arguments, typename Count<sizeof...(Parameters)>::Type());
  }
  static constexpr unsigned sizes[sizeof...(Parameters) + 1] = {static_cast<unsigned>(sizeof(Parameters))..., 0u};
};
template <typename... Parameters, void (*kernel)(Parameters...)>
constexpr unsigned EntryOf<void(Parameters...), kernel>::sizes[sizeof...(Parameters) + 1];

template <typename Pointer>
struct Pointee;
template <typename... Parameters>
struct Pointee<void (*)(Parameters...)> {
  static constexpr unsigned parameters = sizeof...(Parameters);
  using Type = void(Parameters...);
};
#if __cplusplus >= 201703L
template <typename... Parameters>
struct Pointee<void (*)(Parameters...) noexcept> : Pointee<void (*)(Parameters...)> {};
#endif

}  // namespace kgate_host

// kgate writes one of these for each entry.
#define KGATE_HOST_ENTRY(NAME, ...)                                                                          \
  extern "C" {                                                                                               \
  __attribute__((visibility("default"))) extern const kgate_host_entry NAME;                                 \
  const kgate_host_entry NAME = {                                                                            \
      &kgate_host::EntryOf<typename kgate_host::Pointee<decltype(&__VA_ARGS__)>::Type, &__VA_ARGS__>::run,   \
      kgate_host::Pointee<decltype(&__VA_ARGS__)>::parameters,                                               \
      kgate_host::EntryOf<typename kgate_host::Pointee<decltype(&__VA_ARGS__)>::Type, &__VA_ARGS__>::sizes}; \
  }

#include "kgate_host_atomic.cuh"
#include "kgate_host_math.cuh"
#include "kgate_host_sync.cuh"

#define assert(condition) ((condition) ? void() : kgate_host::fault("assertion failed: " #condition))
