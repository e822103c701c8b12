// Problem: time one case in processes of which each may be lost, on a GPU that others may disturb, for no longer than
// the budget says, and know at every moment what has been learnt. Choice: what decides is pure (stats::Trial, one for
// each reference, behind Track); here is what talks to the child. Blocks that something from outside disturbed are
// known for certain only a moment later (NVML tells what a process used after the fact), so they are taken out when
// all cases have been measured, and a case that no longer answers without them is opened again. Rejected: waiting
// after every request until NVML has answered (0.4 s for 15 ms of measuring).
#include "gate/verdict/timing/case_experiment.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "base/philox.h"
#include "gate/stats/robust.h"
#include "gate/verdict/compile/baseline.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kEqual = ~std::size_t{0};   // no track: both are one arm
constexpr std::size_t kSatOut = ~std::size_t{0};  // a track that was decided before this window
constexpr std::int64_t kMostStep = 256;           // blocks in one request: the judge looks in between
constexpr double kTimeLimit = 120;                // seconds that a later request may take before the kernel hangs
// Fresh regime: blocks in a request, of which each round has one at least, and in all. A block is 2 to 8 single
// launches an arm. With 16 a request a run of 15 kernels took a second more on an H200, and answered the same.
constexpr std::int64_t kFreshBlocks = 8, kMostFreshBlocks = 96;
constexpr double kFreshCost = 3, kFreshCostOfSingle = 1.5;  // in blocks of what decides
constexpr double kFreshShare = 0.25;                        // of a case's budget, where samples are single launches
constexpr double kKeptVariants = 64e6;                      // bytes that a case keeps for its next round
// Long stretches: interleaving by the millisecond shares the candidate's heat with the base.
constexpr double kStretchMs = 200;
constexpr std::int64_t kMostDisturbed = 12;  // windows of a case; then this machine is too busy

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool same_content(const SharedMemory& a, const SharedMemory& b) {
  const auto x = a.bytes(), y = b.bytes();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

TrackOptions track_options(const Reference& reference, const TimeOptions& options, std::int64_t decisions) {
  TrackOptions track;
  track.against = reference.against;
  track.trusted = reference.other.has_value();
  track.zone = reference.zone;
  track.trial.decision.zone = reference.zone;
  track.trial.decision.cases = decisions;
  track.trial.decision.round_spread = options.round_spread;
  track.trial.decision.min_rounds = options.budget.min_rounds;
  track.trial.max_rounds = options.budget.max_rounds;
  track.trial.most_step = kMostStep;
  track.tick_us = tick_of(options.backend);
  return track;
}

}  // namespace

CaseExperiment::CaseExperiment(const TimeJob& job, const TimeOptions& options, const cases::CaseSpec& one,
                               std::int64_t decisions)
    : job_(job),
      options_(options),
      one_(one),
      inputs_(make_case_inputs(*job.subject, one, seed_of(one, {options.seed, job.subject->name, one.name}),
                               options.threads)) {
  const auto& cases = job.subject->cases;
  std::vector<Contender> contenders{
      {job.candidate, cases::bind(cases, one, cases::version_of(job.subject->candidate.spec))}};
  for (const auto& reference : job.references)
    contenders.push_back({reference.artifact, cases::bind(cases, one, reference.version)});
  arms_ = merge(contenders, parameter_buffers(cases), options.apart);
  for (std::size_t i = 0; i < job.references.size(); ++i) {
    const bool equal = arms_.arm_of[i + 1] == compared_arm(i);
    track_of_.push_back(equal ? kEqual : tracks_.size());
    if (!equal) tracks_.emplace_back(track_options(job.references[i], options, decisions));
  }
  if (job.answers) {
    const auto known = job.answers->find(one.name);
    if (known != job.answers->end()) answers_ = &known->second;
  }
  result_.name = one.name;
  result_.arms.assign(arms_.arms.size(), "");
  result_.arms.front() = "candidate";
  for (std::size_t i = 0; i < job.references.size(); ++i) {
    std::string& name = result_.arms[arms_.arm_of[i + 1]];
    const auto& against = job.references[i].against;
    name += (name.empty() ? "" : " and ") + (against == kToolkit ? "accepted as recorded" : against);
  }
  result_.arm_of = arms_.arm_of;
}

