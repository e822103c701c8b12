#include "gate/verdict/explanation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/verdict/machine_part.h"
#include "gate/verdict/outcome.h"

namespace kgate::verdict {
namespace {

// The version that a slowdown is counted from: the accepted one before the last release.
const AcceptedVersion* counted_from(const Subject& subject) {
  return subject.accepted.empty() ? nullptr : &subject.accepted.front();
}

}  // namespace

void Explanation::name_record(KernelResult& kernel, const Subject& subject) const {
  const auto* accepted = counted_from(subject);
  if (accepted == nullptr || !kernel.attribution) return;
  auto& why = *kernel.attribution;
  why.since = accepted->release.empty() ? fmt::format("record {}", accepted->sequence)
                                        : fmt::format("{} (record {})", accepted->release, accepted->sequence);
  if (accepted->measured) why.toolkit_before = accepted->measured->toolkit;
  why.toolkit_after =
      judgement_.result.backend == "cuda" ? options_.toolkit.nvrtc_version : options_.toolkit.host_compiler_version;
}

bool Explanation::wanted(const KernelResult& kernel, const Subject& subject) const {
  const auto* accepted = counted_from(subject);
  if (accepted == nullptr || !accepted->recorded) return false;
  const auto& listed = judgement_.profile.block_on;
  return kernel.verdict == Verdict::regressed || kernel.verdict == Verdict::inconclusive ||
         (passes(kernel.verdict) && std::find(listed.begin(), listed.end(), "machine") != listed.end());
}

void Explanation::measure(KernelResult& kernel, const Subject& subject) const {
  if (!kernel.attribution) kernel.attribution.emplace();
  name_record(kernel, subject);
  try {
    const auto found =
        measure_machine(ready_, subject, *counted_from(subject), judgement_.result.fingerprint, options_.seed);
    kernel.attribution->machine_differences = found.differences;
    add_machine(kernel, found.part,
                ready_.policy().zone_of(subject.renamed_from.empty() ? subject.name : subject.renamed_from));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    kernel.attribution->machine.unknown = error.what();
  }
}

}  // namespace kgate::verdict
