#include "gate/stats/trial.h"

#include <algorithm>

#include <fmt/format.h>

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

// Whether the rounds before this one are enough for a decision in it; what was dropped may have emptied some.
bool Trial::may_decide() const {
  std::int64_t full = 0;
  for (std::size_t i = 0; i + 1 < evidence_.rounds.size(); ++i) full += size_of(evidence_.rounds[i]) >= kMinBlocks;
  return full + 1 >= options_.decision.min_rounds;
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
  if (!may_decide()) {
    // The spread of a few blocks is known badly: at most twice what is there, then again.
    goal_ = std::max(kMinBlocks,
                     std::min((decision_.blocks_needed + min_rounds - 1) / min_rounds, std::max(2 * here, kMinBlocks)));
    return;
  }
  const auto step =
      std::max<std::int64_t>(kMinBlocks, static_cast<std::int64_t>(kGrowth * static_cast<double>(blocks())));
  const auto missing = decision_.blocks_needed - before - here;
  goal_ = here + std::clamp(missing, here == 0 ? kMinBlocks : step, std::max(step, options_.most_step));
}

void Trial::add(const std::vector<double>& log_ratios) {
  auto& round = evidence_.rounds.back();
  round.insert(round.end(), log_ratios.begin(), log_ratios.end());
  // What comes because another comparison wants it counts, but the round that suspected a slowdown cannot confirm it.
  if (round_over_ && confirming_) return;
  if (may_decide()) {
    if (size_of(round) >= goal_) look();
    return;
  }
  // No decision yet: a plan alone.
  decision_ = decide(evidence_, options_.decision);
  plan();
  if (size_of(round) >= goal_) round_over_ = true;
}

void Trial::conclude_round() {
  const bool suspected_here = round_over_ && confirming_;
  if (!finished_ && !suspected_here && !evidence_.rounds.empty() && may_decide() && blocks() > seen_) look();
  round_over_ = true;
}

void Trial::drop(std::size_t round, std::size_t first, std::size_t count) {
  if (round >= evidence_.rounds.size() || first >= evidence_.rounds[round].size()) return;
  auto& blocks = evidence_.rounds[round];
  const auto begin = blocks.begin() + static_cast<std::ptrdiff_t>(first);
  blocks.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, blocks.size() - first)));
  trace_.push_back(fmt::format("{} blocks of round {} do not count", count, round + 1));
  if (!finished_) {
    // What is known now, without a look at it; and rounds in place of what was lost.
    decision_ = decide(evidence_, options_.decision, std::max<std::int64_t>(1, looks_));
    options_.max_rounds = std::max(options_.max_rounds, rounds() + options_.decision.min_rounds);
    return;
  }
  const Finding before = decision_.finding;
  finished_ = false;
  decision_ = decide(evidence_, options_.decision, ++looks_);
  trace_.push_back(decision_.why);
  // A slowdown was confirmed by the last round, which must still do so.
  finished_ = decision_.finding == before &&
              (before != Finding::slower || confirms(evidence_.rounds.back(), options_.decision));
  if (finished_) return;
  confirming_ = false;
  options_.max_rounds = std::max(options_.max_rounds, rounds() + options_.decision.min_rounds);
}

void Trial::look() {
  ++looks_;
  seen_ = blocks();
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