// Of what is compared with a reference.
std::size_t CaseExperiment::compared_arm(std::size_t reference) const {
  const auto& other = job_.references[reference].other;
  return other ? arms_.arm_of[*other + 1] : 0;
}

bool CaseExperiment::open() const {
  if (failed_ || disturbed_windows_ >= kMostDisturbed) return false;
  return alarmed() ||
         (in_time() && std::any_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.open(); }));
}

bool CaseExperiment::alarmed() const {
  return !failed_ && disturbed_windows_ < kMostDisturbed &&
         std::any_of(tracks_.begin(), tracks_.end(),
                     [](const Track& track) { return track.open() && !track.trusted() && track.trial().alarmed(); });
}

std::int64_t CaseExperiment::doubt() const {
  std::int64_t most = 0;
  for (const auto& track : tracks_) {
    if (track.open()) most = std::max(most, track.trial().decision().blocks_needed - track.trial().blocks());
  }
  return most;
}

std::int64_t CaseExperiment::wanted() const {
  std::int64_t most = 0;
  for (const auto& track : tracks_) {
    if (track.open()) most = std::max(most, track.trial().wanted());
  }
  return most;
}

bool CaseExperiment::measure_round(runner::Client& child, std::int64_t round) {
  if (options_.on_case) options_.on_case(job_.subject->name, one_.name);
  if (!place(child)) return true;
  round_ = round;
  if (first_round_ == 0) first_round_ = round;
  result_.us.emplace_back(arms_.arms.size());
  for (auto& track : tracks_) {
    if (track.open()) track.start_round();
  }
  // The first rounds leave the later ones their part of the budget.
  const double share = std::min(1.0, static_cast<double>(round) / options_.budget.min_rounds);
  const bool alarm = alarmed();
  while (const auto blocks = wanted()) {
    const auto here = std::ssize(result_.us.back().front());
    const bool owed = alarm && here < stats::kMinBlocks;
    if (used_s_ > share * options_.budget.seconds_per_case && !owed) break;
    if (!measure(child, std::min(blocks, affordable()))) return false;
  }
  for (auto& track : tracks_) {
    if (track.open()) track.conclude_round();
  }
  return measure_fresh(child);
}

// In what decides, inputs repeat, launch after launch or sample after sample; a few single launches on fresh inputs and
// poisoned outputs keep every kernel honest. One without inputs still finds other outputs each time.
bool CaseExperiment::measure_fresh(runner::Client& child) {
  if (measured_ == 0 || tracks_.front().trusted()) return true;
  for (auto& track : tracks_) track.want_fresh();
  if (!fresh_possible_) return true;
  fresh_note_.clear();
  // A block of single launches costs a few blocks of batches where the kernel is long. Where the others are single
  // launches too it is dear, and must not take what a decision needs.
  const bool batches = how_.regime == "graph" || how_.regime == "batch";
  const double block_s =
      (batches ? kFreshCost : kFreshCostOfSingle) * (used_s_ - fresh_s_) / static_cast<double>(measured_);
  double room_s = options_.budget.seconds_per_case - used_s_;
  if (!batches) room_s = std::min(room_s, kFreshShare * options_.budget.seconds_per_case - fresh_s_);
  const auto affordable = static_cast<std::int64_t>(room_s / block_s);
  for (auto& track : tracks_) track.miss_fresh(affordable < stats::kMinBlocks);
  if (affordable < stats::kMinBlocks) {
    fresh_note_ = "the budget has no room for it";
    return true;
  }
  hand_over_variants(child);
  do {
    runner::TimeJob job;
    job.regime = runner::Regime::fresh;
    job.blocks = static_cast<std::uint32_t>(std::min(kFreshBlocks, affordable));
    job.first_block = static_cast<std::uint64_t>(tracks_.front().fresh_blocks());
    job.seed = stream_of("fresh");
    Window window;
    window.fresh = true;
    window.first = static_cast<std::size_t>(tracks_.front().fresh_blocks());
    window.count = job.blocks;
    if (options_.watch != nullptr) window.from_s = options_.watch->now();
    const double before = used_s_;
    const auto outcome = request(child, job);
    fresh_s_ += used_s_ - before;
    if (failed_ || child.lost()) return false;
    if (outcome.run.unsupported) {
      fresh_possible_ = false;
      fresh_note_ = outcome.run.fault;
      return true;
    }
    if (options_.watch != nullptr) window.to_s = options_.watch->now();
    windows_.push_back(std::move(window));
    for (std::size_t i = 0; i < track_of_.size(); ++i) {
      if (track_of_[i] != kEqual)
        tracks_[track_of_[i]].add_fresh(outcome.us[compared_arm(i)], outcome.us[arms_.arm_of[i + 1]]);
    }
  } while (batches && !fresh_is_enough() && used_s_ < options_.budget.seconds_per_case);
  return true;
}

