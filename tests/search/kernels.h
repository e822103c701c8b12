#pragma once

#include <map>
#include <string>

// A kernel to search in: two tunables, a header, comments that have to survive.
namespace kgate::test {

inline const char* const kSearchKernel = R"toml(# the scaling kernel
schema = "kgate.kernel/1"
sources = ["scale.cu"]
headers = ["*.cuh"]
defines = { BLOCK = 256, MODE = "fast" } # BLOCK: 256 was best in May

[[launch]]
entry = "scale<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]

[tunables]
BLOCK = [64, 128, 256, 512]
MODE = ["fast", "exact"]
)toml";

inline const char* const kSearchSource = R"cu(#include "scale.cuh"
// scales
template <int N>
__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * N + threadIdx.x;
  if (i < n) y[i] = factor() * x[i];
}
)cu";

inline const char* const kSearchHeader = "__device__ inline float factor() { return 2.0f; }\n";
inline const char* const kSearchPath = "kernels/scale/kernel.toml";

inline std::map<std::string, std::string> search_files() {
  return {{kSearchPath, kSearchKernel},
          {"kernels/scale/scale.cu", kSearchSource},
          {"kernels/scale/scale.cuh", kSearchHeader}};
}

}  // namespace kgate::test
