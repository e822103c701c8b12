#include "tests/host/host_fixture.h"

#include <filesystem>
#include <stdexcept>

namespace kgate::runner {

std::string host_compiler() {
  for (const char* path : {"/usr/bin/g++", "/usr/bin/c++", "/usr/bin/clang++"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

CompileJob compile_job(const std::string& source, const std::vector<std::string>& entries) {
  CompileJob job;
  job.backend = "host";
  job.files["kernels/k.cu"] = bytes_of(source);
  job.sources = {"kernels/k.cu"};
  job.entries = entries;
  job.toolkit.host_compiler = host_compiler();
  return job;
}

Host::Host(std::uint32_t threads) : backend(make_host_backend({"", threads})) {}

Loaded Host::load(const std::string& source, const std::vector<std::string>& entries, std::uint32_t arm) {
  return load(compile_job(source, entries), arm);
}

Loaded Host::load(const CompileJob& job, std::uint32_t arm) {
  const Compiled compiled = backend->compile(job);
  if (compiled.status != Compiled::Status::ok) throw std::runtime_error(compiled.log);
  return backend->load({arm, compiled.code, compiled.symbols});
}

std::uint64_t Host::allocate(std::uint64_t pool_bytes) {
  const std::uint64_t pool = backend->allocate({buffers_, pool_bytes});
  for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
    if (!contents_[i].empty()) backend->write({i, kGuardBytes, contents_[i].size()}, contents_[i]);
  }
  return pool;
}

RunOutcome Host::run(const Launch& launch, std::uint32_t arm) {
  return backend->run({arm, {launch}});
}

Launch launch_of(const std::string& entry, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                 std::vector<Argument> arguments, std::uint32_t shared_bytes) {
  Launch launch;
  launch.entry = entry;
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.arguments = std::move(arguments);
  return launch;
}

}  // namespace kgate::runner
