#include "gate/verdict/figures.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gate/stats/robust.h"
#include "gate/verdict/compile/arms.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::verdict {
namespace {

constexpr double kLimit = 300;             // seconds for a request
constexpr std::uint32_t kPilotBlocks = 4;  // warm the kernel up and find how many launches make a sample

runner::TimeOutcome timed(runner::Client& child, const runner::TimeJob& job, const std::string& where) {
  auto outcome = child.time(job, runner::Client::Seconds(kLimit));
  if (!outcome.run.ok || outcome.run.unsupported)
    throw Error(ErrorKind::environment, where, "could not be timed by itself: " + outcome.run.fault, "try again");
  return outcome;
}

// One round: the robust mean of its blocks.
double measure_round(runner::Client& child, const runner::TimedArm& arm, runner::TimeJob job, Figure& figure,
                     const std::string& where) {
  const auto blocks = job.blocks;
  job.arms = {arm};
  job.blocks = kPilotBlocks;
  job.launches_per_sample = static_cast<std::uint32_t>(figure.launches_per_sample);
  const auto pilot = timed(child, job, where);
  job.blocks = blocks;
  job.first_block = kPilotBlocks;
  job.launches_per_sample = pilot.launches_per_sample;
  auto outcome = timed(child, job, where);
  figure.launches_per_sample = outcome.launches_per_sample;
  figure.regime = outcome.regime;
  figure.samples.push_back(std::move(outcome.us.front()));
  return stats::trimmed_location(figure.samples.back()).center;
}

}  // namespace

std::map<std::string, Figure> measure_figures(const Preparation& ready, const FigureJob& wanted, std::uint64_t seed,
                                              const FigureOptions& options) {
  const Subject& subject = *wanted.subject;
  const Artifact& code = wanted.code;
  const runner::Client::Seconds limit(kHandOverLimit);
  std::map<std::string, Figure> figures;
  for (int round = 1; round <= options.rounds; ++round) {
    runner::Client child(ready.child);
    const auto loaded = child.load({0, code->code, code->symbols}, limit);
    if (!loaded.outcome.ok)
      throw Error(ErrorKind::environment, subject.name, "could not be loaded: " + loaded.outcome.fault);
    for (const auto* one : cases_for(subject, ready.child.backend)) {
      if (one->role != cases::CaseRole::performance) continue;
      const std::string where = fmt::format("{}: case \"{}\"", subject.name, one->name);
      const auto binding = cases::bind(subject.cases, *one, cases::version_of(wanted.version->spec));
      const auto arms = merge({{code, binding}}, parameter_buffers(subject.cases));
      const CaseSeed name{seed, subject.name, fmt::format("{}/figures{}", one->name, round)};
      const auto inputs = make_case_inputs(subject, *one, seed_of(*one, name), 1);
      place_case(child, arms.buffers, inputs, pool_for(ready.child.backend, arms.buffers, ready.pool_bytes()));
      runner::TimeJob job;
      job.blocks = static_cast<std::uint32_t>(options.blocks);
      job.placement = placement_of(ready.policy().budget.placement);
      job.cache = one->cold ? runner::CacheState::cold : runner::CacheState::warm;
      job.seed = stream_of(name);
      Figure& figure = figures[one->name];
      figure.us += measure_round(child, arms.arms.front(), job, figure, where) / options.rounds;
      figure.blocks += options.blocks;
      figure.rounds = round;
    }
  }
  return figures;
}

}  // namespace kgate::verdict
