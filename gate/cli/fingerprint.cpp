#include "fingerprint/fingerprint.h"

#include <iostream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "fingerprint/nvml.h"
#include "gate/cli/verbs.h"
#include "gate/report/report.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMaxFingerprint = 1u << 20;

Json read_recorded(const std::string& path) {
  Json recorded = parse_json(text_of(read_file(path, kMaxFingerprint)), path);
  for (const char* axis : {"driver", "toolkit", "device", "host"}) {
    if (!recorded.is_object() || !recorded.contains(axis) || !recorded[axis].is_object()) {
      throw Error(ErrorKind::usage, path, fmt::format("is no fingerprint: \"{}\" is missing", axis),
                  "give a fingerprint.json of a run, or what kgate fingerprint --format json printed");
    }
  }
  return recorded;
}

void print_axes(const Json& fingerprint) {
  for (const auto& [axis, fields] : fingerprint.items()) {
    if (!fields.is_object()) {
      std::cout << fmt::format("{}: {}\n", axis,
                               report::neutral(fields.is_string() ? fields.get<std::string>() : fields.dump()));
      continue;
    }
    std::cout << axis << '\n';
    for (const auto& [field, value] : fields.items()) {
      std::cout << fmt::format("  {:<24} {}\n", field,
                               report::neutral(value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
}

}  // namespace

ExitCode show_fingerprint(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.names.size() == 1 || arguments.names.size() > 2) {
    throw Error(ErrorKind::usage, "kgate fingerprint", fmt::format("got {} file(s)", arguments.names.size()),
                "give none to see this machine, or two recorded fingerprint.json to compare");
  }
  if (arguments.names.size() == 2) {
    const auto differences = fingerprint::compare(read_recorded(arguments.names[0]), read_recorded(arguments.names[1]));
    if (arguments.format == "json") {
      Json list = Json::array();
      for (const auto& one : differences) {
        list.push_back({{"axis", one.axis}, {"field", one.field}, {"before", one.before}, {"after", one.after}});
      }
      std::cout << list.dump(2) << '\n';
      return ExitCode::pass;
    }
    for (const auto& one : differences) {
      std::cout << report::neutral(fmt::format("{}.{}: {} -> {}", one.axis, one.field, one.before, one.after)) << '\n';
    }
    if (differences.empty()) std::cout << "no differences\n";
    return ExitCode::pass;
  }
  const bool use_gpu =
      arguments.backend == "cuda" || (arguments.backend == "auto" && fingerprint::nvidia_gpu_expected());
  const auto taken =
      fingerprint::take_fingerprint({arguments.device, use_gpu}, find_toolkit(arguments, invocation.surroundings));
  if (arguments.format == "json") {
    std::cout << taken.dump(2) << '\n';
  } else {
    print_axes(taken);
    std::cout << fmt::format("class {}\n", fingerprint::class_of(taken));
  }
  return ExitCode::pass;
}

}  // namespace kgate::cli
