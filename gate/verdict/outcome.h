#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/trust/policy.h"
#include "gate/verdict/check/correctness.h"
#include "gate/verdict/compile/baseline.h"
#include "gate/verdict/result/result.h"
#include "gate/verdict/timing/experiment.h"

namespace kgate::verdict {

// A kernel's result before anything ran: names, digests, what differs from the base. It is "unchanged" where it does
// the same as the base's version, or, where that is not asked for or has another name, as every version that it is
// compared with.
KernelResult describe(const Subject& subject, const runner::Compiled& candidate,
                      const std::vector<Baseline>& baselines);
// Of a kernel that is not judged.
KernelResult excluded(const Excluded& kernel, Verdict verdict);

// What a comparison says before anything was timed.
Comparison comparison_with(const Baseline& baseline);

// Adds what checking found; sets the kernel's verdict to the worst of its cases'.
void add_check(KernelResult& kernel, const KernelCheck& check);

// Adds what timing found, and the comparison with the base.
void add_times(KernelResult& kernel, const Subject& subject, const std::vector<TimedCase>& times);

// Adds what each cause contributed, as the timed blocks have it, and the machine's part, where it was measured: over
// the zone it is `regressed`.
void add_parts(KernelResult& kernel, Attribution parts);
void add_machine(KernelResult& kernel, const Part& part, const trust::Zone& zone);

// The policy's limits on resources and on the growth of the error against the base: over them is `regressed`.
void check_limits(KernelResult& kernel, const trust::Policy& policy);

// The kernel's verdict and reason from its cases.
void conclude(KernelResult& kernel);

// What was accepted beforehand, by its content, may be slower or need more: `regressed`, `inconclusive` and `new`
// become `preapproved`.
void approve(KernelResult& kernel, const std::string& preapproved);

// True where the profile lets the kernel's verdict end the run with its exit code; untrusted, wrong and suspect always
// block.
bool blocks(const KernelResult& kernel, const trust::Profile& profile, bool new_blocks);

}  // namespace kgate::verdict
