#include "gate/search/evaluate/quick_look.h"

#include <cmath>

#include "gate/stats/robust.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {
namespace {

constexpr std::uint32_t kBlocks = 12;
constexpr double kLimit = 60;  // seconds for a request
constexpr double kOneSidedError = 1e-3;
constexpr double kPoolBytes = 1u << 30;

}  // namespace

runner::Client& QuickLook::child() {
  if (child_ && child_->lost()) child_.reset();
  if (!child_) {
    runner::ClientOptions options = ready_.child;
    options.warm = true;
    child_.emplace(options);
  }
  return *child_;
}

std::optional<std::map<std::string, QuickLook::Case>> QuickLook::look(const verdict::Subject& subject,
                                                                      const verdict::Artifact& candidate,
                                                                      const verdict::Version& best,
                                                                      const verdict::Artifact& best_code,
                                                                      std::uint64_t seed, std::string& fault) {
  const runner::Client::Seconds hand_over(verdict::kHandOverLimit);
  std::uint32_t number = 0;
  for (const auto& code : {candidate, best_code}) {
    const auto loaded = child().load({number++, code->code, code->symbols}, hand_over);
    if (loaded.outcome.ok) continue;
    fault = loaded.outcome.fault;
    return std::nullopt;
  }
  std::map<std::string, Case> found;
  for (const auto* one : verdict::cases_for(subject, ready_.child.backend)) {
    if (one->role != cases::CaseRole::performance) continue;
    const auto arms =
        verdict::merge({{candidate, cases::bind(subject.cases, *one, cases::version_of(subject.candidate.spec))},
                        {best_code, cases::bind(subject.cases, *one, cases::version_of(best.spec))}},
                       verdict::parameter_buffers(subject.cases), true);
    const verdict::CaseSeed name{seed, subject.name, one->name};
    const auto inputs = verdict::make_case_inputs(subject, *one, verdict::seed_of(*one, name), 1);
    const auto pool = std::min<std::uint64_t>(ready_.pool_bytes(), static_cast<std::uint64_t>(kPoolBytes));
    verdict::place_case(child(), arms.buffers, inputs, verdict::pool_for(ready_.child.backend, arms.buffers, pool));
    runner::TimeJob job;
    job.arms = arms.arms;
    job.blocks = kBlocks;
    job.placement = verdict::placement_of(ready_.policy().budget.placement);
    job.cache = one->cold ? runner::CacheState::cold : runner::CacheState::warm;
    job.seed = verdict::stream_of(name);
    const auto outcome = child().time(job, runner::Client::Seconds(kLimit));
    if (!outcome.run.ok || outcome.run.unsupported) {
      fault = outcome.run.fault;
      return std::nullopt;
    }
    stats::Evidence evidence;
    evidence.rounds.emplace_back();
    const auto& mine = outcome.us.at(arms.arm_of[0]);
    const auto& theirs = outcome.us.at(arms.arm_of[1]);
    for (std::size_t block = 0; block < mine.size(); ++block)
      evidence.rounds.back().push_back(std::log(mine[block] / theirs[block]));
    stats::DecisionOptions decision;
    decision.round_spread = ready_.machine.round_spread;
    found[one->name] = {stats::interval(evidence, decision, kOneSidedError), stats::quantile(mine, 0.5),
                        stats::quantile(theirs, 0.5)};
  }
  return found;
}

}  // namespace kgate::search
