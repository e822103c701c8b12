#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/backend.h"
#include "tests/cuda/fake_backend.h"  // pointer(), scalar(), buffer(), read_floats() ...
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace kgate::test {

// The first GPU, with whatever NVRTC this machine has. Finds them without any path of the folder that the test was
// built in.
struct Gpu {
  std::unique_ptr<runner::Backend> backend;
  runner::DeviceInfo info;
  runner::ToolkitPaths toolkit;
  std::string why_not;  // empty: it can be used

  runner::Compiled compile(const std::string& text, const std::vector<std::string>& entries) const;
  // Compiles and loads; fails the test where either fails.
  runner::Loaded load(std::uint32_t arm, const std::string& text, const std::vector<std::string>& entries);
};
Gpu open_gpu();

}  // namespace kgate::test

#define KGATE_NEEDS_GPU(gpu)                      \
  kgate::test::Gpu gpu = kgate::test::open_gpu(); \
  if (!gpu.why_not.empty()) KGATE_SKIP(gpu.why_not.c_str())
