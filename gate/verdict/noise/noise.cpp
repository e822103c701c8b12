// Problem: tell, before anybody relies on it, how small a slowdown this runner can see. Choice: every kernel is timed
// against itself (the same code loaded twice) in several fresh processes, which shows the spread of blocks and what
// differs between processes; and against itself with delay launches of known length in one arm's graph, which shows
// that a slowdown of that size is found as what it is. A delay's length is measured alone, in batches of delays, so
// that what is planted does not rest on the comparison that it tests. Rejected: planting by changing the kernel's
// source (nobody knows how much slower that should be).
#include "gate/verdict/noise/noise.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/stats/robust.h"
#include "gate/verdict/compile/arms.h"
#include "gate/verdict/compile/delay.h"
#include "gate/verdict/noise/noise_summary.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/subject/case_data.h"
#include "gate/verdict/timing/experiment.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kOnce = 0, kTwice = 1, kDelay = 2;  // arms
constexpr double kLimit = 300;                              // seconds for a request
constexpr std::uint32_t kPilotBlocks = 4, kCalibrationBlocks = 8, kDelaysInBatch = 32;
constexpr double kShortestDelay = 1.5;  // in lengths of an empty delay: what is planted must be adjustable
constexpr std::uint32_t kFewTurns = 64, kManyTurns = 4096;
constexpr std::size_t kMostOverlapCases = 6;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<double> log_ratios(const runner::TimeOutcome& outcome, std::size_t above, std::size_t below) {
  std::vector<double> ratios;
  for (std::size_t block = 0; block < outcome.us[above].size(); ++block)
    ratios.push_back(std::log(outcome.us[above][block] / outcome.us[below][block]));
  return ratios;
}

// One case's measurements.
struct Measured {
  const Subject* subject = nullptr;
  const cases::CaseSpec* one = nullptr;
  Artifact artifact;
  Arms arms;
  std::uint32_t sink = 0;
  CaseInputs inputs;
  std::uint32_t launches = 0;  // a sample
  NoiseSample sample;
};

class NoiseMeter {
 public:
  NoiseMeter(const JudgeOptions& options, const NoiseOptions& wanted, Progress& progress, Judgement& judgement)
      : options_(options),
        wanted_(wanted),
        progress_(progress),
        ready_(options, progress, judgement),
        result_(judgement.result) {}

