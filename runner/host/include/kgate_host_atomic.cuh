// Atomics on 32-bit types (CUDA C++ Programming Guide, "Atomic Functions"). All of them answer with the old value and
// are relaxed.
#pragma once

namespace kgate_host {

// New value from old, until nobody came between.
template <typename T, typename Change>
T update(T* address, Change change) {
  polled();
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  for (;;) {
    T wanted = change(old);
    if (__atomic_compare_exchange(address, &old, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

}  // namespace kgate_host

#define KGATE_HOST_ATOMICS(T)                                                                          \
  inline T atomicAdd(T* address, T value) {                                                            \
    kgate_host::polled();                                                                              \
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);                                       \
  }                                                                                                    \
  inline T atomicSub(T* address, T value) {                                                            \
    kgate_host::polled();                                                                              \
    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);                                       \
  }                                                                                                    \
  inline T atomicAnd(T* address, T value) {                                                            \
    kgate_host::polled();                                                                              \
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);                                       \
  }                                                                                                    \
  inline T atomicOr(T* address, T value) {                                                             \
    kgate_host::polled();                                                                              \
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);                                        \
  }                                                                                                    \
  inline T atomicXor(T* address, T value) {                                                            \
    kgate_host::polled();                                                                              \
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);                                       \
  }                                                                                                    \
  inline T atomicExch(T* address, T value) {                                                           \
    kgate_host::polled();                                                                              \
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);                                      \
  }                                                                                                    \
  inline T atomicCAS(T* address, T expected, T value) {                                                \
    kgate_host::polled();                                                                              \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                                   \
  }                                                                                                    \
  inline T atomicMin(T* address, T value) {                                                            \
    return kgate_host::update(address, [value](T old) { return value < old ? value : old; });          \
  }                                                                                                    \
  inline T atomicMax(T* address, T value) {                                                            \
    return kgate_host::update(address, [value](T old) { return value > old ? value : old; });          \
  }
KGATE_HOST_ATOMICS(int)
KGATE_HOST_ATOMICS(unsigned)
#undef KGATE_HOST_ATOMICS

inline unsigned atomicInc(unsigned* address, unsigned last) {
  return kgate_host::update(address, [last](unsigned old) { return old >= last ? 0u : old + 1u; });
}
inline unsigned atomicDec(unsigned* address, unsigned first) {
  return kgate_host::update(address, [first](unsigned old) { return old == 0u || old > first ? first : old - 1u; });
}
inline float atomicAdd(float* address, float value) {
  return kgate_host::update(address, [value](float old) { return old + value; });
}
inline float atomicExch(float* address, float value) {
  kgate_host::polled();
  float old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  return old;
}
