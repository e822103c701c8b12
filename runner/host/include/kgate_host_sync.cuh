// Barriers, fences and shuffles.
#pragma once

inline void __syncthreads() {
  kgate_host::Waiting waiting;
  kgate_host_bound->barrier(kgate_host::current.block);
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { kgate_host::exchange(kgate_host_syncwarp, mask, 0); }

// A fence is where kernels that poll plain memory stop by, so it lets others run as polled atomics do.
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  kgate_host::polled();
}
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned) { kgate_host::yield(); }
[[noreturn]] inline void __trap() { kgate_host::fault("trap"); }

namespace kgate_host {

// The value of lane `source`; the caller's own where that lane does not take part (on a GPU it is undefined).
template <typename T>
T shuffled(const kgate_host_exchange& all, unsigned source, T own) {
  if (source > 31u || !(all.lanes >> source & 1u)) return own;
  T value;
  memcpy(&value, &all.values[source], sizeof(T));
  return value;
}

template <typename T>
unsigned long long bits_of(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}

inline unsigned lane() { return current.thread & 31u; }

}  // namespace kgate_host

// PTX ISA, "shfl.sync": a lane outside of the caller's segment of `width` lanes gives the caller's own value (up, down,
// xor), or is taken modulo the width (idx).
#define KGATE_HOST_SHUFFLES(T)                                                                                    \
  inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {                                      \
    const unsigned w = static_cast<unsigned>(width), first = kgate_host::lane() & ~(w - 1u);                      \
    const kgate_host_exchange all = kgate_host::exchange(kgate_host_shfl, mask, kgate_host::bits_of(value));      \
    return kgate_host::shuffled(all, first | (static_cast<unsigned>(source) & (w - 1u)), value);                  \
  }                                                                                                               \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {                               \
    const unsigned w = static_cast<unsigned>(width), lane = kgate_host::lane(), first = lane & ~(w - 1u);         \
    const kgate_host_exchange all = kgate_host::exchange(kgate_host_shfl_up, mask, kgate_host::bits_of(value));   \
    return delta > lane - first ? value : kgate_host::shuffled(all, lane - delta, value);                         \
  }                                                                                                               \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {                             \
    const unsigned w = static_cast<unsigned>(width), lane = kgate_host::lane(), last = lane | (w - 1u);           \
    const kgate_host_exchange all = kgate_host::exchange(kgate_host_shfl_down, mask, kgate_host::bits_of(value)); \
    return delta > last - lane ? value : kgate_host::shuffled(all, lane + delta, value);                          \
  }                                                                                                               \
  inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {                                   \
    const unsigned w = static_cast<unsigned>(width), lane = kgate_host::lane();                                   \
    const unsigned source = lane ^ static_cast<unsigned>(lanes);                                                  \
    const kgate_host_exchange all = kgate_host::exchange(kgate_host_shfl_xor, mask, kgate_host::bits_of(value));  \
    return source > (lane | (w - 1u)) ? value : kgate_host::shuffled(all, source, value);                         \
  }
KGATE_HOST_SHUFFLES(int)
KGATE_HOST_SHUFFLES(unsigned)
KGATE_HOST_SHUFFLES(long)
KGATE_HOST_SHUFFLES(unsigned long)
KGATE_HOST_SHUFFLES(long long)
KGATE_HOST_SHUFFLES(unsigned long long)
KGATE_HOST_SHUFFLES(float)
KGATE_HOST_SHUFFLES(double)
#undef KGATE_HOST_SHUFFLES

// Loads and stores with cache hints.
#define KGATE_HOST_LOAD(NAME)       \
  template <typename T>             \
  inline T NAME(const T* address) { \
    return *address;                \
  }
KGATE_HOST_LOAD(__ldg)
KGATE_HOST_LOAD(__ldca)
KGATE_HOST_LOAD(__ldcg)
KGATE_HOST_LOAD(__ldcs)
KGATE_HOST_LOAD(__ldlu)
#undef KGATE_HOST_LOAD
template <typename T>
inline T __ldcv(const T* address) {
  return *static_cast<const volatile T*>(address);
}
namespace kgate_host {
template <typename T>
struct Same {
  using Type = T;
};
}  // namespace kgate_host
#define KGATE_HOST_STORE(NAME)                                             \
  template <typename T>                                                    \
  inline void NAME(T* address, typename kgate_host::Same<T>::Type value) { \
    *address = value;                                                      \
  }
KGATE_HOST_STORE(__stwb)
KGATE_HOST_STORE(__stcg)
KGATE_HOST_STORE(__stcs)
KGATE_HOST_STORE(__stwt)
#undef KGATE_HOST_STORE
