#include "gate/verdict/timing/track.h"

#include <cmath>

#include <fmt/format.h>

#include "gate/stats/robust.h"
#include "gate/verdict/compile/baseline.h"

namespace kgate::verdict {
namespace {

constexpr double kMuchFaster = 0.8;  // of the reference's time
// What parts the cold start of an honest kernel from work that was skipped, in ln ratios. On an H200 honest settings of
// example kernels differed by 2.7, 7.5 and 8.1 percentage points between the regimes: caches that the base fills too,
// a second launch that a batch hides. Kernels that remember lose most of what they gained, and gained much.
constexpr double kColdStart = 0.15, kGain = 0.1, kMostOfIt = 0.5;
constexpr double kUnknownOnFresh = 0.5;  // ln ratio: what fresh samples leave open beyond it is as good as all

std::vector<double> joined(const std::vector<std::vector<double>>& rounds) {
  std::vector<double> all;
  for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
  return all;
}

std::vector<double> log_ratios(const std::vector<double>& candidate_us, const std::vector<double>& reference_us) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < candidate_us.size(); ++i) ratios.push_back(std::log(candidate_us[i] / reference_us[i]));
  return ratios;
}

void cut(std::vector<double>& values, std::size_t first, std::size_t count) {
  if (first >= values.size()) return;
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  values.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, values.size() - first)));
}

std::string percent(double ratio) {
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

}  // namespace

double tick_of(const std::string& backend) {
  return backend == "host" ? 0.001 : 0.032;
}

void Track::add(const std::vector<double>& candidate_us, const std::vector<double>& reference_us, const Timing& how) {
  const auto round = static_cast<std::size_t>(trial_.rounds());
  candidate_us_.resize(round);
  reference_us_.resize(round);
  auto& candidate = candidate_us_.back();
  auto& reference = reference_us_.back();
  candidate.insert(candidate.end(), candidate_us.begin(), candidate_us.end());
  reference.insert(reference.end(), reference_us.begin(), reference_us.end());
  timing_.regime = how.regime;
  timing_.launches_per_sample = how.launches_per_sample;
  timing_.base_us = stats::quantile(joined(reference_us_), 0.5);
  const stats::Zone zone = stats::zone_for(options_.zone, timing_.base_us);
  trial_.set_zone(zone);
  timing_.zone = Zone{zone.tolerate, zone.block};
  // In a batch a tick is shared by its launches; single launches have one each.
  const double launches =
      how.regime == "single" ? 1 : static_cast<double>(std::max<std::int64_t>(1, how.launches_per_sample));
  trial_.set_resolution(options_.tick_us / (timing_.base_us * launches));
  trial_.add(log_ratios(candidate_us, reference_us));
  summarise();
}

void Track::add_fresh(const std::vector<double>& candidate_us, const std::vector<double>& reference_us) {
  fresh_.candidate_us.insert(fresh_.candidate_us.end(), candidate_us.begin(), candidate_us.end());
  fresh_.reference_us.insert(fresh_.reference_us.end(), reference_us.begin(), reference_us.end());
}

void Track::drop_fresh(std::size_t first, std::size_t count) {
  cut(fresh_.candidate_us, first, count);
  cut(fresh_.reference_us, first, count);
}

void Track::drop(std::size_t round, std::size_t first, std::size_t count) {
  if (round >= candidate_us_.size()) return;
  timing_.dropped += static_cast<std::int64_t>(
      std::min(count, candidate_us_[round].size() - std::min(first, candidate_us_[round].size())));
  cut(candidate_us_[round], first, count);
  cut(reference_us_[round], first, count);
  trial_.drop(round, first, count);
  summarise();
}

stats::PairedTimes Track::repeated() const {
  return {joined(candidate_us_), joined(reference_us_)};
}

stats::Agreement Track::agreement() const {
  stats::RegimeOptions options;
  options.error = options_.trial.decision.error;
  options.cases = options_.trial.decision.cases;
  return stats::compare_regimes(repeated(), fresh_, options);
}

void Track::summarise() {
  const auto candidate = joined(candidate_us_), reference = joined(reference_us_);
  const bool none = candidate.empty();  // all were dropped
  timing_.candidate_us = none ? 0 : stats::quantile(candidate, 0.5);
  timing_.base_us = none ? 0 : stats::quantile(reference, 0.5);
  timing_.p95_ratio = none ? 1 : stats::quantile(candidate, 0.95) / stats::quantile(reference, 0.95);
  // At the run's error level: what a first look may spend.
  const auto& decision = trial_.decision();
  timing_.ratio = decision.ratio;
  timing_.low = decision.low;
  timing_.high = decision.high;
  timing_.blocks = trial_.blocks();
  timing_.rounds = decision.rounds;
  timing_.trace = trial_.trace();
}

// What is known without an answer, and what would bring one.
std::string Track::open_end() const {
  const auto& decision = trial_.decision();
  const auto& options = trial_.options().decision;
  if (trial_.blocks() == 0 || decision.high >= stats::kUnknownRatio)
    return "nothing is known of the ratio; an answer needs a quieter machine or a larger [budget]";
  const std::string interval = fmt::format("[{}, {}]", percent(decision.low), percent(decision.high));
  if (decision.finding == stats::Finding::slower) {
    return fmt::format("slower by {:.2f} % {}, which no fresh round has confirmed; an answer needs a larger [budget]",
                       100 * (decision.ratio - 1), interval);
  }
  if (decision.rounds < options.min_rounds) {
    return fmt::format("the ratio is known only to {}, by {} of at least {} rounds; an answer needs a larger [budget]",
                       interval, decision.rounds, options.min_rounds);
  }
  return fmt::format(
      "the ratio is known only to {}; an answer needs a narrower interval than the zone "
      "{:.3g} % to {:.3g} %: a quieter machine, a larger [budget], or a wider [zone]",
      interval, 100 * options.zone.tolerate, 100 * options.zone.block);
}

