#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file_tree.h"

namespace kgate::test {

// kernels/softmax/kernel.toml
inline const char* const kKernel = R"toml(schema = "kgate.kernel/1"
kind = "cuda"
sources = ["softmax.cu"]
headers = ["*.cuh", "../common/*.cuh"]
include_dirs = ["../common"]
std = "c++17"
options = ["--use_fast_math"]
defines = { BLOCK = 256, T = "float", FAST = true, SCALE = 0.5 }

[[launch]]
entry = "softmax<BLOCK, T>"
grid = ["rows", 1, 1]
block = ["BLOCK", 1, 1]
shared = "4 * BLOCK / 32"

[[launch]]
entry = "finish"
grid = [1]
block = [32]
args = ["y", "partial", "rows"]

[[workspace]]
name = "partial"
dtype = "f32"
shape = ["ceil_div(cols, 256)"]
init = "zero"

[tunables]
BLOCK = [64, 128, 256, 512]
)toml";

// kernels/softmax/cases.toml
inline const char* const kCases = R"toml(schema = "kgate.cases/1"
kernel = "softmax"
revision = 3

[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "cols"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "cols"]
[[param]]
name = "rows"
kind = "scalar"
dtype = "i32"
value = "rows"
[[param]]
name = "scale"
kind = "scalar"
dtype = "f32"
value = 0.25

[reference]
sources = ["reference.cu"]
defines = { WIDE = 1 }
entry = "softmax_reference"
grid = ["rows", 1, 1]
block = [1, 1, 1]
out_dtype = { y = "f64" }

[work]
bytes = "8 * rows * cols"
flops = "5 * rows * cols"

[[case]]
name = "odd"
role = "correctness"
sizes = { rows = 31, cols = 37 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }
[[case]]
name = "wide"
role = "performance"
sizes = { rows = 8192, cols = 4096 }
inputs = { x = { uniform = [-1, 1] } }
seed = 7
tolerance = { y = { rtol = 1e-5, atol = 1e-7, ulp = 4, norm = 1e-3, matched = 0.99, bias = 1e-4, allow_nan = true } }
backends = ["cuda"]
cache = "cold"
weight = 2.0
)toml";

// `text` with the first `from` replaced; a `from` that is not there is a mistake of the test.
inline std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  if (place == std::string::npos) throw Error(ErrorKind::internal, from, "is not in the text");
  return text.replace(place, from.size(), to);
}

// Files in memory.
class MemoryTree : public FileTree {
 public:
  explicit MemoryTree(std::map<std::string, Bytes> files = {}) : files_(std::move(files)) {}

  std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override {
    const auto found = files_.find(path);
    if (found == files_.end()) return std::nullopt;
    if (found->second.size() > max_bytes) throw Error(ErrorKind::usage, path, "is too large");
    return found->second;
  }
  std::vector<std::string> list(const std::string& folder) const override {
    std::vector<std::string> paths;
    for (const auto& [path, content] : files_) {
      if (folder.empty() || path.compare(0, folder.size() + 1, folder + "/") == 0) paths.push_back(path);
    }
    return paths;
  }
  std::string description() const override { return "the test's tree"; }

 private:
  std::map<std::string, Bytes> files_;
};

}  // namespace kgate::test
