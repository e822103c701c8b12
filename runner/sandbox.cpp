#include "runner/sandbox.h"

#include <array>

#include <fmt/format.h>

namespace kgate::runner {
namespace {

constexpr std::array<const char*, 3> kNames{"none", "seccomp", "landlock"};

}  // namespace

const char* name_of(SandboxLevel level) {
  return kNames.at(static_cast<std::size_t>(level));
}

SandboxLevel sandbox_level_from_name(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<SandboxLevel>(i);
  }
  throw Error(ErrorKind::usage, fmt::format("sandbox \"{}\"", name), "is no level", "use none, seccomp or landlock");
}

Error weaker_sandbox(const SandboxReport& report, SandboxLevel least) {
  std::string fact = fmt::format("weaker than required: [environment] sandbox = \"{}\"", name_of(least));
  if (!report.note.empty()) fact += "; " + report.note;
  return {ErrorKind::environment, fmt::format("sandbox {}", name_of(report.level)), fact,
          "use a runner whose kernel has it; kgate doctor --sandbox shows what holds here"};
}

}  // namespace kgate::runner
