#include "gate/counters/command.h"

#include <fmt/format.h>

#include "gate/counters/counter.h"

namespace kgate::counters {

std::vector<std::string> launcher(const fingerprint::NsightCompute& program, const std::filesystem::path& log,
                                  bool cold) {
  return {program.path,
          // A file of that name in the working folder could name a library to be loaded into the child.
          "--config-file", "off", "--csv", "--page", "details", "--print-units", "base",
          // As the machine code has them: the only names that tell two entries apart for certain.
          "--print-kernel-base", "mangled", "--log-file", log.string(),
          // The runner starts no process.
          "--target-processes", "application-only", "--launch-count", fmt::to_string(kMostLaunches), "--cache-control",
          cold ? "all" : "none", "--clock-control", "none", "--metrics",
          fmt::format("{}", fmt::join(all_metrics(), ","))};
}

}  // namespace kgate::counters
