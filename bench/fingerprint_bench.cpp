// How long a fingerprint takes, beside NVML's own start: kgate promises 60 ms.
//
//   bench_fingerprint [TOOLKIT]
//
// Every part is timed once in a fresh process, as a run pays it. NVML is started first and stays up, so that the last
// line's fingerprint starts it a second time, from memory. On a machine without a GPU the parts that need none are
// timed.
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/error.h"
#include "fingerprint/fingerprint.h"
#include "fingerprint/gpu_fields.h"
#include "fingerprint/host.h"
#include "fingerprint/nvrtc_file.h"

using namespace kgate;
using namespace kgate::fingerprint;

namespace {

template <typename Action>
auto timed(const char* what, Action&& action) {
  const auto start = std::chrono::steady_clock::now();
  auto result = action();
  const auto spent = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start);
  std::printf("%-44s %8.2f ms\n", what, spent.count());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string why_not;
    const auto nvml = timed("NVML's start", [&] { return Nvml::open(&why_not); });
    if (nvml) {
      const auto choice = timed("which GPU", [&] { return choose_gpu(*nvml, ""); });
      timed("device", [&] { return gpu_fields(*nvml, choice, "/"); });
      timed("state", [&] { return state_fields(*nvml, choice); });
    } else {
      std::printf("no GPU: %s\n", why_not.c_str());
    }
    ToolkitSearch search;
    if (argc > 1) search.cuda_home = argv[1];
    const auto toolkit = timed("the toolkit, with the compiler's --version", [&] { return find_toolkit(search); });
    timed("what NVRTC's file tells", [&] { return read_nvrtc_file(toolkit.nvrtc); });
    timed("host", [] { return describe_host("/"); });
    FingerprintOptions options;
    options.use_gpu = nvml != nullptr;
    timed("the whole once more", [&] { return take_fingerprint(options, toolkit); });
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_fingerprint: %s\n", error.what());
    return 1;
  }
  return 0;
}
