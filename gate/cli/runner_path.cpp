#include "gate/cli/runner_path.h"

#include "base/error.h"

namespace kgate::cli {

std::filesystem::path runner_path() {
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kgate-runner";
  if (!std::filesystem::exists(beside)) {
    throw Error(ErrorKind::environment, beside.string(), "is missing",
                "install kgate and kgate-runner into one folder");
  }
  return beside;
}

}  // namespace kgate::cli
