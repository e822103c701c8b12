#include "gate/search/evaluate/gate_evaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "gate/search/evaluate/memory_floor.h"
#include "gate/search/score.h"
#include "gate/stats/weighted_ratio.h"
#include "gate/verdict/compile/baseline.h"
#include "gate/verdict/figures.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kChoice = 0.01;  // one-sided error of a new best
using verdict::Subject;
using verdict::Verdict;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A proposer never sees them, and neither does what it is judged by until the end.
Subject without_holdouts(Subject subject) {
  std::erase_if(subject.cases.cases, [](const auto& one) { return one.role == cases::CaseRole::holdout; });
  return subject;
}

Candidate candidate_of(const verdict::Version& version) {
  std::map<std::string, std::string> files;
  for (const auto& [path, content] : version.files) files[path] = std::string(text_of(content));
  files[version.spec.path] = version.toml;
  return make_candidate(std::move(files), version.spec.path);
}

// The candidate over a reference that it was timed beside, at the level at which a search chooses (score.cpp).
stats::Interval side_by_side(const verdict::TimedCase& timed, std::size_t reference, double round_spread) {
  const std::size_t mine = timed.arm_of.front(), theirs = timed.arm_of[1 + reference];
  stats::Evidence evidence;
  for (const auto& round : timed.us) {
    evidence.rounds.emplace_back();
    for (std::size_t block = 0; block < std::min(round[mine].size(), round[theirs].size()); ++block)
      evidence.rounds.back().push_back(std::log(round[mine][block] / round[theirs][block]));
  }
  stats::DecisionOptions decision;
  decision.round_spread = round_spread;
  return stats::interval(evidence, decision, kChoice);
}

}  // namespace

GateEvaluator::GateEvaluator(const verdict::JudgeOptions& options, verdict::Preparation& ready)
    : options_(options), ready_(ready) {
  ready_.read_setting();
  ready_.read_kernels();
  for (const auto& [kind, one] : {std::pair(ErrorKind::untrusted, &ready_.suite.untrusted),
                                  std::pair(ErrorKind::missing, &ready_.suite.vanished)}) {
    if (ready_.suite.subjects.empty() && !one->empty()) throw Error(kind, one->front().name, one->front().reason);
  }
  if (ready_.suite.subjects.size() != 1)
    throw Error(ErrorKind::usage, "kgate search",
                fmt::format("takes one kernel, and {} were selected", ready_.suite.subjects.size()), "name one");
  ready_.compile();
  subject_ = without_holdouts(ready_.suite.subjects.front());
  baseline_ = candidate_of(subject_.candidate);
  const auto& code = ready_.artifacts.front();
  if (code.candidate->status != runner::Compiled::Status::ok)
    throw Error(ErrorKind::usage, subject_.path, "does not compile: " + code.candidate->log,
                "a search begins with a version that works");
  if (code.reference && code.reference->status != runner::Compiled::Status::ok)
    throw Error(ErrorKind::environment, subject_.cases.path,
                "the reference does not compile here: " + code.reference->log);
  bandwidth_ = memory_bandwidth_of(ready_);
  builder_.emplace(ready_, subject_);
  check_.emplace(ready_, code.reference, options_.threads);
}

void GateEvaluator::leave() {
  rest();
  ready_.leave_device();
}

void GateEvaluator::rest() {
  check_->rest();
  children_.reset();
}

std::uint64_t GateEvaluator::seed_of(const Candidate& candidate) const {
  const std::string text = fmt::format("{:016x} {}", options_.seed, candidate.digest);
  return std::stoull(sha256_hex(bytes_of(text)).substr(0, 16), nullptr, 16);
}

Subject GateEvaluator::subject_of(const Built& built) const {
  Subject subject = subject_;
  subject.candidate = *built.version;
  subject.base = subject_.candidate;  // what limits on growth are reckoned from
  subject.accepted.clear();
  subject.preapproved.clear();
  return subject;
}

double GateEvaluator::weight_of(const std::string& name) const {
  const auto* one = verdict::case_named(subject_, name);
  return one != nullptr ? one->weight : 1;
}

double GateEvaluator::floor_us(const std::string& name) const {
  const auto* one = verdict::case_named(subject_, name);
  return one != nullptr ? memory_floor_us(subject_.cases, *one, ready_.device, bandwidth_) : 0;
}

// A pull request never waits for longer than one candidate.
void GateEvaluator::let_others_go_first() {
  if (!ready_.hold || !ready_.hold.wanted()) return;
  rest();
  ready_.hold.yield();
}

Evaluation GateEvaluator::evaluate(const Candidate& candidate, const Measured& best, const TimeLeft& left) {
  if (knows_baseline_ || candidate.digest == baseline_.digest) return evaluated(candidate, best, left);
  // A search that goes on: limits on growth are reckoned from what the baseline takes.
  const Evaluation baseline = evaluated(baseline_, {baseline_, {}}, left);
  if (baseline.outcome != Outcome::better) {
    Evaluation found;
    found.reason = "the baseline, once more: " + baseline.reason;
    found.cost = baseline.cost;
    return found;
  }
  Evaluation found = evaluated(candidate, best, left);
  found.cost.gpu_s += baseline.cost.gpu_s;
  return found;
}

