#pragma once

#include <map>
#include <optional>
#include <string>

#include "gate/stats/decision.h"
#include "gate/verdict/compile/arms.h"
#include "gate/verdict/preparation.h"

namespace kgate::search {

// Most candidates are worse, and by far more than the gate's intervals are wide: a few blocks beside the best, in a
// process that stays, tell so for a hundredth of what the gate's rounds cost. What a quick look finds is never a gain:
// whatever it does not rule out goes through the gate.
class QuickLook {
 public:
  explicit QuickLook(const verdict::Preparation& ready) : ready_(ready) {}

  struct Case {
    stats::Interval over_best;
    double candidate_us = 0, best_us = 0;
  };
  // By performance case. Nothing where the candidate could not be timed; `fault` says why.
  std::optional<std::map<std::string, Case>> look(const verdict::Subject& subject, const verdict::Artifact& candidate,
                                                  const verdict::Version& best, const verdict::Artifact& best_code,
                                                  std::uint64_t seed, std::string& fault);
  // Lets go of the device.
  void rest() { child_.reset(); }

 private:
  runner::Client& child();

  const verdict::Preparation& ready_;
  std::optional<runner::Client> child_;
};

}  // namespace kgate::search