// Contents that the child has not seen. The next round's child, a fresh process, has not seen them either.
void CaseExperiment::hand_over_variants(runner::Client& child) {
  const std::size_t count = content_count(inputs_) - 1;
  if (count == 0) return;
  const runner::Client::Seconds limit(kHandOverLimit);
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= variants_.size()) {
      const auto seed = content_seed({options_.seed, job_.subject->name, one_.name}, static_cast<std::uint32_t>(i + 1));
      variants_.push_back(make_case_inputs(*job_.subject, one_, seed, options_.threads));
    }
    for (const auto& [buffer, content] : variants_[i]) {
      if (content.size() > 0) child.write(buffer, content, limit, static_cast<std::uint32_t>(i + 1));
    }
  }
  const auto& first = variants_.front();
  if (std::all_of(first.begin(), first.end(),
                  [&](const auto& one) { return same_content(one.second, inputs_.at(one.first)); }))
    fresh_note_ = "its inputs are the same whatever the seed, so its launches saw them again";
  double bytes = 0;
  for (const auto& [buffer, content] : first) bytes += static_cast<double>(content.size());
  if (bytes * static_cast<double>(count) > kKeptVariants) variants_.clear();
}

// Enough for this round: more are measured only where the answer hangs on them.
bool CaseExperiment::fresh_is_enough() const {
  return std::all_of(tracks_.begin(), tracks_.end(), [](const Track& track) {
    return track.trusted() || !track.decided() || track.fresh_blocks() >= kMostFreshBlocks ||
           track.agreement().finding != stats::Agreement::Finding::unknown;
  });
}

bool CaseExperiment::measure(runner::Client& child, std::int64_t blocks) {
  runner::TimeJob job;
  job.blocks = static_cast<std::uint32_t>(blocks);
  job.seed = stream_of("batch");
  job.first_block = result_.us.back().front().size();
  if (power_capped()) job.stretch_ms = kStretchMs;
  Window window;
  window.round = result_.us.size() - 1;
  window.first = result_.us.back().front().size();
  window.count = static_cast<std::size_t>(blocks);
  if (options_.watch != nullptr) window.from_s = options_.watch->now();
  const auto outcome = request(child, job);
  if (failed_ || child.lost()) return false;
  if (outcome.run.unsupported) {
    fail(Verdict::environment, "while it was timed: " + outcome.run.fault);
    return false;
  }
  if (options_.watch != nullptr) window.to_s = options_.watch->now();
  for (const auto& track : tracks_)
    window.track_rounds.push_back(track.open() ? static_cast<std::size_t>(track.trial().rounds()) - 1 : kSatOut);
  windows_.push_back(std::move(window));
  measured_ += blocks;
  how_.launches_per_sample = outcome.launches_per_sample;
  how_.regime = outcome.regime;
  result_.moved = result_.moved && outcome.moved;
  for (std::size_t arm = 0; arm < outcome.us.size(); ++arm) {
    auto& samples = result_.us.back()[arm];
    samples.insert(samples.end(), outcome.us[arm].begin(), outcome.us[arm].end());
  }
  for (std::size_t i = 0; i < track_of_.size(); ++i) {
    if (track_of_[i] == kEqual || !tracks_[track_of_[i]].open()) continue;
    tracks_[track_of_[i]].add(outcome.us[compared_arm(i)], outcome.us[arms_.arm_of[i + 1]], how_);
  }
  return true;
}

