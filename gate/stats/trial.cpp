#include "gate/stats/trial.h"

#include <algorithm>

namespace kgate::stats {
namespace {

// A step adds at least this share of what is there: looks that come too often spend the error on nothing.
constexpr double kGrowth = 0.35;

std::int64_t size_of(const std::vector<double>& round) {
  return static_cast<std::int64_t>(round.size());
}

}  // namespace

std::int64_t Trial::blocks() const {
  std::int64_t sum = 0;
  for (const auto& round : evidence_.rounds) sum += size_of(round);
  return sum;
}

void Trial::start_round() {
  evidence_.rounds.emplace_back();
  round_over_ = false;
  goal_ = kMinBlocks;
  if (rounds() == 1) return;
  plan();
}

std::int64_t Trial::wanted() const {
  if (finished_ || round_over_ || evidence_.rounds.empty()) return 0;
  return std::clamp<std::int64_t>(goal_ - size_of(evidence_.rounds.back()), 0, options_.most_step);
}

// How many blocks this round wants in all, by what is known of the spread.
void Trial::plan() {
  const auto here = size_of(evidence_.rounds.back());
  const auto before = blocks() - here;
  const auto min_rounds = options_.decision.min_rounds;
  if (rounds() < min_rounds) {
    // The spread of a few blocks is known badly: at most twice what is there, then again.
    goal_ = std::max(kMinBlocks, std::min((decision_.blocks_needed + min_rounds - 1) / min_rounds, std::max(2 * here, kMinBlocks)));
    return;
  }
  const auto step = std::max<std::int64_t>(kMinBlocks, static_cast<std::int64_t>(kGrowth * static_cast<double>(blocks())));
  const auto missing = decision_.blocks_needed - before - here;
  goal_ = here + std::clamp(missing, here == 0 ? kMinBlocks : step, std::max(step, options_.most_step));
}

void Trial::add(const std::vector<double>& log_ratios) {
  auto& round = evidence_.rounds.back();
  round.insert(round.end(), log_ratios.begin(), log_ratios.end());
  if (rounds() >= options_.decision.min_rounds) {
    if (size_of(round) >= goal_) look();
    return;
  }
  // No decision yet: a plan alone.
  decision_ = decide(evidence_, options_.decision);
  plan();
  if (size_of(round) >= goal_) round_over_ = true;
}

void Trial::look() {
  ++looks_;
  decision_ = decide(evidence_, options_.decision, looks_);
  trace_.push_back(decision_.why);
  if (decision_.finding == Finding::undecided) {
    plan();
    return;
  }
  if (decision_.finding != Finding::slower) {
    finished_ = true;
    return;
  }
  if (!confirming_) {
    confirming_ = true;
    round_over_ = true;
    trace_.emplace_back("suspected; a fresh round must confirm it");
    return;
  }
  if (confirms(evidence_.rounds.back(), options_.decision)) {
    finished_ = true;
    trace_.emplace_back("confirmed in a fresh round");
    return;
  }
  confirming_ = false;
  trace_.emplace_back("a fresh round did not confirm it");
  plan();
}

}  // namespace kgate::stats
