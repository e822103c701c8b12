#pragma once

#include <cstddef>

// AddressSanitizer and ThreadSanitizer have to be told when a thread changes its stack. Boost.Context can do it for the
// first with its slower ucontext backend and its own build flags; these calls do it for both, with the fcontext backend
// that the release uses. Nothing in other builds.
#if defined(__SANITIZE_ADDRESS__)
#define KGATE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KGATE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define KGATE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KGATE_TSAN 1
#endif
#endif

#ifdef KGATE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef KGATE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace kgate::runner::host {

// One stack, a thread's own or a fiber's.
struct SanitizerContext {
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's, while this context waits
  void* tsan = nullptr;

  // For a fiber that is about to begin on this stack.
  void begin([[maybe_unused]] void* stack_bottom, [[maybe_unused]] std::size_t bytes) {
#ifdef KGATE_ASAN
    bottom = stack_bottom;
    size = bytes;
    fake_stack = nullptr;
    __asan_unpoison_memory_region(stack_bottom, bytes);
#endif
#ifdef KGATE_TSAN
    tsan = __tsan_create_fiber(0);
#endif
  }
  void end() {
#ifdef KGATE_TSAN
    if (tsan != nullptr) __tsan_destroy_fiber(tsan);
    tsan = nullptr;
#endif
  }
  // Just before control leaves this context for `to`. Inlined: ThreadSanitizer books
  // the return of a call on the new context, which knows nothing of it.
  __attribute__((always_inline)) void leave([[maybe_unused]] SanitizerContext& to) {
#ifdef KGATE_ASAN
    __sanitizer_start_switch_fiber(&fake_stack, to.bottom, to.size);
#endif
#ifdef KGATE_TSAN
    if (tsan == nullptr) tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.tsan, 0);
#endif
  }
  // Just after control came (back) to this context from `from`.
  void arrive([[maybe_unused]] SanitizerContext& from) {
#ifdef KGATE_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, &from.bottom, &from.size);
#endif
  }
};

}  // namespace kgate::runner::host
