// Problem: tell, before anybody relies on it, how small a slowdown this runner can see. Choice: every kernel is timed
// against itself (the same code loaded twice) in several fresh processes, which shows the spread of blocks and what
// differs between processes; and against itself with delay launches of known length in one arm's graph, which shows
// that a slowdown of that size is found as what it is. A delay's length is measured alone, in batches of delays, so
// that what is planted does not rest on the comparison that it tests. Rejected: planting by changing the kernel's
// source (nobody knows how much slower that should be).
#include "gate/verdict/noise.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/stats/robust.h"
#include "gate/stats/spread.h"
#include "gate/verdict/arms.h"
#include "gate/verdict/case_data.h"
#include "gate/verdict/delay.h"
#include "gate/verdict/experiment.h"
#include "gate/verdict/preparation.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kOnce = 0, kTwice = 1, kDelay = 2;  // arms
constexpr double kLimit = 300;                              // seconds for a request
constexpr std::uint32_t kPilotBlocks = 4, kCalibrationBlocks = 8, kDelaysInBatch = 32;
constexpr double kShortestDelay = 1.5;  // in lengths of an empty delay: what is planted must be adjustable
constexpr std::uint32_t kFewTurns = 64, kManyTurns = 4096;
constexpr std::size_t kMostOverlapCases = 6;
constexpr double kSeenInMostRuns = 2.33;  // standard errors: 99 of 100 runs

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<double> log_ratios(const runner::TimeOutcome& outcome, std::size_t above, std::size_t below) {
  std::vector<double> ratios;
  for (std::size_t block = 0; block < outcome.us[above].size(); ++block)
    ratios.push_back(std::log(outcome.us[above][block] / outcome.us[below][block]));
  return ratios;
}

