// Looks at a case with other versions in the process than its rounds have: the earlier ones without the candidate, to
// see whether it slows them down (company.h), or whether they are timed well where a process ended twice beside it.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/stats/robust.h"
#include "gate/verdict/timing/case_experiment.h"

namespace kgate::verdict {
namespace {

constexpr std::uint32_t kCompanyBlocks = 16;

}  // namespace

// Only where it could have profited: who is slower beside a version that it slows down is slower still. At the power
// cap one arm's work takes from the other's clock, and that is nobody's fault.
bool CaseExperiment::wants_company() const {
  if (!options_.alone || failed_ || measured_ == 0 || arms_.arm_of[1] == 0) return false;
  if (options_.watch != nullptr && options_.watch->power_capped(0, options_.watch->now())) return false;
  return std::all_of(tracks_.begin(), tracks_.end(), [](const Track& track) {
    return track.decided() && (track.trusted() || track.trial().decision().finding != stats::Finding::slower);
  });
}

void CaseExperiment::measure_alone(runner::Client& child) {
  if (!place(child)) return;
  runner::TimeJob job;
  job.arms.assign(arms_.arms.begin() + 1, arms_.arms.end());
  job.blocks = kCompanyBlocks;
  job.seed = stream_of("alone");
  const auto outcome = request(child, job);
  if (failed_) return;
  if (outcome.run.unsupported)
    return fail(Verdict::environment, "an earlier version, timed alone: " + outcome.run.fault);
  const std::size_t arm = arms_.arm_of[1];
  const auto& alone = outcome.us[arm - 1];
  company_ = compare_company(beside_us_.empty() ? result_.us.back()[arm] : beside_us_, alone);
  alone_us_ = stats::quantile(alone, 0.5);
}

void CaseExperiment::measure_beside(runner::Client& child) {
  if (!place(child)) return;
  runner::TimeJob job;
  job.blocks = kCompanyBlocks;
  job.seed = stream_of("beside");
  const auto outcome = request(child, job);
  if (failed_) return;
  if (!outcome.run.ok || outcome.run.unsupported)
    return fail(Verdict::environment, "while it was timed once more beside the base: " + outcome.run.fault);
  beside_us_ = outcome.us[arms_.arm_of[1]];
}

void CaseExperiment::try_without_candidate(runner::Client& child, const std::function<void()>& load_references) {
  const std::string fault = std::move(second_trouble_);
  second_trouble_.clear();
  runner::TimeJob job;
  job.arms.assign(arms_.arms.begin() + 1, arms_.arms.end());
  job.blocks = static_cast<std::uint32_t>(stats::kMinBlocks);
  job.seed = stream_of("control");
  job.placement = placement_of(options_.budget.placement);
  std::string control;
  try {
    load_references();
    place_case(child, arms_.buffers, inputs_, pool_for(options_.backend, arms_.buffers, options_.pool_bytes));
    if (const auto outcome = child.time(job, runner::Client::Seconds(kFirstLimit)); !outcome.run.ok)
      control = outcome.run.fault;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    control = error.what();
  }
  result_.comparisons.clear();
  if (control.empty()) {
    fail(Verdict::wrong, fmt::format("while it was timed beside the base: {}, in two processes; without it the base "
                                     "is timed well",
                                     fault));
  } else {
    fail(Verdict::environment,
         fmt::format("tried twice: while it was timed: {}; without the candidate: {}", fault, control));
  }
}

}  // namespace kgate::verdict
