#pragma once

#include <cstring>
#include <memory>

#include "runner/cuda/backend.h"
#include "tests/cuda/fake_driver.h"

// The backend over the fake driver, and what most of these tests need: one kernel that scales, on an input and an
// output.
namespace kgate::test {

inline std::unique_ptr<runner::Backend> backend_over(FakeDriver& fake, const std::string& device = "") {
  return runner::cuda::make_backend({device, 0}, [&fake] { return fake.table(); });
}

inline runner::Argument pointer(std::uint32_t buffer) {
  return {buffer, {}};
}

template <typename T>
runner::Argument scalar(T value) {
  runner::Argument argument;
  argument.scalar.resize(sizeof value);
  std::memcpy(argument.scalar.data(), &value, sizeof value);
  return argument;
}

template <typename T>
T parameter(void** parameters, std::size_t index) {
  T value{};
  std::memcpy(&value, parameters[index], sizeof value);
  return value;
}

inline runner::Buffer buffer(const std::string& name, runner::BufferRole role, std::uint64_t bytes,
                             bool zeroed = false) {
  runner::Buffer made;
  made.name = name;
  made.role = role;
  made.bytes = bytes;
  made.zeroed = zeroed;
  return made;
}

// y[i] = factor * x[i] for n elements: scale(y, x, n, factor)
inline FakeKernel scale_kernel(double us = 5) {
  FakeKernel kernel;
  kernel.parameters = {8, 8, 4, 4};
  kernel.us = us;
  kernel.action = [](void** p) {
    auto* y = reinterpret_cast<float*>(parameter<std::uint64_t>(p, 0));
    const auto* x = reinterpret_cast<const float*>(parameter<std::uint64_t>(p, 1));
    for (int i = 0; i < parameter<int>(p, 2); ++i) y[i] = parameter<float>(p, 3) * x[i];
  };
  return kernel;
}

inline runner::Launch scale_launch(int n, float factor) {
  runner::Launch launch;
  launch.entry = "scale";
  launch.block = {128, 1, 1};
  launch.arguments = {pointer(0), pointer(1), scalar(n), scalar(factor)};
  return launch;
}

inline runner::Allocation scale_buffers(std::uint64_t bytes, std::uint64_t pool_bytes) {
  return {{buffer("y", runner::BufferRole::output, bytes), buffer("x", runner::BufferRole::input, bytes)}, pool_bytes};
}

inline void load_all(runner::Backend& backend, const FakeDriver& fake, std::uint32_t arm = 0) {
  runner::LoadJob job;
  job.arm = arm;
  job.code = bytes_of("cubin");
  for (const auto& [name, kernel] : fake.kernels) job.symbols[name] = name;
  backend.load(job);
}

inline void write_floats(runner::Backend& backend, std::uint32_t buffer, const std::vector<float>& values,
                         std::uint32_t variant = 0) {
  const auto bytes = std::as_bytes(std::span(values));
  backend.write({buffer, runner::kGuardBytes, bytes.size(), variant}, bytes);
}

inline std::vector<float> read_floats(runner::Backend& backend, std::uint32_t buffer, std::size_t count) {
  std::vector<float> values(count);
  const auto bytes = std::as_writable_bytes(std::span(values));
  backend.read({buffer, runner::kGuardBytes, bytes.size()}, bytes);
  return values;
}

}  // namespace kgate::test