  Noise run() {
    ready_.read_policy();
    ready_.read_setting();
    ready_.read_kernels();
    ready_.compile();
    delay_ = compile_delay(ready_.compiler_options());
    collect();
    if (cases_.empty()) {
      throw Error(ErrorKind::missing, "noise",
                  fmt::format("no kernel that was selected has a performance case that runs on the {} backend",
                              result_.backend),
                  "add a [[case]] with role = \"performance\" to a cases.toml");
    }
    progress_.phase("noise", wanted_.rounds * static_cast<int>(cases_.size()));
    ChildPool children(ready_.child, 1);
    for (round_ = 1; round_ <= wanted_.rounds; ++round_) {
      std::optional<runner::Client> child;
      for (auto& one : cases_) {
        progress_.step(fmt::format("{}: {}, process {}", one.sample.found.kernel, one.sample.found.name, round_));
        if (!one.sample.found.failure.empty()) continue;
        if (!child || result_.backend != "cuda") child.emplace(children.take());
        try {
          if (!measure(*child, one)) child.reset();
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::environment) throw;
          one.sample.found.failure = error.what();
          child.reset();
        }
      }
    }
    ready_.watch->look();
    result_.environment = ready_.watch->summary();
    std::vector<NoiseSample> samples;
    for (auto& one : cases_) samples.push_back(std::move(one.sample));
    return summarise(samples, ready_.policy().budget);
  }

 private:
  void collect() {
    for (std::size_t i = 0; i < ready_.suite.subjects.size(); ++i) {
      const Subject& subject = ready_.suite.subjects[i];
      const auto& artifact = ready_.artifacts[i].candidate;
      for (const auto* one : cases_for(subject, result_.backend)) {
        if (one->role != cases::CaseRole::performance) continue;
        Measured measured;
        measured.subject = &subject;
        measured.one = one;
        measured.artifact = artifact;
        measured.sample.found.kernel = subject.name;
        measured.sample.found.name = one->name;
        measured.sample.found.bound = bound_of(subject, *one);
        if (artifact->status != runner::Compiled::Status::ok) {
          measured.sample.found.failure = "does not compile here";
        } else {
          const auto binding = cases::bind(subject.cases, *one, cases::version_of(subject.candidate.spec));
          measured.arms = merge({{artifact, binding}}, parameter_buffers(subject.cases));
          measured.sink = static_cast<std::uint32_t>(measured.arms.buffers.size());
          runner::Buffer sink;
          sink.name = "kgate_delay";
          sink.role = runner::BufferRole::workspace;
          sink.dtype = DType::u32;
          sink.bytes = 256;
          measured.arms.buffers.push_back(sink);
          measured.inputs = make_case_inputs(subject, *one, seed_of(*one, {options_.seed, subject.name, one->name}),
                                             options_.threads);
        }
        cases_.push_back(std::move(measured));
      }
    }
  }

  std::uint64_t pool_bytes(const Measured& one) const {
    return pool_for(result_.backend, one.arms.buffers, ready_.pool_bytes());
  }

  // False where the child is of no more use.
  bool measure(runner::Client& child, Measured& one) {
    const runner::Client::Seconds limit(kHandOverLimit);
    for (const auto& [arm, artifact] :
         {std::pair{kOnce, one.artifact}, std::pair{kTwice, one.artifact}, std::pair{kDelay, delay_.artifact}}) {
      const auto loaded = child.load({arm, artifact->code, artifact->symbols}, limit);
      if (!loaded.outcome.ok) return failed(one, loaded.outcome);
    }
    place_case(child, one.arms.buffers, one.inputs, pool_bytes(one));
    runner::TimedArm once = one.arms.arms.front(), twice = once;
    once.arm = kOnce;
    twice.arm = kTwice;

    // What a launch takes, and how many make a sample.
    auto pilot = request(one, {once, twice}, kPilotBlocks);
    pilot.launches_per_sample = one.launches;
    const auto first = child.time(pilot, runner::Client::Seconds(kLimit));
    if (!good(first)) return failed(one, first.run);
    if (one.launches == 0) one.launches = first.launches_per_sample;
    one.sample.found.regime = first.regime;
    one.sample.found.us = stats::quantile(first.us[0], 0.5);

    auto arms = std::vector<runner::TimedArm>{once, twice};
    auto job = request(one, arms, static_cast<std::uint32_t>(wanted_.blocks));
    job.launches_per_sample = one.launches;
    const bool batches = first.regime == "graph" || first.regime == "batch";
    double size = 0;
    if (batches) {
      DelayCost cost;
      if (!calibrate(child, one, cost)) return false;
      const double least = kShortestDelay * cost.fixed_us / (wanted_.planted * one.sample.found.us);
      one.launches = std::max(one.launches, static_cast<std::uint32_t>(std::ceil(std::min(least, 1e5))));
      job.launches_per_sample = one.launches;
      const double sample_us = one.sample.found.us * one.launches;
      const auto turns = cost.turns_for(wanted_.planted * sample_us);
      runner::TimedArm slower = once;
      auto launch = delay_.launch(turns, one.sink);
      launch.code = kDelay;
      slower.tail = {launch};
      job.arms.push_back(slower);
      size = cost.us_of(turns) / sample_us;
    }
    const auto start = Clock::now();
    const auto outcome = child.time(job, runner::Client::Seconds(kLimit));
    if (!good(outcome)) return failed(one, outcome.run);
    one.sample.block_s =
        seconds_since(start) / static_cast<double>(job.blocks) * 2 / static_cast<double>(job.arms.size());
    one.sample.even.rounds.push_back(log_ratios(outcome, 1, 0));
    if (batches && outcome.launches_per_sample == one.launches) {
      one.sample.planted.rounds.push_back(log_ratios(outcome, 2, 0));
      one.sample.sizes.push_back(size);
    }
    return overlap(child, one);
  }

  // The same while another process opens the device, as the next round's does in a run.
  bool overlap(runner::Client& child, Measured& one) {
    const auto place = static_cast<std::size_t>(&one - cases_.data());
    if (place >= kMostOverlapCases || round_ == 1) return true;
    auto job = request(one, {one.arms.arms.front(), one.arms.arms.front()}, static_cast<std::uint32_t>(wanted_.blocks));
    job.arms[1].arm = kTwice;
    job.launches_per_sample = one.launches;
    job.first_block = 1000;
    runner::ClientOptions other = ready_.child;
    other.warm = true;
    const runner::Client next(other);
    const auto outcome = child.time(job, runner::Client::Seconds(kLimit));
    if (!good(outcome)) return failed(one, outcome.run);
    one.sample.overlapped.rounds.push_back(log_ratios(outcome, 1, 0));
    return true;
  }

  // How long a delay of a number of turns is: batches of delays alone.
  bool calibrate(runner::Client& child, Measured& one, DelayCost& cost) {
    const auto of = [&](std::uint32_t turns) { return runner::TimedArm{kDelay, {delay_.launch(turns, one.sink)}}; };
    auto job = request(one, {of(kFewTurns), of(kManyTurns)}, kCalibrationBlocks);
    job.launches_per_sample = kDelaysInBatch;
    const auto outcome = child.time(job, runner::Client::Seconds(kLimit));
    if (!good(outcome)) return failed(one, outcome.run);
    const double few = stats::quantile(outcome.us[0], 0.5), many = stats::quantile(outcome.us[1], 0.5);
    cost.turn_us = (many - few) / (kManyTurns - kFewTurns);
    cost.fixed_us = few - cost.turn_us * kFewTurns;
    return true;
  }

  runner::TimeJob request(const Measured& one, std::vector<runner::TimedArm> arms, std::uint32_t blocks) const {
    runner::TimeJob job;
    job.arms = std::move(arms);
    job.blocks = blocks;
    job.placement = placement_of(ready_.policy().budget.placement);
    job.cache = one.one->cold ? runner::CacheState::cold : runner::CacheState::warm;
    job.seed =
        stream_of({options_.seed, one.sample.found.kernel, fmt::format("{}/noise{}", one.sample.found.name, round_)});
    return job;
  }

  static bool good(const runner::TimeOutcome& outcome) { return outcome.run.ok && !outcome.run.unsupported; }

  static bool failed(Measured& one, const runner::RunOutcome& outcome) {
    one.sample.found.failure = outcome.fault;
    return false;
  }

  const JudgeOptions& options_;
  const NoiseOptions& wanted_;
  Progress& progress_;
  Preparation ready_;
  Result& result_;
  Delay delay_;
  std::vector<Measured> cases_;
  int round_ = 0;
};

}  // namespace

Noise measure_noise(const JudgeOptions& options, const NoiseOptions& noise, Progress& progress, Judgement& judgement) {
  return NoiseMeter(options, noise, progress, judgement).run();
}

}  // namespace kgate::verdict