Evaluation GateEvaluator::evaluated(const Candidate& candidate, const Measured& best, const TimeLeft& left) {
  Evaluation found;
  const auto mine = builder_->built(candidate);
  found.cost.compile_s = mine->compile_s;
  if (mine->code) found.log = mine->code->log;
  if (mine->outcome != Outcome::open) {
    found.outcome = mine->outcome;
    found.reason = mine->reason;
    return found;
  }
  const auto theirs = builder_->built(best.version);
  let_others_go_first();
  const auto start = Clock::now();
  const bool first = candidate.digest == best.version.digest;
  const Subject subject = subject_of(*mine);
  const auto versions = references(*theirs);
  const CheckingJob job{subject, *mine, *theirs, first ? nullptr : &best, versions, seed_of(candidate)};
  try {
    if (check_->check(job, found)) {
      if (first) {
        time_baseline(job, found);
      } else {
        time(job, std::min(left.seconds, left.gpu_seconds), found);
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    found.outcome = Outcome::environment;
    found.reason = error.what();
    rest();
  }
  found.cost.gpu_s = seconds_since(start) + std::exchange(counted_s_, 0.0);
  return found;
}

Counted GateEvaluator::count(const Candidate& candidate) {
  Counted counted;
  const auto mine = builder_->built(candidate);
  if (mine->outcome != Outcome::open) {
    counted.why_not = "this version cannot be run: " + mine->reason;
    return counted;
  }
  CountOptions options;
  options.program = options_.counters;
  options.child = ready_.child;
  options.needs_landlock = ready_.policy().environment.sandbox == runner::name_of(runner::SandboxLevel::landlock);
  options.seed = seed_of(candidate);
  options.threads = options_.threads;
  if (ready_.scratch) options.scratch = ready_.scratch->path();
  const std::string why_not = obstacle_to_counting(options);
  if (!why_not.empty()) {
    counted.why_not = why_not;
    return counted;
  }
  let_others_go_first();
  rest();  // the tool keeps copies of the device's memory, which the others would take up
  counted = search::count(subject_of(*mine), mine->code, options);
  counted_s_ += counted.gpu_s;
  return counted;
}

// The best so far, and the baseline where that is another: both beside the candidate, so that a score is measured and
// not a product of what was measured at other times.
std::vector<verdict::Reference> GateEvaluator::references(const Built& best) const {
  const auto zone = ready_.policy().zone_of(subject_.name);
  const stats::Zone limits{zone.tolerate, zone.block, zone.absolute_us};
  std::vector<verdict::Reference> versions;
  versions.push_back({"base", ready_.artifacts.front().candidate, cases::version_of(subject_.candidate.spec), limits});
  if (best.version->digest != subject_.candidate.digest)
    versions.push_back({"best", best.code, cases::version_of(best.version->spec), limits});
  return versions;
}

void GateEvaluator::time(const CheckingJob& job, double seconds, Evaluation& found) {
  verdict::TimeOptions timing;
  timing.backend = ready_.child.backend;
  timing.seed = job.seed;
  timing.threads = options_.threads;
  timing.budget = ready_.policy().budget;
  timing.budget.seconds_per_suite = std::min(timing.budget.seconds_per_suite.value_or(seconds), seconds);
  timing.pool_bytes = ready_.pool_bytes();
  timing.share_processes = timing.backend == "cuda";
  timing.alone = timing.backend == "cuda";
  timing.watch = ready_.watch.get();
  timing.round_spread = ready_.machine.round_spread;
  if (!children_) children_.emplace(ready_.child, ready_.machine.overlap ? 1 : 0);
  const auto timed =
      verdict::time_suite({{&job.subject, job.candidate.code, job.references, check_->answers()}}, timing, *children_)
          .front();
  if (!timed.failure.empty()) throw Error(ErrorKind::environment, subject_.name, timed.failure);
  found.cases.clear();
  stats::WeightedRatio over_best;
  for (const auto& one : timed.cases) {
    if (one.verdict == Verdict::wrong || one.verdict == Verdict::suspect || one.verdict == Verdict::environment) {
      found.outcome = outcome_of(one.verdict);
      found.reason = fmt::format("case \"{}\": {}", one.name, one.reason);
      return;
    }
    const double weight = weight_of(one.name);
    const std::size_t last = job.references.size() - 1;
    const auto base = bounded(side_by_side(one, 0, ready_.machine.round_spread));
    over_best.add(bounded(side_by_side(one, last, ready_.machine.round_spread)), weight);
    // One figure of the baseline for all rows, or they cannot be compared by eye.
    const double baseline_us = time_of(job.beside->found, one.name).baseline_us;
    found.cases.push_back(
        {one.name, weight, base.ratio * baseline_us, baseline_us, floor_us(one.name), base.ratio, base.low, base.high});
  }
  found.outcome = Outcome::slower;
  if (over_best.empty()) return;
  const auto mean = over_best.mean();
  found.beside = mean.ratio;
  found.beside_low = mean.low;
  found.beside_high = mean.high;
  found.reason = fmt::format("beside the best {:+.2f} % [{:+.2f}, {:+.2f}]", 100 * (mean.ratio - 1),
                             100 * (mean.low - 1), 100 * (mean.high - 1));
}

// There is nothing yet that it could be timed beside.
void GateEvaluator::time_baseline(const CheckingJob& job, Evaluation& found) {
  const auto figures =
      verdict::measure_figures(ready_, {&job.subject, &job.subject.candidate, job.candidate.code}, job.seed, {1, 20});
  if (figures.empty())
    throw Error(ErrorKind::usage, subject_.cases.path,
                fmt::format("has no performance case that runs on the {} backend", ready_.child.backend),
                "add a [[case]] with role = \"performance\"");
  for (const auto& [name, figure] : figures) {
    found.cases.push_back({name, weight_of(name), figure.us, figure.us, floor_us(name), 1, 1, 1});
  }
  found.outcome = Outcome::better;
  knows_baseline_ = true;
}

}  // namespace kgate::search
