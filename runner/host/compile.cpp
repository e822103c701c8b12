#include "runner/host/compile.h"

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "runner/host/dependencies.h"
#include "runner/host/diagnostics.h"
#include "runner/host/embedded_headers.h"
#include "runner/host/rewrite.h"
#include "runner/host/unit.h"
#include "runner/includes.h"

namespace kgate::runner::host {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kDeadline{120};
constexpr std::uint64_t kMaxObject = std::uint64_t{256} << 20, kMaxList = 16u << 20;

// Headers of the toolkit whose content kgate_host.cuh already is.
constexpr std::array<const char*, 12> kStandIns{"assert.h",           "cuda_runtime.h",
                                                "cuda_runtime_api.h", "device_launch_parameters.h",
                                                "vector_types.h",     "vector_functions.h",
                                                "math_constants.h",   "math_functions.h",
                                                "device_functions.h", "device_atomic_functions.h",
                                                "sm_30_intrinsics.h", "builtin_types.h"};

// Not base/file's atomic writer: nobody else looks, and a sync a file costs more than the compile.
void write_plain(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw system_error(path.string(), "cannot write the compiler's input", errno);
}

// Answers with what is unsupported, where the text alone shows it.
std::optional<std::string> stage(const CompileJob& job, const fs::path& folder) {
  for (const auto& [path, content] : job.files) {
    const Rewritten rewritten = rewrite_cuda(text_of(content));
    if (!rewritten.unknown_extern_shared.empty()) {
      return fmt::format(
          "{}:{}: this form of extern __shared__ declaration is beyond the host backend; declare one array, as in "
          "\"extern __shared__ float name[];\"",
          path, rewritten.unknown_extern_shared.front());
    }
    write_plain(folder / path, rewritten.text);
  }
  for (const auto& [name, text] : embedded_headers()) write_plain(folder / kHeaderFolder / name, text);
  for (const char* name : kStandIns) write_plain(folder / kHeaderFolder / name, "// kgate_host.cuh has it all\n");
  for (const std::string& include : job.include_dirs) fs::create_directories(folder / include);
  write_plain(folder / kUnitName, unit_text(job));
  return std::nullopt;
}

CommandResult run_compiler(const CommandLine& line, const fs::path& folder) {
  ProcessOptions options;
  options.command = line.command;
  options.folder = folder;
  // In the child's own group: when the judge kills the child at its deadline, the compiler goes with it, and all that
  // it started.
  options.own_group = false;
  options.environment = {
      {"LC_ALL", "C"}, {"PATH", options.search_path}, {"TMPDIR", folder.string()}, {"CCACHE_DISABLE", "1"}};
  CommandLimits limits;
  limits.deadline = kDeadline;
  return run_command(options, limits);
}

std::string with_notes(const CommandLine& line, const std::string& log) {
  std::string notes;
  for (const std::string& note : line.notes) notes += note + "\n";
  return notes + log;
}

// Turns the name that stands for an entry's descriptor into words.
std::string name_entries(const CompileJob& job, std::string log) {
  for (std::size_t i = job.entries.size(); i-- > 0;) {
    const std::string place = entry_file(i) + ":1:";
    for (std::size_t at = log.find(place); at != std::string::npos; at = log.find(place, at + 1)) {
      std::size_t end = at + place.size();
      while (end < log.size() && (std::isdigit(static_cast<unsigned char>(log[end])) != 0 || log[end] == ':')) ++end;
      log.replace(at, end - at, fmt::format("entry \"{}\":", job.entries[i]));
    }
  }
  return log;
}

Compiled failure(const CompileJob& job, const CommandLine& line, const CommandResult& result) {
  Compiled compiled;
  const std::string log = user_log(result.output);
  if (const auto header = broken_compiler(log)) {
    throw Error(ErrorKind::environment, "host backend",
                fmt::format("the C++ compiler {} lacks the standard header {}", job.toolkit.host_compiler, *header),
                "install the C++ library's headers (apt install g++), or set CXX");
  }
  if (const auto unsupported = unsupported_feature(job, log)) {
    compiled.status = Compiled::Status::unsupported;
    compiled.log = *unsupported;
  } else if (result.timed_out) {
    compiled.log = fmt::format("the compiler did not end within {} s", kDeadline.count());
  } else if (const auto entry = entry_error(job, log)) {
    compiled.log = *entry;
  } else if (result.status.signal != 0) {
    compiled.log = with_notes(line, log + fmt::format("the compiler was ended by signal {}", result.status.signal));
  } else {
    compiled.log = with_notes(line, name_entries(job, without_consequences(log)));
  }
  return compiled;
}

}  // namespace

Compiled compile(const CompileJob& job) {
  if (job.toolkit.host_compiler.empty()) {
    throw Error(ErrorKind::environment, "host backend", "no C++ compiler found",
                "install g++ (apt install g++), or set CXX");
  }
  const TemporaryFolder folder("kgate-host-");
  Compiled compiled;
  compiled.log = refused_includes(job.files, job.include_dirs);
  if (!compiled.log.empty()) return compiled;
  if (const auto unsupported = stage(job, folder.path())) {
    compiled.status = Compiled::Status::unsupported;
    compiled.log = *unsupported;
    return compiled;
  }
  const CommandLine line = command_line(job);
  const CommandResult result = run_compiler(line, folder.path());
  // Before its words are told: they may quote what it read.
  const fs::path read = folder.path() / kDependencies;
  if (fs::exists(read)) compiled.log = undeclared(job, text_of(read_file(read, kMaxList)));
  if (!compiled.log.empty()) return compiled;
  if (!result.status.ok() || result.timed_out) return failure(job, line, result);

  compiled.status = Compiled::Status::ok;
  compiled.log = with_notes(line, name_entries(job, user_log(result.output)));
  compiled.warnings = count_warnings(result.output);
  compiled.code = read_file(folder.path() / kObjectName, kMaxObject);
  for (std::size_t i = 0; i < job.entries.size(); ++i) compiled.symbols[job.entries[i]] = entry_symbol(i);
  return compiled;
}

}  // namespace kgate::runner::host
