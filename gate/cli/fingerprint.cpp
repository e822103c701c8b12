#include "fingerprint/fingerprint.h"

#include <iostream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "fingerprint/comparison.h"
#include "fingerprint/nvml.h"
#include "gate/cli/verbs.h"
#include "gate/report/report.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMaxFingerprint = 1u << 20;

Json read_recorded(const std::string& path) {
  return fingerprint::read_fingerprint(text_of(read_file(path, kMaxFingerprint)), path);
}

ExitCode show_differences(const std::string& before, const std::string& after, bool json) {
  const auto comparison = fingerprint::compare(read_recorded(before), read_recorded(after));
  if (json) {
    std::cout << json_of(comparison).dump(2) << '\n';
  } else {
    for (const auto& line : lines_of(comparison)) std::cout << report::neutral(line) << '\n';
  }
  return ExitCode::pass;
}

std::string text_of_value(const Json& value) {
  return report::neutral(value.is_string() ? value.get<std::string>() : value.dump());
}

// The axes first, then what is about the whole of it.
void print_axes(const Json& fingerprint) {
  for (const auto& [axis, fields] : fingerprint.items()) {
    if (!fields.is_object()) continue;
    std::cout << axis << '\n';
    for (const auto& [field, value] : fields.items())
      std::cout << fmt::format("  {:<36} {}\n", field, text_of_value(value));
    if (fields.empty()) std::cout << "  nothing\n";
  }
  std::cout << fmt::format("class {}\n", text_of_value(fingerprint["class"]));
}

}  // namespace

ExitCode show_fingerprint(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.names.size() == 1 || arguments.names.size() > 2) {
    throw Error(ErrorKind::usage, "kgate fingerprint", fmt::format("got {} file(s)", arguments.names.size()),
                "give none to see this machine, or two recorded fingerprint.json or result.json to compare");
  }
  const bool json = arguments.format == "json";
  if (arguments.names.size() == 2) return show_differences(arguments.names[0], arguments.names[1], json);
  const bool use_gpu =
      arguments.backend == "cuda" || (arguments.backend == "auto" && fingerprint::nvidia_gpu_expected());
  auto taken = fingerprint::take_fingerprint({arguments.device, use_gpu, invocation.surroundings.environment},
                                             find_toolkit(arguments, invocation.surroundings));
  taken["class"] = fingerprint::class_of(taken);
  if (json) {
    std::cout << taken.dump(2) << '\n';
  } else {
    print_axes(taken);
  }
  return ExitCode::pass;
}

}  // namespace kgate::cli
