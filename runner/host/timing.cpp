#include "runner/host/timing.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/philox.h"
#include "runner/host/places.h"
#include "runner/host/plan.h"
#include "runner/marks.h"
#include "runner/variants.h"

namespace kgate::runner::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kCoreCacheWords = (8u << 20) / sizeof(std::uint64_t);  // twice the largest L2 of a core
// A stretch of launches that are timed one by one ends here at the latest: what comes before each can cost much more.
constexpr std::uint64_t kMostSingles = 4096;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The stream for the pilot, which no block uses.
constexpr std::uint64_t kPilotStream = ~std::uint64_t{0};

std::vector<std::vector<const std::byte*>> contents_of(const TimingBench& bench) {
  std::vector<std::vector<const std::byte*>> contents;
  for (std::uint32_t i = 0; i < bench.variants.count(); ++i)
    contents.push_back(bench.variants.payloads(i, bench.homes));
  return contents;
}

// One TimeJob on its way: where the buffers lie now, and the arms on them.
class Timing {
 public:
  Timing(const TimeJob& job, const TimingBench& bench, const SampleVisitor& visit)
      : job_(job),
        bench_(bench),
        visit_(visit),
        plan_(plan_samples(bench.buffers, job.cache, job.regime)),
        places_(bench.buffers, contents_of(bench), bench.pool) {
    if (plan_.cold) sweep_.assign(2 * bench.cache_bytes / sizeof(std::uint64_t), 1);
  }

