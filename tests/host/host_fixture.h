#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runner/backend.h"

// A host backend with one kernel, as a judge would use it, in few words.
namespace kgate::runner {

// The C++ compiler of this machine; empty where there is none.
std::string host_compiler();

CompileJob compile_job(const std::string& source, const std::vector<std::string>& entries);

template <typename T>
Bytes bytes_from(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
Argument scalar(T value) {
  return {std::nullopt, bytes_from(std::vector<T>{value})};
}
inline Argument buffer(std::uint32_t index) {
  return {index, {}};
}

class Host {
 public:
  explicit Host(std::uint32_t threads = 2);

  // Compiles and loads as arm `arm`; throws std::runtime_error with the log where that fails.
  Loaded load(const std::string& source, const std::vector<std::string>& entries, std::uint32_t arm = 0);
  Loaded load(const CompileJob& job, std::uint32_t arm = 0);

  // A buffer with this content; allocate() makes them all.
  template <typename T>
  void add(const std::string& name, BufferRole role, const std::vector<T>& values) {
    buffers_.push_back({name, role, DType::f32, values.size() * sizeof(T), false});
    contents_.push_back(bytes_from(values));
  }
  // A further content of a buffer, after allocate().
  template <typename T>
  void write(std::uint32_t index, std::uint32_t variant, const std::vector<T>& values) {
    backend->write({index, kGuardBytes, buffers_[index].bytes, variant}, bytes_from(values));
  }
  Buffer& last() { return buffers_.back(); }
  std::uint64_t allocate(std::uint64_t pool_bytes = 0);

  RunOutcome run(const Launch& launch, std::uint32_t arm = 0);
  template <typename T>
  std::vector<T> read(std::uint32_t index) {
    std::vector<T> values(buffers_[index].bytes / sizeof(T));
    backend->read({index, kGuardBytes, buffers_[index].bytes}, std::as_writable_bytes(std::span<T>(values)));
    return values;
  }

  std::unique_ptr<Backend> backend;

 private:
  std::vector<Buffer> buffers_;
  std::vector<Bytes> contents_;
};

Launch launch_of(const std::string& entry, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                 std::vector<Argument> arguments, std::uint32_t shared_bytes = 0);

}  // namespace kgate::runner
