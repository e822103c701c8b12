#pragma once

#include <filesystem>

#include "base/file.h"
#include "base/process.h"
#include "base/unique_fd.h"

namespace kgate::runner {

// A private folder for what children put on disk. It goes with the object, and also where this process is killed and
// has no time to: a process that does nothing else (kgate-runner --sweep) waits for our end and removes the folder.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& runner);
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  // In this order: the sweeper is gone before the pipe closes, and its work is left to the folder's own end.
  TemporaryFolder folder_{"kgate"};
  UniqueFd alive_;  // closes with this process, however it ends
  Process sweeper_;
};

}  // namespace kgate::runner