  TimeOutcome run() {
    TimeOutcome outcome;
    outcome.us.resize(job_.arms.size());
    outcome.regime = plan_.fresh ? "fresh" : plan_.single ? "single" : "batch";
    launches_ = job_.launches_per_sample;
    if (launches_ == 0 && !pilot()) return failed(std::move(outcome));
    outcome.launches_per_sample = launches_;
    whole_ = true;
    for (std::uint32_t block = 0; block < job_.blocks; ++block) {
      RandomStream random(job_.seed, job_.first_block + block);
      if (!place(random)) return failed(std::move(outcome));
      std::vector<std::size_t> order(job_.arms.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      random.shuffle(order);
      marks_ = std::nullopt;
      if (std::binary_search(job_.checked.begin(), job_.checked.end(), block)) marks_ = marks_of(job_, block);
      for (const std::size_t arm : order) {
        // Every arm sees the same inputs in the same order.
        VariantSequence sequence(bench_.variants.count(), random);
        double us = 0;
        if (marks_) places_.lay_guards(marks_->guard);
        if (!warm_up(arm, sequence) || !sample(arm, sequence, us)) return failed(std::move(outcome));
        outcome.us[arm].push_back(us);
      }
      if (marks_) show(order.back(), block);
    }
    return outcome;
  }

 private:
  struct PreparedArm {
    std::vector<PreparedLaunch> launches, tail;
  };

  TimeOutcome failed(TimeOutcome outcome) {
    outcome.run = failure_;
    return outcome;
  }

  void show(std::size_t arm, std::uint32_t block) const {
    visit_({static_cast<std::uint32_t>(arm), block, bench_.variants.number(variant_),
            [&](const Region& region, std::span<std::byte> data) { places_.read(region, data); }});
  }

  bool fail(const RunOutcome& outcome) {
    failure_ = outcome;
    return false;
  }

  // Moves the buffers to new places, with their contents, and prepares the arms there.
  bool place(RandomStream& random) {
    places_.draw(job_.placement, random);
    places_.fill(0);
    prepared_.clear();
    for (const TimedArm& arm : job_.arms) {
      Prepared launches = prepare(arm.launches, bench_.modules, arm.arm, places_.payloads());
      if (!launches.outcome.ok) return fail(launches.outcome);
      Prepared tail = prepare(arm.tail, bench_.modules, arm.arm, places_.payloads());
      if (!tail.outcome.ok) return fail(tail.outcome);
      prepared_.push_back({std::move(launches.launches), std::move(tail.launches)});
    }
    return true;
  }

  // The timed part: one launch sequence, with what belongs to it.
  bool launch(std::size_t arm) {
    places_.zero_workspaces();
    const RunOutcome outcome = bench_.grid.run(prepared_[arm].launches);
    return outcome.ok || fail(outcome);
  }

  bool tail(std::size_t arm) {
    if (!whole_) return true;
    const RunOutcome outcome = bench_.grid.run(prepared_[arm].tail);
    return outcome.ok || fail(outcome);
  }

  void put_back(VariantSequence& sequence) {
    if (plan_.fresh) {
      variant_ = sequence.next();
      places_.fill(variant_);
    } else if (plan_.restore_each) {
      places_.put_back();
    }
    if (marks_) places_.poison(marks_->poison);
  }

  bool warm_up(std::size_t arm, VariantSequence& sequence) {
    put_back(sequence);
    return launch(arm);
  }

  // Microseconds a launch sequence, as the mean of the sample's launches; of a stretch, of as many samples as last so
  // long.
  bool sample(std::size_t arm, VariantSequence& sequence, double& us) {
    const double length_us = whole_ ? 1000 * job_.stretch_ms : 0;
    double total = 0;
    std::uint64_t done = 0;
    if (marks_ && !plan_.single) places_.poison(marks_->poison);
    const auto start = Clock::now();
    do {
      if (!(plan_.single ? singles(arm, sequence, total) : batch(arm, start, total))) return false;
      done += launches_;
    } while (total < length_us && (!plan_.single || done < kMostSingles));
    us = total / static_cast<double>(done);
    return true;
  }

  bool batch(std::size_t arm, Clock::time_point start, double& total) {
    for (std::uint32_t i = 0; i < launches_; ++i) {
      if (!launch(arm)) return false;
    }
    if (!tail(arm)) return false;
    total = us_since(start);
    return true;
  }

  bool singles(std::size_t arm, VariantSequence& sequence, double& total) {
    for (std::uint32_t i = 0; i < launches_; ++i) {
      put_back(sequence);
      if (plan_.cold) sweep();
      const auto start = Clock::now();
      if (!launch(arm) || (i + 1 == launches_ && !tail(arm))) return false;
      total += us_since(start);
    }
    return true;
  }

  // Every worker reads its share of twice the last-level cache, and at least twice its own core's cache.
  void sweep() {
    const std::size_t shares = bench_.grid.threads();
    const std::size_t share = std::max(sweep_.size() / shares, std::min(sweep_.size(), kCoreCacheWords));
    bench_.grid.on_all([&](std::uint32_t worker) {
      std::uint64_t sum = 0;
      const std::size_t first = sweep_.size() / shares * worker;
      for (std::size_t i = 0; i < share; i += 8) sum += sweep_[(first + i) % sweep_.size()];
      swept_.fetch_add(sum, std::memory_order_relaxed);
    });
  }

  // Takes the slowest arm as the measure: no sample lasts much longer than was asked for.
  bool pilot() {
    launches_ = 1;
    if (plan_.single && !plan_.fresh) return true;
    RandomStream random(job_.seed, kPilotStream);
    if (!place(random)) return false;
    double slowest = 0;
    for (std::size_t arm = 0; arm < job_.arms.size(); ++arm) {
      VariantSequence sequence(bench_.variants.count(), random);
      std::array<double, 3> us{};
      if (!warm_up(arm, sequence)) return false;
      for (double& time : us) {
        if (!sample(arm, sequence, time)) return false;
      }
      std::sort(us.begin(), us.end());
      slowest = std::max(slowest, us[1]);
    }
    launches_ = plan_.fresh ? repeats_for(slowest, job_.sample_us) : launches_for(slowest, job_.sample_us);
    return true;
  }

  const TimeJob& job_;
  const TimingBench& bench_;
  const SampleVisitor& visit_;
  SamplePlan plan_;
  Places places_;
  std::vector<PreparedArm> prepared_;
  std::vector<std::uint64_t> sweep_;
  std::atomic<std::uint64_t> swept_{0};  // so that the compiler keeps the reads
  std::uint32_t launches_ = 1;
  bool whole_ = false;          // samples with their tails, as long as asked for; the pilot's are not
  std::optional<Marks> marks_;  // of a checked block
  std::uint32_t variant_ = 0;   // index of what the last launch saw
  RunOutcome failure_;
};

}  // namespace

TimeOutcome time_arms(const TimeJob& job, const TimingBench& bench, const SampleVisitor& visit) {
  if (job.regime == Regime::fresh && !bench.variants.fit()) {
    TimeOutcome outcome;
    outcome.run = {false, true, fmt::format("no room for {} variants of the inputs", bench.variants.count())};
    return outcome;
  }
  return Timing(job, bench, visit).run();
}

}  // namespace kgate::runner::host