// Why samples on fresh inputs do not carry what was found where inputs repeat; empty: they do, or cannot be had. Who
// claims to be much faster has to show it there: what is not proved may be work that was skipped. And nobody gets out
// of it by being slow there, or by being so unsteady that nothing can be told.
std::string Track::unproven(const stats::Agreement& regimes) const {
  const std::string remedy = "an answer needs a larger [budget] or a quieter machine";
  if (regimes.finding != stats::Agreement::Finding::unknown) return {};
  if (fresh_missed_ && fresh_blocks() == 0) {
    return fmt::format("{} where inputs repeat, and the budget had no room for samples on fresh inputs; {}",
                       percent(timing_.ratio), remedy);
  }
  if (fresh_blocks() > 0 && regimes.difference + regimes.half > kUnknownOnFresh) {
    return fmt::format("{} where inputs repeat, and on fresh inputs {:+.0f} +- {:.0f} percentage points more; {}",
                       percent(timing_.ratio), 100 * regimes.difference, 100 * regimes.half, remedy);
  }
  if (verdict_ == Verdict::faster && trial_.decision().high < kMuchFaster && (fresh_blocks() > 0 || fresh_wanted_)) {
    return fmt::format("{} where inputs repeat, which samples on fresh inputs have not confirmed; {}",
                       percent(timing_.ratio), remedy);
  }
  return {};
}

void Track::close(const std::string& gave_up) {
  closed_ = true;
  const auto& decision = trial_.decision();
  const auto zone = trial_.options().decision.zone;
  const bool finished = trial_.finished();
  reason_.clear();
  if (!finished) {
    verdict_ = Verdict::inconclusive;
    reason_ = gave_up + ": " + open_end();
  } else if (decision.finding == stats::Finding::faster) {
    verdict_ = Verdict::faster;
  } else if (decision.finding == stats::Finding::not_slower) {
    verdict_ = Verdict::pass;
  } else {
    verdict_ = Verdict::regressed;
    reason_ = fmt::format("{}slower by {:.2f} % [{:+.2f}, {:+.2f}], {:.3g} % is tolerated",
                          options_.against == "base"     ? ""
                          : options_.against == kToolkit ? "by the toolkit alone the accepted version is "
                                                         : "than the " + options_.against + " version: ",
                          100 * (decision.ratio - 1), 100 * (decision.low - 1), 100 * (decision.high - 1),
                          100 * zone.tolerate);
  }
  // What is slower where inputs repeat has no advantage to hide.
  if (verdict_ == Verdict::regressed || options_.trusted) return;
  const auto regimes = agreement();
  // Not proved either way is no reason to block, and none to be silent.
  if (fresh_blocks() > 0 && regimes.finding == stats::Agreement::Finding::unknown) {
    timing_.trace.push_back(fmt::format("on fresh inputs {:+.2f} +- {:.2f} percentage points: proved neither way",
                                        100 * regimes.difference, 100 * regimes.half));
  }
  if (passes(verdict_)) {
    reason_ = unproven(regimes);
    if (!reason_.empty()) {
      verdict_ = Verdict::inconclusive;
      return;
    }
  }
  if (regimes.finding != stats::Agreement::Finding::differ) return;
  count_fresh(regimes);
}

// The fresh figure counts: it is what a caller gets who does not repeat himself.
void Track::count_fresh(const stats::Agreement& regimes) {
  auto single = trial_.options().decision;
  single.resolution = options_.tick_us / stats::quantile(fresh_.reference_us, 0.5);
  const auto fresh =
      stats::interval({{stats::fresh_ratios(repeated(), fresh_)}}, single, stats::error_of_look(single, 1));
  const std::string there = percent(timing_.ratio),
                    interval = fmt::format("[{}, {}]", percent(fresh.low), percent(fresh.high));
  const double gain = -std::log(timing_.ratio);
  const bool skips_work = regimes.difference > kColdStart || (gain > kGain && regimes.difference > kMostOfIt * gain);
  const auto& zone = single.zone;
  reason_.clear();
  if (skips_work) {
    verdict_ = Verdict::suspect;
    reason_ = fmt::format(
        "an advantage exists only where inputs repeat: {} there, {} {} on fresh inputs; a kernel that remembers its "
        "inputs skips work",
        there, percent(fresh.ratio), interval);
  } else if (fresh.low > 1 + zone.tolerate) {
    verdict_ = Verdict::regressed;
    reason_ = fmt::format(
        "slower by {:.2f} % {} on fresh inputs, {:.3g} % is tolerated; where inputs repeat {}: what it reads "
        "or writes for the first time costs more",
        100 * (fresh.ratio - 1), interval, 100 * zone.tolerate, there);
  } else if (fresh.high < 1 + zone.block) {
    verdict_ = fresh.high < 1 - zone.tolerate ? Verdict::faster : Verdict::pass;
    timing_.trace.push_back(fmt::format("{} where inputs repeat, {} {} on fresh inputs, which counts", there,
                                        percent(fresh.ratio), interval));
  } else {
    verdict_ = Verdict::inconclusive;
    reason_ = fmt::format(
        "{} where inputs repeat, and on fresh inputs only known to {}; an answer needs a larger "
        "[budget] or a quieter machine",
        there, interval);
  }
  timing_.ratio = fresh.ratio;
  timing_.low = fresh.low;
  timing_.high = std::isfinite(fresh.high) ? fresh.high : stats::kUnknownRatio;
  timing_.regime = "fresh";
}

}  // namespace kgate::verdict
