#include "runner/host/unit.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/file_tree.h"
#include "runner/host/dependencies.h"

namespace kgate::runner::host {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// nvcc's and NVRTC's options that have nothing to say to a CPU: they tune or describe machine code for a GPU. A name
// that ends in '=' takes its value after it; one listed in `with_value` may also have it as the next word.
bool means_nothing_here(const std::string& option) {
  static constexpr std::array<std::string_view, 22> known{"-lineinfo",
                                                          "--generate-line-info",
                                                          "-G",
                                                          "--device-debug",
                                                          "--maxrregcount",
                                                          "-maxrregcount",
                                                          "--ftz",
                                                          "-ftz",
                                                          "--prec-div",
                                                          "-prec-div",
                                                          "--prec-sqrt",
                                                          "-prec-sqrt",
                                                          "--fmad",
                                                          "-fmad",
                                                          "-Xptxas",
                                                          "--ptxas-options",
                                                          "--dopt",
                                                          "-dopt",
                                                          "--gpu-architecture",
                                                          "-arch",
                                                          "--extra-device-vectorization",
                                                          "-extra-device-vectorization"};
  const std::string name = option.substr(0, option.find('='));
  return std::find(known.begin(), known.end(), name) != known.end();
}

bool value_may_follow(const std::string& option) {
  static constexpr std::array<std::string_view, 6> known{"--maxrregcount",  "-maxrregcount",      "-Xptxas",
                                                         "--ptxas-options", "--gpu-architecture", "-arch"};
  return std::find(known.begin(), known.end(), option) != known.end();
}

void add_option(const std::vector<std::string>& options, std::size_t& i, CommandLine& line) {
  const std::string& option = options[i];
  const bool has_next = i + 1 < options.size();
  if ((option == "-D" || option == "--define-macro" || option == "-U" || option == "--undefine-macro") && has_next) {
    line.command.push_back((option == "-D" || option == "--define-macro" ? "-D" : "-U") + options[++i]);
  } else if (starts_with(option, "-D") || starts_with(option, "-U")) {
    line.command.push_back(option);
  } else if (starts_with(option, "--define-macro=")) {
    line.command.push_back("-D" + option.substr(15));
  } else if (starts_with(option, "--undefine-macro=")) {
    line.command.push_back("-U" + option.substr(17));
  } else if (option == "--use_fast_math" || option == "-use_fast_math") {
    // The CPU's exact functions are within the tolerance of the fast ones; only what a source can ask about changes.
    line.command.emplace_back("-D__USE_FAST_MATH__=1");
  } else if (means_nothing_here(option)) {
    if (value_may_follow(option) && has_next && !starts_with(options[i + 1], "-")) ++i;
  } else {
    line.notes.push_back(fmt::format("host backend: option \"{}\" has no meaning here and is ignored", option));
  }
}

}  // namespace

std::string entry_symbol(std::size_t index) {
  return fmt::format("kgate_entry_{}", index);
}
std::string entry_file(std::size_t index) {
  return fmt::format("kgate-entry-{}", index);
}

std::string unit_text(const CompileJob& job) {
  std::string text = fmt::format("#include \"{}/kgate_host.cuh\"\n", kHeaderFolder);
  // Read through includes, not pasted: an #include "x" inside a source resolves beside that source.
  for (const std::string& source : job.sources) text += fmt::format("#include \"{}\"\n", source);
  for (std::size_t i = 0; i < job.entries.size(); ++i) {
    text += fmt::format("#line 1 \"{}\"\nKGATE_HOST_ENTRY({}, {})\n", entry_file(i), entry_symbol(i), job.entries[i]);
  }
  return text;
}

CommandLine command_line(const CompileJob& job) {
  CommandLine line;
  line.command = {job.toolkit.host_compiler, "-x", "c++", "-std=" + job.standard, "-O2",
                  // No -march: the object runs on, and is the same on, every machine of its kind.
                  // What nvcc's users may rely on and the C++ standard does not promise: type punning through pointers,
                  // wrapping integers.
                  "-fno-strict-aliasing", "-fwrapv",
                  // Device code has no errno, no floating-point traps and no exceptions; results must not depend on
                  // which multiplications are fused.
                  "-fno-math-errno", "-fno-trapping-math", "-fno-exceptions", "-ffp-contract=off",
                  // One shared object, from which only the entries can be seen, and nothing of the unused functions.
                  "-shared", "-fPIC", "-pthread", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections",
                  "-Wl,--gc-sections", "-Wl,-z,defs",
                  // The same bytes for the same code, whatever its files and comments are. Its symbols stay: gate/lint
                  // finds the variables by them.
                  "-Wl,--strip-debug", "-g0", "-Wl,--build-id=none", "-frandom-seed=kgate", "-Wdate-time",
                  "-Werror=date-time", "-fdiagnostics-color=never", "-isystem", kHeaderFolder};
  for (const std::string& folder : job.include_dirs) line.command.push_back("-I" + (folder.empty() ? "." : folder));
  for (const auto& [name, value] : job.defines) line.command.push_back(fmt::format("-D{}={}", name, value));
  for (std::size_t i = 0; i < job.options.size(); ++i) add_option(job.options, i, line);
  line.command.insert(line.command.end(), {"-MD", "-MF", kDependencies, "-MT", "unit", "-o", kObjectName, kUnitName});
  return line;
}

}  // namespace kgate::runner::host
