#include "gate/scaffold/policy_file.h"

namespace kgate::scaffold {

NewFile policy_file() {
  return {
      ".kgate/policy.toml",
      R"(# What is allowed: the platform team's. Read from the protected branch, never from a change, so that it counts once it
# is merged. docs/policy.md has every key; what is not said here has its default.
schema  = "kgate.policy/1"
kernels = ["kernels/**/kernel.toml"]

[zone]
tolerate = 0.005          # a slowdown that nobody minds
block    = 0.02           # one that nobody accepts

# A change that removes a kernel, or makes it such that the job cannot run it, is stopped too.
[profile.pr]
block_on = ["change", "creep", "missing", "environment"]

[baseline]
new = "pass"              # a kernel that nobody knows yet; "block" once there is a ledger (kgate accept)

# Cases that no reviewer has signed are told, and count. Once they are signed (kgate keygen, kgate sign) this section goes.
[trust]
unsigned = "warn"
)",
      "what is allowed"};
}

NewFile ignore_file() {
  return {".gitignore", "kgate-out/\n*.key.pem\n", "what is not to be committed"};
}

}  // namespace kgate::scaffold
