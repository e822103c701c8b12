#include "gate/verdict/compile/baseline.h"

#include <algorithm>
#include <optional>

#include "gate/cases/job.h"
#include "gate/verdict/compile/arms.h"

namespace kgate::verdict {

std::vector<Baseline> baselines_of(const Subject& subject, const Artifacts& code,
                                   const std::vector<std::string>& compare, const std::string& base_commit) {
  std::vector<Baseline> baselines;
  std::optional<Baseline> toolkit;
  const auto add_base = [&] {
    if (subject.base) baselines.push_back({"base", base_commit, "", 0, false, &*subject.base, code.base});
  };
  for (const auto& against : compare) {
    if (against == "base") add_base();
    for (std::size_t i = 0; i < subject.accepted.size(); ++i) {
      const auto& one = subject.accepted[i];
      if (one.against != against) continue;
      Baseline as_recorded{against,      one.commit,       one.device_class, one.sequence, one.recorded != nullptr,
                           &one.version, code.accepted[i], one.signers,      one.release};
      // Source that today's toolkit does not compile is compared by the code of its time.
      const Artifact& rebuilt = code.rebuilt[i];
      if (!rebuilt || rebuilt->status != runner::Compiled::Status::ok || rebuilt->code == code.accepted[i]->code) {
        baselines.push_back(std::move(as_recorded));
        continue;
      }
      if (!toolkit) {
        toolkit = as_recorded;
        toolkit->against = kToolkit;
      }
      as_recorded.recorded = false;
      as_recorded.code = rebuilt;
      baselines.push_back(std::move(as_recorded));
    }
  }
  if (baselines.empty()) add_base();
  if (toolkit) baselines.push_back(*toolkit);
  return baselines;
}

bool same_work(const Subject& subject, const runner::Compiled& candidate, const Baseline& baseline) {
  return same_work(subject, subject.candidate, candidate, baseline);
}

bool same_work(const Subject& subject, const Version& version, const runner::Compiled& code, const Baseline& baseline) {
  if (baseline.code->status != runner::Compiled::Status::ok) return false;
  return std::all_of(subject.cases.cases.begin(), subject.cases.cases.end(), [&](const auto& one) {
    const auto mine = cases::bind(subject.cases, one, cases::version_of(version.spec));
    const auto theirs = cases::bind(subject.cases, one, cases::version_of(baseline.version->spec));
    return same_version(code, mine, *baseline.code, theirs);
  });
}

}  // namespace kgate::verdict
