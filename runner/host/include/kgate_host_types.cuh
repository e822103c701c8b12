// CUDA's vector types, with their sizes and alignments (CUDA C++ Programming Guide, "Built-in Vector Types").
#pragma once

#define KGATE_HOST_VECTORS(T, NAME, ALIGN2, ALIGN4)                          \
  struct NAME##1 {                                                           \
    T x;                                                                     \
  };                                                                         \
  struct __attribute__((aligned(ALIGN2))) NAME##2 {                          \
    T x, y;                                                                  \
  };                                                                         \
  struct NAME##3 {                                                           \
    T x, y, z;                                                               \
  };                                                                         \
  struct __attribute__((aligned(ALIGN4))) NAME##4 {                          \
    T x, y, z, w;                                                            \
  };                                                                         \
  inline NAME##1 make_##NAME##1(T x) { return NAME##1 {x}; }                 \
  inline NAME##2 make_##NAME##2(T x, T y) { return NAME##2 {x, y}; }         \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return NAME##3 {x, y, z}; } \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4 {x, y, z, w}; }

KGATE_HOST_VECTORS(signed char, char, 2, 4)
KGATE_HOST_VECTORS(unsigned char, uchar, 2, 4)
KGATE_HOST_VECTORS(short, short, 4, 8)
KGATE_HOST_VECTORS(unsigned short, ushort, 4, 8)
KGATE_HOST_VECTORS(int, int, 8, 16)
KGATE_HOST_VECTORS(unsigned, uint, 8, 16)
KGATE_HOST_VECTORS(long, long, 16, 16)
KGATE_HOST_VECTORS(unsigned long, ulong, 16, 16)
KGATE_HOST_VECTORS(long long, longlong, 16, 16)
KGATE_HOST_VECTORS(unsigned long long, ulonglong, 16, 16)
KGATE_HOST_VECTORS(float, float, 8, 16)
KGATE_HOST_VECTORS(double, double, 16, 16)
#undef KGATE_HOST_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
