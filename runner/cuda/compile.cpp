#include "runner/cuda/compile.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "runner/cuda/compile_log.h"
#include "runner/cuda/nvrtc.h"
#include "runner/cuda/stage.h"
#include "runner/includes.h"

namespace kgate::runner::cuda {
namespace {

constexpr const char* kProgramName = "kgate.cu";
constexpr const char* kNoCache = "--no-cache";

// "sm_90a" -> 90. A real architecture, so that NVRTC makes a cubin and the driver compiles nothing behind our back.
int architecture_number(const std::string& architecture) {
  constexpr std::string_view kPrefix = "sm_";
  std::string digits = architecture.substr(0, kPrefix.size()) == kPrefix ? architecture.substr(kPrefix.size()) : "";
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) digits.pop_back();
  const bool number = !digits.empty() && digits.size() <= 4 &&
                      std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!number) {
    throw Error(ErrorKind::usage, "architecture \"" + architecture + "\"", "is not one of NVIDIA's real architectures",
                "write it like sm_90 or sm_90a");
  }
  return std::stoi(digits);
}

void check_architecture(const Nvrtc& nvrtc, const std::string& architecture) {
  const int number = architecture_number(architecture);
  const std::vector<int> known = nvrtc.architectures();
  if (known.empty() || std::find(known.begin(), known.end(), number) != known.end()) return;
  const auto [oldest, newest] = std::minmax_element(known.begin(), known.end());
  const char* remedy = number > *newest   ? "install a newer CUDA toolkit, or correct arch in kernel.toml"
                       : number < *oldest ? "install an older CUDA toolkit: newer ones have dropped this architecture"
                                          : "correct arch in kernel.toml";
  throw Error(ErrorKind::environment, nvrtc.name(),
              fmt::format("does not compile for {}; it knows sm_{} to sm_{}", architecture, *oldest, *newest), remedy);
}

Nvrtc::Input make_input(const CompileJob& job, const Stage& stage) {
  Nvrtc::Input input;
  input.name = kProgramName;
  // In angle brackets: quotes would look in the working folder first, and that may be the candidate's.
  for (const std::string& source : job.sources) input.text += "#include <" + source + ">\n";

  input.options = {"--gpu-architecture=" + job.architecture, "--std=" + job.standard};
  for (const auto& [name, value] : job.defines) input.options.push_back("-D" + name + "=" + value);
  input.options.push_back("-I" + stage.root());
  for (const std::string& folder : job.include_dirs) input.options.push_back("-I" + stage.path(folder));
  for (const std::string& folder : job.toolkit.include_dirs) input.options.push_back("-I" + folder);
  input.options.insert(input.options.end(), job.options.begin(), job.options.end());

  const std::set<std::string> entries(job.entries.begin(), job.entries.end());
  input.name_expressions.assign(entries.begin(), entries.end());
  return input;
}

// The numbers that NVRTC lists say nothing of the letters: NVRTC 11.8 lists 90 and does not know sm_90a.
void check_accepted(const Nvrtc& nvrtc, const Nvrtc::Output& output, const std::string& architecture) {
  if (output.result != NVRTC_ERROR_INVALID_OPTION || output.log.find("--gpu-architecture") == std::string::npos) return;
  throw Error(ErrorKind::environment, nvrtc.name(), "does not compile for " + architecture,
              "install a newer CUDA toolkit, or correct arch in kernel.toml");
}

// NVRTC keeps a cache on disk from some version of CUDA 12 on; kgate has its own, and a hit there leaves the log empty.
Nvrtc::Output compile_uncached(const Nvrtc& nvrtc, const Nvrtc::Input& input) {
  if (nvrtc.major() >= 12) {
    Nvrtc::Input uncached = input;
    uncached.options.insert(uncached.options.begin(), kNoCache);
    Nvrtc::Output output = nvrtc.compile(uncached);
    const bool unknown = output.result == NVRTC_ERROR_INVALID_OPTION && output.log.find(kNoCache) != std::string::npos;
    if (!unknown) return output;
  }
  return nvrtc.compile(input);
}

}  // namespace

Compiled compile(const CompileJob& job) {
  const Nvrtc nvrtc(job.toolkit.nvrtc);
  check_architecture(nvrtc, job.architecture);

  Compiled compiled;
  std::vector<std::string> folders{""};
  folders.insert(folders.end(), job.include_dirs.begin(), job.include_dirs.end());
  compiled.log = refused_includes(job.files, folders);
  if (!compiled.log.empty()) return compiled;

  const Stage stage(job.files);
  const Nvrtc::Input input = make_input(job, stage);
  Nvrtc::Output output = compile_uncached(nvrtc, input);
  check_accepted(nvrtc, output, job.architecture);
  CleanLog log = clean_log(output.log, stage.root(), input.name_expressions);
  compiled.log = std::move(log.text);
  compiled.warnings = log.warnings;
  if (output.result != NVRTC_SUCCESS) {
    if (compiled.log.empty()) compiled.log = "the compiler failed without a word\n";
    return compiled;
  }
  compiled.status = Compiled::Status::ok;
  compiled.code = std::move(output.cubin);
  for (std::size_t i = 0; i < output.symbols.size(); ++i)
    compiled.symbols[input.name_expressions[i]] = output.symbols[i];
  return compiled;
}

}  // namespace kgate::runner::cuda
