#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "gate/lease/claim.h"

namespace kgate::lease {

// What who waits is told.
struct Waiting {
  std::string device;
  std::size_t place = 1;   // 1: next
  std::size_t length = 1;  // of the queue, with this one
  double waited_s = 0;
  // Who is waited for: the holder; where there is none at the moment, the one directly before; nobody: about to hold.
  std::optional<Claim> holder;
  bool holds = true;  // false: `holder` waits too
  std::string holder_ticket;
  std::string remark;  // why a lease of a parent process does not count; else empty
};

// "waiting for GPU-...: place 2 of 3, after 40 s; held by "make bench" of anna (process 71 on gpu-3) for 12 min".
std::string in_words(const Waiting& waiting);

// When to tell it: at once, after 10 s, after 30 s, then every minute; and when place or holder changed, but then at
// least 5 s after the last time.
class WaitRhythm {
 public:
  bool due(std::chrono::milliseconds waited, std::size_t place, const std::string& holder_ticket);

 private:
  bool told_ = false;
  std::chrono::milliseconds last_{0}, next_{0};
  std::size_t place_ = 0;
  std::string holder_;
};

}  // namespace kgate::lease
