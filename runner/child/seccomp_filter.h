#pragma once

#include <string>

#include "base/unique_fd.h"
#include "runner/child/role.h"

namespace kgate::runner {

// What a filter does with a call that it refuses: answer it with an error, or ask another process first, which prints
// it (--explain-sandbox) and then answers the same.
enum class Refusal { error, ask };

struct Filtered {
  std::string why_not;  // empty: it is in force, for every thread
  UniqueFd listener;    // Refusal::ask: where the questions come in
};

// The system calls that a child of this role is refused (docs/sandbox.md has the list in words). Needs no_new_privs.
Filtered filter_system_calls(const Role& role, Refusal refusal);

}  // namespace kgate::runner
