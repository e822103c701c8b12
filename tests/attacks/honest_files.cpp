#include "tests/attacks/honest_files.h"

#include <fmt/format.h>

#include "base/npy.h"
#include "tests/attacks/signing.h"

namespace {

// The zone is wide: a busy machine answers too.
constexpr const char* kPolicy = R"toml(schema = "kgate.policy/1"
[zone]
tolerate = 0.5
block = 0.9
[numerics]
error_growth = 2.0
[budget]
seconds_per_case = 4
rounds = [2, 4]
[profile.pr]
compare = ["base", "accepted"]
block_on = ["change", "creep", "missing"]
[[override]]
kernels = ["tiny_*"]
zone = { tolerate = 9.0, block = 10.0 }
[[override]]
kernels = ["wide"]
zone = { absolute_us = 0.1 }
[threshold]
cases = 1
accept = 1
[[key]]
file = "keys/reviewer.pub.pem"
roles = ["cases"]
[[key]]
file = "keys/second_reviewer.pub.pem"
roles = ["cases"]
[[key]]
file = "keys/former_reviewer.pub.pem"
roles = ["cases"]
not_after = 2020-12-31
[[key]]
file = "keys/coming_reviewer.pub.pem"
roles = ["cases"]
not_before = 2999-01-01
[[key]]
file = "keys/approver.pub.pem"
roles = ["accept"]
[[key]]
file = "keys/former_approver.pub.pem"
roles = ["accept"]
not_after = 2020-06-30
[[key]]
file = "keys/historian.pub.pem"
roles = ["history"]
)toml";

constexpr const char* kKernel = R"toml(schema = "kgate.kernel/1"
kind = "cuda"
sources = ["{0}.cu"]
headers = ["../common/*.cuh"]
include_dirs = ["../common"]
[[launch]]
entry = "{0}"
grid = ["ceil_div(n, 64)", 1, 1]
block = [64, 1, 1]
)toml";

constexpr const char* kParams = R"toml(
[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]
[[param]]
name = "n"
kind = "scalar"
dtype = "i32"
value = "n"

[reference]
sources = ["reference.cu"]
headers = ["*.cuh", "../common/*.cuh"]
include_dirs = ["../common"]
entry = "reference"
grid = [1, 1, 1]
block = [1, 1, 1]
out_dtype = { y = "f64" }
)toml";

constexpr const char* kScaleCases = R"toml(schema = "kgate.cases/1"
kernel = "scale"
revision = {1}
{0}
[[case]]
name = "stored"
role = "correctness"
sizes = {{ n = 64 }}
inputs = {{ x = {{ file = "x.npy" }} }}
tolerance = {{ y = {{ rtol = {2} }} }}
[[case]]
name = "drawn"
role = "correctness"
sizes = {{ n = 4000 }}
inputs = {{ x = {{ normal = [0.0, 1.0] }} }}
seed = "fresh"
tolerance = {{ y = {{ rtol = {2} }} }}
)toml";

constexpr const char* kWideCases = R"toml(schema = "kgate.cases/1"
kernel = "wide"
revision = 1
{0}
[[case]]
name = "timed"
role = "performance"
sizes = {{ n = 20000 }}
inputs = {{ x = {{ normal = [0.0, 1.0] }} }}
seed = "fresh"
tolerance = {{ y = {{ rtol = 1e-3 }} }}
)toml";

constexpr const char* kReference = R"(#include "shapes.cuh"
#include "local.cuh"
__global__ void reference(double* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] / double(DIVISOR);
}
)";

constexpr const char* kWide = R"(__global__ void wide(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / 3.0f;
}
)";

// 64 numbers: 0, 0.25, 0.5 ...
std::string stored_input() {
  kgate::Tensor tensor{kgate::DType::f32, {64}, kgate::Bytes(64 * sizeof(float))};
  for (std::size_t i = 0; i < 64; ++i) reinterpret_cast<float*>(tensor.data.data())[i] = 0.25f * static_cast<float>(i);
  return std::string(kgate::text_of(kgate::write_npy(tensor)));
}

}  // namespace

const char* const kScale = R"(#include "shapes.cuh"
__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * (1.0f / DIVISOR);
}
)";

const char* const kCoarseScale = R"(__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 0.33335f;
}
)";

const char* const kSlowWide = R"(__global__ void wide(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (volatile int round = 0; i < n && round < 100; round = round + 1) y[i] = x[i] / 3.0f;
}
)";

std::string scale_cases(int revision) {
  return fmt::format(kScaleCases, kParams, revision, revision == 1 ? "1e-1" : "1e-3");
}

std::map<std::string, std::string> honest_files() {
  std::map<std::string, std::string> files{{".kgate/policy.toml", kPolicy},
                                           {"kernels/common/shapes.cuh", "#define DIVISOR 3.0f\n"}};
  const auto key = [&](const char* name, Who who) {
    files[std::string(".kgate/keys/") + name + ".pub.pem"] = key_of(who).public_key().pem();
  };
  key("reviewer", Who::reviewer);
  key("second_reviewer", Who::second_reviewer);
  key("former_reviewer", Who::former_reviewer);
  key("coming_reviewer", Who::coming_reviewer);
  key("approver", Who::approver);
  key("former_approver", Who::former_approver);
  key("historian", Who::historian);
  for (const std::string name : {"scale", "wide"}) {
    const std::string folder = "kernels/" + name + "/";
    files[folder + "kernel.toml"] = fmt::format(kKernel, name);
    files[folder + "reference.cu"] = kReference;
    files[folder + "local.cuh"] = "// nothing yet\n";
  }
  files["kernels/scale/scale.cu"] = kScale;
  files["kernels/scale/cases.toml"] = scale_cases(2);
  files["kernels/scale/x.npy"] = stored_input();
  files["kernels/wide/wide.cu"] = kWide;
  files["kernels/wide/cases.toml"] = fmt::format(kWideCases, kParams);
  return files;
}