std::vector<double> all_of(const stats::Evidence& evidence) {
  std::vector<double> all;
  for (const auto& round : evidence.rounds) all.insert(all.end(), round.begin(), round.end());
  return all;
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
  std::vector<double> sizes;   // of what was planted, by round
  double block_s = 0;
  stats::Evidence even, planted, overlapped;
  CaseNoise noise;
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
        progress_.step(fmt::format("{}: {}, process {}", one.noise.kernel, one.noise.name, round_));
        if (!one.noise.failure.empty()) continue;
        if (!child || result_.backend != "cuda") child.emplace(children.take());
        try {
          if (!measure(*child, one)) child.reset();
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::environment) throw;
          one.noise.failure = error.what();
          child.reset();
        }
      }
    }
    return summary();
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
        measured.noise.kernel = subject.name;
        measured.noise.name = one->name;
        if (artifact->status != runner::Compiled::Status::ok) {
          measured.noise.failure = "does not compile here";
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
          measured.inputs = make_case_inputs(subject, *one, options_.seed, options_.threads);
        }
        cases_.push_back(std::move(measured));
      }
    }
  }

  std::uint64_t pool_bytes(const Measured& one) const {
    const auto wanted = std::min(static_cast<std::uint64_t>(ready_.policy.budget.pool_gib * 1073741824.0),
                                 ready_.device.free_bytes / 2);
    if (result_.backend == "cuda") return wanted;
    std::uint64_t sum = 64u << 20;
    for (const auto& buffer : one.arms.buffers) sum += 4 * (buffer.bytes + 4096);
    return std::min(sum, wanted);
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
    one.noise.regime = first.regime;
    one.noise.us = stats::quantile(first.us[0], 0.5);

    auto arms = std::vector<runner::TimedArm>{once, twice};
    auto job = request(one, arms, static_cast<std::uint32_t>(wanted_.blocks));
    job.launches_per_sample = one.launches;
    const bool batches = first.regime == "graph" || first.regime == "batch";
    double size = 0;
    if (batches) {
      DelayCost cost;
      if (!calibrate(child, one, cost)) return false;
      const double least = kShortestDelay * cost.fixed_us / (wanted_.planted * one.noise.us);
      one.launches = std::max(one.launches, static_cast<std::uint32_t>(std::ceil(std::min(least, 1e5))));
      job.launches_per_sample = one.launches;
      const double sample_us = one.noise.us * one.launches;
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
    one.block_s = seconds_since(start) / static_cast<double>(job.blocks) * 2 / static_cast<double>(job.arms.size());
    one.even.rounds.push_back(log_ratios(outcome, 1, 0));
    if (batches && outcome.launches_per_sample == one.launches) {
      one.planted.rounds.push_back(log_ratios(outcome, 2, 0));
      one.sizes.push_back(size);
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
    one.overlapped.rounds.push_back(log_ratios(outcome, 1, 0));
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
    job.placement = ready_.policy.budget.placement == "segment" ? runner::Placement::segment
                    : ready_.policy.budget.placement == "fixed" ? runner::Placement::fixed
                                                                : runner::Placement::any;
    job.cache = one.one->cold ? runner::CacheState::cold : runner::CacheState::warm;
    job.seed = seed_of(*one.one, {options_.seed, one.noise.kernel, fmt::format("{}/noise{}", one.noise.name, round_)});
    return job;
  }

  static bool good(const runner::TimeOutcome& outcome) { return outcome.run.ok && !outcome.run.unsupported; }

  static bool failed(Measured& one, const runner::RunOutcome& outcome) {
    one.noise.failure = outcome.fault;
    return false;
  }

  Noise summary() {
    Noise noise;
    noise.default_spread = MachineRecord{}.round_spread;
    noise.seconds_per_case = ready_.policy.budget.seconds_per_case;
    std::vector<std::vector<stats::RoundEstimate>> rounds;
    for (const auto& one : cases_) {
      std::vector<stats::RoundEstimate> estimates;
      for (const auto& round : one.even.rounds) {
        const auto location = stats::trimmed_location(round);
        // Its own error without the margin for correlation, which would hide a spread between processes.
        estimates.push_back(
            {location.center, stats::spread_of(location, std::ssize(round)) / std::sqrt(std::ssize(round))});
      }
      rounds.push_back(std::move(estimates));
    }
    noise.round_spread = stats::between_rounds_pooled(rounds);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (cases_[i].noise.failure.empty()) judge(cases_[i], stats::between_rounds(rounds[i]), noise);
      noise.cases.push_back(cases_[i].noise);
    }
    noise.overlap = overlap_summary();
    return noise;
  }

  void judge(Measured& one, double own_spread, const Noise& noise) const {
    stats::DecisionOptions options;
    options.cases = std::ssize(cases_);
    options.round_spread = std::max(noise.round_spread, kLeastRoundSpread);
    const double level = stats::error_of_look(options, 1);
    CaseNoise& found = one.noise;
    const auto even = all_of(one.even);
    const auto location = stats::trimmed_location(even);
    found.blocks = std::ssize(even);
    found.rounds = std::ssize(one.even.rounds);
    found.block_ms = 1e3 * one.block_s;
    found.block_spread = stats::spread_of(location, found.blocks);
    found.round_spread = own_spread;
    const auto ratio = stats::interval(one.even, options, level);
    found.even = ratio.ratio - 1;
    found.even_low = ratio.low - 1;
    found.even_high = ratio.high - 1;
    const auto blocks_in = [&](double seconds) {
      return static_cast<std::int64_t>(seconds / std::max(one.block_s, 1e-6));
    };
    const auto rounds = ready_.policy.budget.min_rounds;
    found.second_half = stats::expected_half_width(found.block_spread, blocks_in(1), rounds, options, level);
    // In the budget's last look, of about ten.
    const auto blocks = blocks_in(noise.seconds_per_case);
    const double half =
        stats::expected_half_width(found.block_spread, blocks, rounds, options, stats::error_of_look(options, 10));
    const double error =
        std::hypot(stats::expected_error(found.block_spread, blocks), options.round_spread / std::sqrt(rounds));
    found.smallest = half + kSeenInMostRuns * error;
    // An interval as wide as the zone always answers.
    found.tolerate = std::ceil(1e4 * std::max({half, 3 * options.round_spread, 0.001})) / 1e4;
    found.block = std::ceil(1e4 * (found.tolerate + 2 * half + 0.001)) / 1e4;
    if (one.planted.rounds.empty()) return;
    const auto slower = stats::interval(one.planted, options, level);
    found.planted = Planted{stats::quantile(one.sizes, 0.5), slower.ratio - 1, slower.low - 1, slower.high - 1};
  }

  Overlap overlap_summary() const {
    Overlap overlap;
    std::vector<double> quiet, beside;
    for (const auto& one : cases_) {
      if (one.overlapped.rounds.empty()) continue;
      // In units of the case's own spread, so that one noisy kernel does not speak for all.
      const double unit = std::max(one.noise.block_spread, 1e-5);
      for (const double value : all_of(one.even)) quiet.push_back(value / unit);
      for (const double value : all_of(one.overlapped)) beside.push_back(value / unit);
    }
    if (beside.empty()) return overlap;
    const auto a = stats::trimmed_location(quiet), b = stats::trimmed_location(beside);
    overlap.blocks = std::ssize(beside);
    overlap.quiet_spread = stats::spread_of(a, std::ssize(quiet));
    overlap.spread = stats::spread_of(b, std::ssize(beside));
    overlap.shift = b.center - a.center;
    overlap.shift_error = std::hypot(a.standard_error, b.standard_error);
    overlap.harmless = overlap.spread < 2 * overlap.quiet_spread && std::abs(overlap.shift) < 4 * overlap.shift_error;
    return overlap;
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