// Sends one request for all arms. A kernel that fails in it ends the case.
runner::TimeOutcome CaseExperiment::request(runner::Client& child, runner::TimeJob job) {
  const bool whole_company = job.arms.empty();
  if (whole_company) job.arms = arms_.arms;
  job.placement = placement_of(options_.budget.placement);
  job.cache = one_.cold ? runner::CacheState::cold : runner::CacheState::warm;
  if (job.regime == runner::Regime::batch)
    job.launches_per_sample = static_cast<std::uint32_t>(how_.launches_per_sample);
  // Nothing is known of a block's length before the first request; afterwards twenty times what it should take, and
  // what stretches add, is a hang.
  const double stretches = job.stretch_ms * 1e-3 * static_cast<double>(job.arms.size() * job.blocks);
  const double limit =
      measured_ == 0 ? kFirstLimit
                     : std::max(kTimeLimit, 20 * used_s_ / static_cast<double>(measured_) * job.blocks) + 3 * stretches;
  if (whole_company) choose_checks(job);
  const auto start = Clock::now();
  auto outcome = child.time(job, runner::Client::Seconds(limit));
  used_s_ += seconds_since(start);
  if (outcome.run.unsupported) return outcome;
  if (!outcome.run.ok) {
    // The candidate had no part in it.
    if (!whole_company) {
      fail(Verdict::environment, "an earlier version, timed alone: " + outcome.run.fault);
      return outcome;
    }
    // Once, that may be something else's doing: the next round tries again.
    if (child.died() && result_.trouble.empty()) {
      result_.trouble = outcome.run.fault;
      return outcome;
    }
    if (child.died()) second_trouble_ = outcome.run.fault;
    fail(Verdict::wrong, "while it was timed beside the base: " + outcome.run.fault);
    return outcome;
  }
  check_samples(child, job, outcome);
  return outcome;
}

// In a round that must confirm a slowdown, where the GPU was at its power cap.
bool CaseExperiment::power_capped() const {
  if (options_.watch == nullptr || windows_.empty()) return false;
  return std::any_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.trial().confirming(); }) &&
         options_.watch->power_capped(windows_.front().from_s, windows_.back().to_s);
}

bool CaseExperiment::settle() {
  if (options_.watch == nullptr || failed_) return false;
  for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
    const auto cause = options_.watch->disturbance(window->from_s, window->to_s);
    if (cause.empty()) continue;
    options_.watch->dropped(cause);
    cause_ = cause;
    if (window->fresh) {
      for (auto& track : tracks_) track.drop_fresh(window->first, window->count);
      continue;
    }
    ++disturbed_windows_;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      if (window->track_rounds[i] != kSatOut) tracks_[i].drop(window->track_rounds[i], window->first, window->count);
    }
    for (auto& samples : result_.us[window->round]) {
      const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(window->first);
      samples.erase(begin, begin + static_cast<std::ptrdiff_t>(window->count));
    }
  }
  // Those that stay are settled for good.
  windows_.clear();
  return open();
}

