#pragma once

// Extra work that changes nothing but the time: tools/plant.py puts a call at the start of every kernel of a source,
// which makes a version that is slower by an amount that the two numbers set, to try the gate on.
//
// Each thread of every Every-th block runs a chain of Iterations dependent multiply-adds, which no compiler may shorten
// (floating-point sums are not reordered). The chain's value stays under 2048, but the compiler cannot know, so the
// store that would use it must stay, and so must the chain.

__device__ float kgate_extra_sink;

template <int Iterations, int Every = 1>
__device__ void kgate_extra_work() {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (block % Every != 0) return;
  float value = static_cast<float>(threadIdx.x);
#pragma unroll 1
  for (int i = 0; i < Iterations; ++i) value = value * 0.5f + 1.0f;
  if (value > 1.0e30f) kgate_extra_sink = value;
}
