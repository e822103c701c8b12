// The math functions that <math.h> does not have, and CUDA's integer and type-casting intrinsics. The fast, approximate
// functions (__expf, __fdividef, ...) are the exact ones here: within the error bounds that CUDA gives for them.
#pragma once

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_MAX_NORMAL_F FLT_MAX
#define CUDART_PI_F 3.141592654f
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI 3.1415926535897931

// min and max as CUDA overloads them: mixed signs give the unsigned type, float with double gives double, and a NaN
// gives way.
#define KGATE_HOST_MIN_MAX(R, A, B)                                                                                \
  inline R min(A a, B b) { return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); } \
  inline R max(A a, B b) { return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); }
KGATE_HOST_MIN_MAX(int, int, int)
KGATE_HOST_MIN_MAX(unsigned, unsigned, unsigned)
KGATE_HOST_MIN_MAX(unsigned, int, unsigned)
KGATE_HOST_MIN_MAX(unsigned, unsigned, int)
KGATE_HOST_MIN_MAX(long, long, long)
KGATE_HOST_MIN_MAX(unsigned long, unsigned long, unsigned long)
KGATE_HOST_MIN_MAX(unsigned long, long, unsigned long)
KGATE_HOST_MIN_MAX(unsigned long, unsigned long, long)
KGATE_HOST_MIN_MAX(long long, long long, long long)
KGATE_HOST_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
KGATE_HOST_MIN_MAX(unsigned long long, long long, unsigned long long)
KGATE_HOST_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef KGATE_HOST_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }
inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float fdividef(float a, float b) { return a / b; }
inline float sinpif(float x) { return static_cast<float>(sin(3.1415926535897931 * fmod(static_cast<double>(x), 2.0))); }
inline float cospif(float x) { return static_cast<float>(cos(3.1415926535897931 * fmod(static_cast<double>(x), 2.0))); }
inline double sinpi(double x) { return sin(3.1415926535897931 * fmod(x, 2.0)); }
inline double cospi(double x) { return cos(3.1415926535897931 * fmod(x, 2.0)); }
inline float normcdff(float x) { return static_cast<float>(0.5 * erfc(-0.70710678118654752 * static_cast<double>(x))); }
inline double normcdf(double x) { return 0.5 * erfc(-0.70710678118654752 * x); }
inline float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
inline float norm3df(float a, float b, float c) {
  return static_cast<float>(sqrt(static_cast<double>(a) * a + static_cast<double>(b) * b + static_cast<double>(c) * c));
}
inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(sqrt(static_cast<double>(a) * a + static_cast<double>(b) * b + static_cast<double>(c) * c +
                                 static_cast<double>(d) * d));
}
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
#ifndef __USE_GNU
inline float exp10f(float x) { return powf(10.0f, x); }
inline double exp10(double x) { return pow(10.0, x); }
inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
#endif
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }

inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline void __sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __frsqrt_rn(float a) { return static_cast<float>(1.0 / sqrt(static_cast<double>(a))); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __drcp_rn(double a) { return 1.0 / a; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (pick & 7u))) & 0xffu;
    if (pick & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31u) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31u));
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                    : static_cast<unsigned>(b) - static_cast<unsigned>(a));
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
inline int __dp4a(int a, int b, int c) {
  unsigned sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; ++i)
    sum += static_cast<unsigned>(static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i));
  return static_cast<int>(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xffu) * (b >> 8 * i & 0xffu);
  return c;
}

namespace kgate_host {

template <typename To, typename From>
To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}
// CUDA's conversions saturate, and a NaN becomes 0 (32-bit results) or the most negative value (64-bit results).
template <typename To>
To saturated(double rounded) {
  const bool is_signed = static_cast<To>(-1) < static_cast<To>(0);
  const int bits = static_cast<int>(sizeof(To)) * 8 - (is_signed ? 1 : 0);
  const To lowest = is_signed ? static_cast<To>(1ull << (sizeof(To) * 8 - 1)) : To(0);
  if (rounded != rounded) return sizeof(To) == 8 ? static_cast<To>(1ull << 63) : To(0);
  if (rounded >= ldexp(1.0, bits)) return static_cast<To>(~static_cast<unsigned long long>(lowest));
  if (rounded <= (is_signed ? -ldexp(1.0, bits) : 0.0)) return lowest;
  return static_cast<To>(rounded);
}

}  // namespace kgate_host

inline int __float_as_int(float x) { return kgate_host::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return kgate_host::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return kgate_host::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return kgate_host::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return kgate_host::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return kgate_host::bit_cast<double>(x); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)));
}

#define KGATE_HOST_TO_INTEGER(FROM, T, NAME, TO)                                                             \
  inline TO __##FROM##2##NAME##_rn(T x) { return kgate_host::saturated<TO>(rint(static_cast<double>(x))); }  \
  inline TO __##FROM##2##NAME##_rz(T x) { return kgate_host::saturated<TO>(trunc(static_cast<double>(x))); } \
  inline TO __##FROM##2##NAME##_rd(T x) { return kgate_host::saturated<TO>(floor(static_cast<double>(x))); } \
  inline TO __##FROM##2##NAME##_ru(T x) { return kgate_host::saturated<TO>(ceil(static_cast<double>(x))); }
KGATE_HOST_TO_INTEGER(float, float, int, int)
KGATE_HOST_TO_INTEGER(float, float, uint, unsigned)
KGATE_HOST_TO_INTEGER(float, float, ll, long long)
KGATE_HOST_TO_INTEGER(float, float, ull, unsigned long long)
KGATE_HOST_TO_INTEGER(double, double, int, int)
KGATE_HOST_TO_INTEGER(double, double, uint, unsigned)
KGATE_HOST_TO_INTEGER(double, double, ll, long long)
KGATE_HOST_TO_INTEGER(double, double, ull, unsigned long long)
#undef KGATE_HOST_TO_INTEGER
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
