#pragma once

#include <string>
#include <vector>

#include "gate/stats/regimes.h"
#include "gate/stats/trial.h"
#include "gate/verdict/result/result.h"

namespace kgate::verdict {

// Microseconds: of event clocks (H200), of the host's clock.
double tick_of(const std::string& backend);

struct TrackOptions {
  std::string against = "base";  // or "accepted", "last-release", kToolkit
  bool trusted = false;          // two earlier versions are compared: neither has a reason to cheat
  stats::Zone zone;              // as the policy says
  stats::TrialOptions trial;     // its zone is worked out from `zone` and the reference's time
  double tick_us = 0.032;        // the clock that times a sample
};

// One comparison of a case on its way: the candidate against one reference, block by block; what its numbers mean.
class Track {
 public:
  explicit Track(TrackOptions options) : options_(std::move(options)), trial_(options_.trial) {}

  const std::string& against() const { return options_.against; }
  bool trusted() const { return options_.trusted; }
  const stats::Trial& trial() const { return trial_; }
  bool open() const { return !closed_ && trial_.open(); }
  bool decided() const { return trial_.finished(); }

  void start_round() { trial_.start_round(); }
  void conclude_round() { trial_.conclude_round(); }
  // Microseconds a launch of both, by block, and how they were taken.
  void add(const std::vector<double>& candidate_us, const std::vector<double>& reference_us, const Timing& how);
  void add_fresh(const std::vector<double>& candidate_us, const std::vector<double>& reference_us);
  void drop(std::size_t round, std::size_t first, std::size_t count);
  void drop_fresh(std::size_t first, std::size_t count);
  // There ought to be such figures: without them a large advantage is not believed.
  void want_fresh() { fresh_wanted_ = true; }
  // The budget had no room for them, at the last try.
  void miss_fresh(bool missed) { fresh_missed_ = missed; }
  // The two regimes, as far as they were measured. No fresh figures: unknown.
  stats::Agreement agreement() const;
  std::int64_t fresh_blocks() const { return std::ssize(fresh_.candidate_us); }

  // The verdict by what there is. `gave_up`: why nothing more will come, for a track that is not decided.
  void close(const std::string& gave_up);
  Verdict verdict() const { return verdict_; }
  const std::string& reason() const { return reason_; }
  const Timing& timing() const { return timing_; }

 private:
  stats::PairedTimes repeated() const;
  void summarise();
  std::string open_end() const;
  void count_fresh(const stats::Agreement& regimes);
  std::string unproven(const stats::Agreement& regimes) const;

  TrackOptions options_;
  stats::Trial trial_;
  std::vector<std::vector<double>> candidate_us_, reference_us_;  // [round][block]
  stats::PairedTimes fresh_;
  Timing timing_;
  bool closed_ = false, fresh_wanted_ = false, fresh_missed_ = false;
  Verdict verdict_ = Verdict::inconclusive;
  std::string reason_;
};

}  // namespace kgate::verdict
