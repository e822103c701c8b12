#include "tests/cuda/gpu.h"

#include <cstdlib>

#include "base/error.h"
#include "fingerprint/toolkit.h"

namespace kgate::test {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

Gpu open_gpu() {
  Gpu gpu;
  gpu.backend = runner::make_cuda_backend({});
  try {
    gpu.info = gpu.backend->probe();
  } catch (const Error& error) {
    gpu.why_not = std::string("no usable GPU: ") + error.what();
    return gpu;
  }
  const auto toolkit = fingerprint::find_toolkit({variable("CUDA_HOME"), "", variable("LD_LIBRARY_PATH")});
  gpu.toolkit = {toolkit.nvrtc, toolkit.include_dirs, ""};
  // A machine with a GPU and without NVRTC fails the tests: it must not look as if they had been skipped for good
  // reasons.
  return gpu;
}

runner::Compiled Gpu::compile(const std::string& text, const std::vector<std::string>& entries) const {
  runner::CompileJob job;
  job.backend = "cuda";
  job.files = {{"k.cu", bytes_of(text)}};
  job.sources = {"k.cu"};
  job.entries = entries;
  job.architecture = info.architecture;
  job.toolkit = toolkit;
  return backend->compile(job);
}

runner::Loaded Gpu::load(std::uint32_t arm, const std::string& text, const std::vector<std::string>& entries) {
  const runner::Compiled compiled = compile(text, entries);
  INFO(compiled.log);
  REQUIRE(compiled.status == runner::Compiled::Status::ok);
  return backend->load({arm, compiled.code, compiled.symbols});
}

}  // namespace kgate::test
