#include "tests/sandbox/sandbox_fixture.h"

#include <cstring>
#include <filesystem>

namespace kgate::runner {

std::string compiler_path() {
  for (const char* path : {"/usr/bin/g++", "/usr/bin/c++", "/usr/bin/clang++"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

ClientOptions measuring_child(SandboxLevel most) {
  ClientOptions options;
  options.runner = KGATE_RUNNER;
  options.backend = "host";
  options.threads = 2;
  options.sandbox.most = most;
  return options;
}

ClientOptions compiling_child(SandboxLevel most) {
  ClientOptions options = measuring_child(most);
  options.compiles = ToolkitPaths{{}, {}, compiler_path()};
  return options;
}

SandboxLevel best_level() {
  Client child(measuring_child());
  child.probe(kLimit);
  return child.sandbox().level;
}

bool relaxed() {
  Client child(measuring_child());
  child.probe(kLimit);
  return !child.sandbox().relaxed.empty();
}

CompileJob job_of(const std::string& source) {
  CompileJob job;
  job.backend = "host";
  job.files["kernels/k.cu"] = bytes_of(source);
  job.sources = {"kernels/k.cu"};
  job.entries = {"k"};
  job.toolkit.host_compiler = compiler_path();
  return job;
}

CompileJob unscanned(CompileJob job) {
  const std::string text(text_of(job.files.at("kernels/k.cu")));
  const bool host = job.backend == "host";
  job.files = {{"kernels/none.cu", {}}};
  job.sources = {std::string("kernels/none.cu") + (host ? "\"" : ">") + "\n" + text + "\n#include " +
                 (host ? "\"" : "<") + "kernels/none.cu"};
  return job;
}

Ran run_kernel(const std::string& source, SandboxLevel most) {
  Client compiler(compiling_child(most));
  const Compiled compiled = compiler.compile(job_of(source), kLimit);
  if (compiled.status != Compiled::Status::ok) return {{}, compiled.log};
  Client child(measuring_child(most));
  const Loaded loaded = child.load({0, compiled.code, compiled.symbols}, kLimit);
  if (!loaded.outcome.ok) return {{}, loaded.outcome.fault};
  child.allocate({{{"y", BufferRole::output, DType::i32, 16 * sizeof(int), true}}, 0}, kLimit);
  Launch launch;
  launch.entry = "k";
  Argument y;
  y.buffer = 0;
  launch.arguments = {y};
  const RunReport report = child.run({0, {launch}}, 0xff, kLimit);
  if (!report.outcome.ok) return {{}, report.outcome.fault};
  const SharedMemory content = child.read(0, kLimit);
  Ran ran;
  ran.y.resize(16);
  std::memcpy(ran.y.data(), content.bytes().data(), content.size());
  return ran;
}

Secret::Secret() {
  write_file_atomic(path(), std::string_view(content_ + "\n"));
}

}  // namespace kgate::runner
