#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kgate::lease {

// Who goes first; within one, who came first.
enum class Priority { release, pull_request, nightly, search };
constexpr std::array<const char*, 4> kPriorityNames{"release", "pull-request", "nightly", "search"};

const char* name_of(Priority priority);
std::optional<Priority> priority_from_name(std::string_view name);

// What a ticket says of its owner, for people and for the search for an owner's children. Nothing about who may have
// the GPU depends on it: that is told by the ticket's name and its lock.
struct Claim {
  std::int64_t pid = 0;             // as its own pid namespace numbers it
  std::uint64_t pid_namespace = 0;  // inode of /proc/PID/ns/pid; 0: not known
  std::string user, host, job;      // job: a CI job's URL, or a command
  std::string since;                // UTC, when it began to wait or to hold
  std::int64_t since_boot_ms = 0;   // the same moment by a clock that nobody sets (CLOCK_BOOTTIME)
};

// This process's, from now on.
Claim own_claim(std::string job);
// The same claim, from now on.
Claim renewed(Claim claim);
// Seconds from then until now; never negative.
double seconds_since(const Claim& claim);

constexpr std::size_t kMaxClaim = 4096;  // bytes of a ticket that are looked at
std::string write_claim(const Claim& claim);
// Anybody may have written it: what cannot be read is empty or 0.
Claim read_claim(std::string_view text);

// `"make bench" of anna (process 71 on gpu-3)`, fit for one line.
std::string in_words(const Claim& claim);
// "40 s", "12 min", "3 h 20 min".
std::string duration_in_words(double seconds);

}  // namespace kgate::lease
