#pragma once

#include "gate/cli/verbs.h"
#include "gate/lease/lease.h"
#include "gate/trust/policy.h"

namespace kgate::cli {

// A request without a device: folder, wait, who asks and what a parent process holds already. --lease-dir and --wait
// win over the policy's rules. `doing` is what the job is, where no CI system says it better.
lease::LeaseRequest lease_request(const Invocation& invocation, const trust::LeaseRules& rules,
                                  const std::string& doing);

// The rules of the policy that holds here; outside of a repository, and where the command line says both, the defaults.
// Throws as trust::read_authority does.
trust::LeaseRules lease_rules(const Invocation& invocation);

// What others are told this process is: the CI job's URL with what it does, else that alone.
std::string job_text(const std::map<std::string, std::string>& environment, const std::string& doing);

}  // namespace kgate::cli
