#include "runner/scratch.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace kgate::runner {

Scratch::Scratch(const std::filesystem::path& runner) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("pipe", "cannot be made", errno);
  const UniqueFd theirs(ends[0]);
  alive_ = UniqueFd(ends[1]);
  ProcessOptions options;
  options.command = {runner.string(), "--sweep", folder_.path().string()};
  options.descriptors = {{theirs.get(), 3}};
  options.dies_with_parent = false;
  sweeper_ = Process::start(options);
}

}  // namespace kgate::runner
