#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/trust/policy.h"
#include "gate/verdict/correctness.h"
#include "gate/verdict/experiment.h"
#include "gate/verdict/result.h"

namespace kgate::verdict {

// Candidate and base do the same: equal machine code and, in every case, equal launches and scratch memory.
bool same_work(const Subject& subject, const runner::Compiled& candidate, const runner::Compiled& base);

// A kernel's result before anything ran: names, digests, what differs from the base.
KernelResult describe(const Subject& subject, const runner::Compiled* candidate, const runner::Compiled* base,
                      const std::string& base_commit);

// Adds what checking found; sets the kernel's verdict to the worst of its cases'.
void add_check(KernelResult& kernel, const KernelCheck& check);

// Adds what timing found, and the comparison with the base.
void add_times(KernelResult& kernel, const Subject& subject, const std::vector<TimedCase>& times);

// The policy's limits on resources and on the growth of the error against the base: over them is `regressed`.
void check_limits(KernelResult& kernel, const trust::Policy& policy);

// The kernel's verdict and reason from its cases.
void conclude(KernelResult& kernel);

// True where the profile lets a verdict of this kind end the run with its exit code; untrusted, wrong and suspect
// always block.
bool blocks(Verdict verdict, const trust::Profile& profile, bool new_blocks);

}  // namespace kgate::verdict
