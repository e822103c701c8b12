#include "gate/sanitize/command.h"

namespace kgate::sanitize {

const std::vector<std::string>& tools() {
  static const std::vector<std::string> all{"memcheck", "synccheck", "initcheck", "racecheck"};
  return all;
}

std::vector<std::string> launcher(const fingerprint::ComputeSanitizer& program, const std::string& tool,
                                  const std::filesystem::path& log) {
  std::vector<std::string> command{program.path, "--tool", tool, "--log-file", log.string(),
                                   // The runner starts no process, and its stack is nobody's news.
                                   "--target-processes", "application-only", "--show-backtrace", "device",
                                   // It opens the GPU when it is first asked to, not at once.
                                   "--launch-timeout", "120"};
  // Names as the machine code has them: from the repository's root.
  if (program.strips_paths) command.insert(command.end(), {"--strip-paths", "no"});
  if (tool == "memcheck") {
    // kgate asks the driver what it can do by calls that may fail. A gap after each buffer, so that one's overrun is
    // not another's content.
    command.insert(command.end(), {"--report-api-errors", "no", "--padding", "512"});
  }
  return command;
}

}  // namespace kgate::sanitize
