#include "gate/search/evaluate/quick_look.h"

#include <algorithm>
#include <cmath>

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

std::string QuickLook::load(const Version& candidate, const Version& best) {
  // There a kernel is native code in the process, and what it did to it stays.
  if (ready_.child.backend != "cuda") rest();
  candidate_ = candidate;
  best_ = best;
  std::uint32_t number = 0;
  for (const auto* version : {&candidate_, &best_}) {
    const auto loaded = child().load({number++, version->code->code, version->code->symbols},
                                     runner::Client::Seconds(verdict::kHandOverLimit));
    if (!loaded.outcome.ok) return loaded.outcome.fault;
  }
  return {};
}

std::optional<stats::Interval> QuickLook::look(const verdict::Subject& subject, const cases::CaseSpec& one,
                                               const verdict::CaseInputs& inputs, std::uint64_t seed,
                                               std::string& fault) {
  const auto arms = verdict::merge({{candidate_.code, cases::bind(subject.cases, one, candidate_.version)},
                                    {best_.code, cases::bind(subject.cases, one, best_.version)}},
                                   verdict::parameter_buffers(subject.cases), true);
  const auto pool = std::min<std::uint64_t>(ready_.pool_bytes(), static_cast<std::uint64_t>(kPoolBytes));
  verdict::place_case(child(), arms.buffers, inputs, verdict::pool_for(ready_.child.backend, arms.buffers, pool));
  runner::TimeJob job;
  job.arms = arms.arms;
  job.blocks = kBlocks;
  job.placement = verdict::placement_of(ready_.policy().budget.placement);
  job.cache = one.cold ? runner::CacheState::cold : runner::CacheState::warm;
  job.seed = verdict::stream_of({seed, subject.name, one.name});
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
  return stats::interval(evidence, decision, kOneSidedError);
}

}  // namespace kgate::search
