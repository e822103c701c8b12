#include "gate/scaffold/kernel_folder.h"

#include "gate/cases/case_spec.h"
#include "gate/cases/kernel_spec.h"
#include "gate/scaffold/policy_file.h"
#include "gate/trust/policy.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

std::string file(const std::vector<scaffold::NewFile>& files, const std::string& end) {
  for (const auto& one : files) {
    if (one.path.ends_with(end)) return one.content;
  }
  return "no such file";
}

std::vector<scaffold::NewFile> made_of(const std::string& source) {
  return scaffold::kernel_folder("kernels/k", scaffold::find_entries(source).front(), {"src/k.cu", {"common/a.cuh"}});
}

}  // namespace

TEST_CASE("of a kernel with one size everything but the reference is filled in, and can be read") {
  const auto files = made_of("__global__ void k(float* y, const int* x, double a, int n) {}");
  const auto cases = cases::parse_cases(file(files, "cases.toml"), "kernels/k/cases.toml");
  CHECK(cases.kernel == "k");
  CHECK(cases.params.size() == 4);
  CHECK(cases.cases.size() == 2);
  const auto spec = cases::parse_kernel(file(files, "kernel.toml"), "kernels/k/kernel.toml");
  CHECK(spec.sources.sources == std::vector<std::string>{"src/k.cu"});
  CHECK(spec.sources.headers == std::vector<std::string>{"src/common/a.cuh"});
  CHECK(file(files, "reference.cu")
            .find("#error \"write the reference of k, and take this line out\"\n"
                  "__global__ void k_reference(float* y, const int* x, double a, int n) {\n}\n") != std::string::npos);
}

TEST_CASE("what cannot be known is refused until somebody fills it in, with file and line") {
  const auto files = made_of("template <typename T> __global__ void k(T* y, int rows, int cols) {}");
  const auto message = error_of([&] { cases::parse_cases(file(files, "cases.toml"), "kernels/k/cases.toml"); });
  CHECK(message.find("kernels/k/cases.toml:10: param[0].dtype: \"FILL_IN\" is not one of ") != std::string::npos);
  CHECK(file(files, "kernel.toml").find("entry = \"k<FILL_IN>\"\n") != std::string::npos);
}

TEST_CASE("the sample kernel and the policy can be read as they stand") {
  const auto files = scaffold::sample_kernel();
  CHECK(cases::parse_cases(file(files, "cases.toml"), "cases.toml").cases.size() == 2);
  CHECK(cases::parse_kernel(file(files, "kernel.toml"), "kernels/saxpy/kernel.toml").sources.sources ==
        std::vector<std::string>{"kernels/saxpy/saxpy.cu"});
  const auto policy = trust::parse_policy(scaffold::policy_file().content, ".kgate/policy.toml");
  CHECK(policy.kernels == std::vector<std::string>{"kernels/**/kernel.toml"});
}
