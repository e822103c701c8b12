#include "runner/child/sweep.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <unistd.h>

namespace kgate::runner {
namespace {

// The judge's other children die with it, but not before it: one may still write while this removes.
constexpr int kTries = 50;
constexpr std::chrono::milliseconds kPause(20);

}  // namespace

void sweep(int pipe, const std::filesystem::path& folder) {
  char nothing = 0;
  while (true) {
    const ssize_t got = ::read(pipe, &nothing, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  for (int i = 0; i < kTries; ++i) {
    std::error_code error;
    std::filesystem::remove_all(folder, error);  // a link is removed, not followed
    if (!std::filesystem::exists(std::filesystem::symlink_status(folder, error))) return;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace kgate::runner
