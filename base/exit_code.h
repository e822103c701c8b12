#pragma once

#include "base/error.h"

namespace kgate {

// What the process answers. Defined here once; README.md and `kgate --help` say the same in words.
enum class ExitCode : int {
  pass = 0,           // pass, faster, unchanged, preapproved; new where the policy says so
  regressed = 1,      // slower than the policy allows, or over a limit on resources or numerics
  wrong = 2,          // wrong or suspect
  inconclusive = 3,   // this machine could not measure finely enough within the budget
  untrusted = 4,      // a signature, key, policy or ledger record does not hold
  environment = 5,    // no GPU, busy GPU, forbidden driver or state, sandbox too weak
  missing = 6,        // nothing selected, a kernel or case vanished, or new where the policy blocks it
  usage = 64,         // usage or configuration
  internal = 70,      // a defect of kgate's own
  interrupted = 130,  // SIGINT; SIGTERM is 143
  terminated = 143,
};

// The code of a failure of the world; `signal` is the one that interrupted, where one did.
ExitCode exit_code_of(ErrorKind kind, int signal);

}  // namespace kgate
