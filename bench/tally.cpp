#include "bench/tally.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

namespace kgate::bench {
namespace {

constexpr std::int64_t kShare = 256;  // trials that a thread takes at once

// FNV-1a: a name's own number, whatever else is in the list.
std::uint64_t number_of(const std::string& text, std::uint64_t number = 0xcbf29ce484222325) {
  for (const char c : text) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return number;
}

}  // namespace

void Tally::add(const Outcome& outcome) {
  (outcome.answer == Answer::block ? blocked : outcome.answer == Answer::pass ? passed : undecided) += 1;
  const auto place = static_cast<std::size_t>(outcome.samples);
  if (by_samples_.size() <= place) by_samples_.resize(place + 1);
  ++by_samples_[place];
}

void Tally::add(const Tally& other) {
  blocked += other.blocked;
  passed += other.passed;
  undecided += other.undecided;
  by_samples_.resize(std::max(by_samples_.size(), other.by_samples_.size()));
  for (std::size_t i = 0; i < other.by_samples_.size(); ++i) by_samples_[i] += other.by_samples_[i];
}

std::int64_t Tally::samples(double p) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(p * static_cast<double>(trials())));
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < by_samples_.size(); ++i) {
    seen += by_samples_[i];
    if (seen > 0 && seen >= wanted) return static_cast<std::int64_t>(i);
  }
  return 0;
}

std::vector<Cell> run_cells(const RuleSet& rules, const NoiseModel& model, double effect, const Study& study) {
  std::vector<Cell> cells;
  for (const auto& name : rules.names) cells.push_back({name, model.name, model.stated, effect, {}});
  const std::uint64_t seed = number_of(fmt::format("{} {}", model.name, effect), study.seed ^ 0xcbf29ce484222325);
  std::atomic<std::int64_t> next{0};
  std::mutex lock;
  std::exception_ptr failure;
  const auto work = [&] {
    std::vector<Tally> tallies(rules.names.size());
    try {
      for (std::int64_t begin = 0; (begin = next.fetch_add(kShare)) < study.trials;) {
        for (std::int64_t trial = begin; trial < std::min(begin + kShare, study.trials); ++trial) {
          Random random(seed, static_cast<std::uint64_t>(trial));
          Subject subject(model, effect, random);
          const auto outcomes = rules.decide(subject);
          for (std::size_t i = 0; i < outcomes.size(); ++i) tallies[i].add(outcomes[i]);
        }
      }
    } catch (...) {
      const std::lock_guard guard(lock);
      failure = std::current_exception();
      next = study.trials;
    }
    const std::lock_guard guard(lock);
    for (std::size_t i = 0; i < tallies.size(); ++i) cells[i].tally.add(tallies[i]);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < study.threads; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return cells;
}

}  // namespace kgate::bench
