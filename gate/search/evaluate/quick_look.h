#pragma once

#include <optional>
#include <string>

#include "gate/stats/decision.h"
#include "gate/verdict/compile/arms.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {

// Most candidates are worse, and by far more than the gate's intervals are wide: a few blocks beside the best, in a
// process that stays, tell so for a hundredth of what the gate's rounds cost. What a quick look finds is never a gain:
// whatever it does not rule out goes through the gate.
class QuickLook {
 public:
  explicit QuickLook(const verdict::Preparation& ready) : ready_(ready) {}

  struct Version {
    verdict::Artifact code;
    cases::VersionSpec version;
  };
  // Brings both into the process. Empty: it went well.
  std::string load(const Version& candidate, const Version& best);
  // The candidate over the best. Nothing where it could not be timed; `fault` says why. `inputs`: of the case.
  std::optional<stats::Interval> look(const verdict::Subject& subject, const cases::CaseSpec& one,
                                      const verdict::CaseInputs& inputs, std::uint64_t seed, std::string& fault);
  // Lets go of the device.
  void rest() { child_.reset(); }

 private:
  runner::Client& child();

  const verdict::Preparation& ready_;
  std::optional<runner::Client> child_;
  Version candidate_, best_;
};

}  // namespace kgate::search