TimedCase CaseExperiment::finish(const std::string& cut_short) {
  if (failed_) return result_;
  const auto rounds = result_.us.size();
  std::string gave_up =
      fmt::format("after {} blocks in {} round{} and {:.2g} s", measured_, rounds, rounds == 1 ? "" : "s", used_s_);
  if (!cause_.empty())
    gave_up = fmt::format("{} measurement{} disturbed, the last because {}", disturbed_windows_,
                          disturbed_windows_ == 1 ? " was" : "s were", cause_);
  if (open() && !cut_short.empty()) gave_up = cut_short;
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < track_of_.size(); ++i) {
    TimedComparison comparison;
    comparison.against = job_.references[i].against;
    comparison.verdict = Verdict::unchanged;
    if (track_of_[i] != kEqual) {
      Track& track = tracks_[track_of_[i]];
      track.close(gave_up);
      comparison = {track.against(), track.verdict(), track.reason(), track.timing()};
      const bool lost = fresh_note_.empty() && measured_ > 0 && track.fresh_blocks() == 0;
      const std::string note = lost ? "what was measured was disturbed" : fresh_note_;
      comparison.timing.checked = checked_;
      if (!note.empty() && !track.trusted()) comparison.timing.trace.push_back("not timed on fresh inputs: " + note);
    }
    verdicts.push_back(comparison.verdict);
    result_.comparisons.push_back(std::move(comparison));
  }
  if (company_.slowed && passes(worst(verdicts))) {
    auto& first = result_.comparisons.front();
    first.verdict = Verdict::suspect;
    first.reason = fmt::format(
        "the {} version takes {:.4g} us alone and {:.1f} % more beside this one: this one slows down what runs beside "
        "it, "
        "so the ratio says too little",
        first.against, alone_us_, 100 * (company_.ratio - 1));
    verdicts.front() = first.verdict;
  }
  result_.verdict = worst(verdicts);
  if (passes(result_.verdict)) result_.verdict = result_.comparisons.front().verdict;
  const auto first = std::find_if(result_.comparisons.begin(), result_.comparisons.end(),
                                  [&](const auto& one) { return one.verdict == result_.verdict; });
  if (first != result_.comparisons.end()) result_.reason = first->reason;
  return result_;
}

void CaseExperiment::fail(Verdict verdict, std::string reason) {
  failed_ = true;
  result_.verdict = verdict;
  result_.reason = std::move(reason);
  for (std::size_t i = 0; i < track_of_.size(); ++i) {
    result_.comparisons.push_back({job_.references[i].against, verdict, result_.reason,
                                   track_of_[i] == kEqual ? Timing{} : tracks_[track_of_[i]].timing()});
  }
}

// False where the candidate's scratch memory is what does not fit. It did alone, when it was checked, so this is no
// failure of the machine: the control is the same child without it.
bool CaseExperiment::place(runner::Client& child) {
  try {
    place_case(child, arms_.buffers, inputs_, pool_for(options_.backend, arms_.buffers, options_.pool_bytes));
    return true;
  } catch (const Error& error) {
    const bool has_scratch = arms_.buffers.size() > arms_.without_first.size();
    if (error.kind() != ErrorKind::environment || child.lost() || !has_scratch) throw;
    child.allocate({arms_.without_first, 0}, runner::Client::Seconds(kHandOverLimit));
    fail(Verdict::wrong, fmt::format("its scratch memory does not fit beside the base's: {}", error.what()));
    return false;
  }
}

// Blocks that the rest of the budget pays for, by what a block has cost so far: a slow kernel is looked at after a few,
// and a request never grows so long that it could be taken for a hang.
std::int64_t CaseExperiment::affordable() const {
  if (measured_ == 0) return stats::kMinBlocks;
  const double rest = std::max(0.0, options_.budget.seconds_per_case - used_s_);
  return std::clamp(static_cast<std::int64_t>(rest / (used_s_ / static_cast<double>(measured_))), stats::kMinBlocks,
                    kMostStep);
}

// A stream of its own for every case, round and purpose: the same seed repeats the same orders and places.
std::uint64_t CaseExperiment::stream_of(const std::string& what) const {
  return verdict::stream_of({options_.seed, job_.subject->name, fmt::format("{}/round{}/{}", one_.name, round_, what)});
}

}  // namespace kgate::verdict
