#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/child/role.h"

namespace kgate::runner {

struct Limit {
  int resource = 0;         // RLIMIT_...
  std::uint64_t value = 0;  // soft and hard
  const char* name = "";
  bool bytes = false;
};

// What a child of this role, and each process that it starts, may use. Reads /proc.
std::vector<Limit> limits_for(const Role& role);

// "open files: 1024": what holds now.
std::string in_force(const Limit& limit);

// Lowers the limits; one that is lower already stays. Answers with what could not be done; empty: all of it was.
std::string apply_limits(const std::vector<Limit>& limits);

}  // namespace kgate::runner
