#include "runner/host/timing.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"
#include "base/philox.h"
#include "runner/placement.h"

namespace kgate::runner::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostLaunches = 1000;
constexpr std::size_t kCoreCacheWords = (8u << 20) / sizeof(std::uint64_t);  // twice the largest L2 of a core
constexpr std::byte kPoison{0xff};                                           // NaN in every float type

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The stream for the pilot, which no block uses.
constexpr std::uint64_t kPilotStream = ~std::uint64_t{0};

// One TimeJob on its way: where the buffers lie now, and the arms on them.
class Timing {
 public:
  Timing(const TimeJob& job, const TimingBench& bench)
      : job_(job), bench_(bench), plan_(plan_samples(bench.buffers, job.cache)), payloads_(bench.buffers.size()) {
    if (bench.pool.empty()) own_ = Mapping(smallest_pool(bench.buffers, Placement::fixed));
    if (plan_.cold) sweep_.assign(2 * bench.cache_bytes / sizeof(std::uint64_t), 1);
  }

  TimeOutcome run() {
    TimeOutcome outcome;
    outcome.us.resize(job_.arms.size());
    outcome.regime = plan_.single ? "single" : "batch";
    launches_ = plan_.single ? 1 : job_.launches_per_sample;
    if (launches_ == 0 && !pilot()) return failed(std::move(outcome));
    outcome.launches_per_sample = launches_;
    for (std::uint32_t block = 0; block < job_.blocks; ++block) {
      RandomStream random(job_.seed, job_.first_block + block);
      if (!place(random)) return failed(std::move(outcome));
      std::vector<std::size_t> order(job_.arms.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      random.shuffle(order);
      for (const std::size_t arm : order) {
        double us = 0;
        if (!warm_up(arm) || !sample(arm, us)) return failed(std::move(outcome));
        outcome.us[arm].push_back(us);
      }
    }
    return outcome;
  }

 private:
  TimeOutcome failed(TimeOutcome outcome) {
    outcome.run = failure_;
    return outcome;
  }

  std::span<std::byte> pool() const { return bench_.pool.empty() ? own_.bytes() : bench_.pool; }

  // Moves the buffers to new places, with their contents, and prepares the arms there.
  bool place(RandomStream& random) {
    auto places = draw_places(sizes_of(bench_.buffers), pool().size(), job_.placement, random);
    if (places.empty()) places = draw_places(sizes_of(bench_.buffers), pool().size(), Placement::fixed, random);
    if (places.size() != bench_.buffers.size())
      throw Error(ErrorKind::internal, "host backend", "the buffers do not fit their own pool");
    for (std::size_t i = 0; i < places.size(); ++i) payloads_[i] = pool().data() + places[i];
    fill(true);
    prepared_.clear();
    for (const TimedArm& arm : job_.arms) {
      const auto module = bench_.modules.find(arm.arm);
      if (module == bench_.modules.end())
        throw Error(ErrorKind::usage, "host backend", fmt::format("arm {} is not loaded", arm.arm));
      prepared_.push_back(prepare(arm.launches, *module->second, payloads_));
      if (!prepared_.back().outcome.ok) return fail(prepared_.back().outcome);
    }
    return true;
  }

  // Contents as before a launch sequence. Inputs do not change by running, so only `all` writes them. Zeroed workspaces
  // are the arm's own work.
  void fill(bool all) {
    for (std::size_t i = 0; i < bench_.buffers.size(); ++i) {
      const Buffer& buffer = bench_.buffers[i];
      const auto bytes = static_cast<std::size_t>(buffer.bytes);
      if (bytes == 0) continue;
      if (buffer.role == BufferRole::inout || (buffer.role == BufferRole::input && all)) {
        std::memcpy(payloads_[i], bench_.homes[i], bytes);
      } else if (buffer.role == BufferRole::output && buffer.zeroed) {
        std::memset(payloads_[i], 0, bytes);
      } else if (all && buffer.role != BufferRole::input) {
        std::memset(payloads_[i], std::to_integer<int>(kPoison), bytes);
      }
    }
  }

  bool fail(const RunOutcome& outcome) {
    failure_ = outcome;
    return false;
  }

  // The timed part: one launch sequence, with what belongs to it.
  bool launch(std::size_t arm) {
    for (std::size_t i = 0; i < bench_.buffers.size(); ++i) {
      const Buffer& buffer = bench_.buffers[i];
      if (buffer.role == BufferRole::workspace && buffer.zeroed && buffer.bytes > 0) {
        std::memset(payloads_[i], 0, static_cast<std::size_t>(buffer.bytes));
      }
    }
    const RunOutcome outcome = bench_.grid.run(prepared_[arm].launches);
    return outcome.ok || fail(outcome);
  }

  bool warm_up(std::size_t arm) {
    if (plan_.restore_each) fill(false);
    return launch(arm);
  }

  // Microseconds a launch sequence, as the mean of the sample's launches.
  bool sample(std::size_t arm, double& us) {
    double total = 0;
    if (!plan_.restore_each && !plan_.cold) {
      const auto start = Clock::now();
      for (std::uint32_t i = 0; i < launches_; ++i) {
        if (!launch(arm)) return false;
      }
      total = us_since(start);
    } else {
      for (std::uint32_t i = 0; i < launches_; ++i) {
        if (plan_.restore_each) fill(false);
        if (plan_.cold) sweep();
        const auto start = Clock::now();
        if (!launch(arm)) return false;
        total += us_since(start);
      }
    }
    us = total / launches_;
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
    RandomStream random(job_.seed, kPilotStream);
    launches_ = 1;
    if (!place(random)) return false;
    double slowest = 0;
    for (std::size_t arm = 0; arm < job_.arms.size(); ++arm) {
      std::array<double, 3> us{};
      if (!warm_up(arm)) return false;
      for (double& time : us) {
        if (!sample(arm, time)) return false;
      }
      std::sort(us.begin(), us.end());
      slowest = std::max(slowest, us[1]);
    }
    launches_ = launches_for(slowest, job_.sample_us);
    return true;
  }

  const TimeJob& job_;
  const TimingBench& bench_;
  SamplePlan plan_;
  Mapping own_;
  std::vector<std::byte*> payloads_;
  std::vector<Prepared> prepared_;
  std::vector<std::uint64_t> sweep_;
  std::atomic<std::uint64_t> swept_{0};  // so that the compiler keeps the reads
  std::uint32_t launches_ = 1;
  RunOutcome failure_;
};

}  // namespace

SamplePlan plan_samples(const std::vector<Buffer>& buffers, CacheState cache) {
  SamplePlan plan;
  plan.restore_each = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
    return buffer.role == BufferRole::inout || (buffer.role == BufferRole::output && buffer.zeroed);
  });
  plan.cold = cache == CacheState::cold;
  plan.single = plan.restore_each || plan.cold;
  return plan;
}

std::uint32_t launches_for(double launch_us, double sample_us) {
  if (!(launch_us > 0) || !(sample_us > 0)) return 1;
  return static_cast<std::uint32_t>(
      std::clamp(std::round(sample_us / launch_us), 1.0, static_cast<double>(kMostLaunches)));
}

std::vector<std::uint64_t> sizes_of(const std::vector<Buffer>& buffers) {
  std::vector<std::uint64_t> sizes(buffers.size());
  std::transform(buffers.begin(), buffers.end(), sizes.begin(),
                 [](const Buffer& buffer) { return std::max<std::uint64_t>(buffer.bytes, 1); });
  return sizes;
}

std::uint64_t smallest_pool(const std::vector<Buffer>& buffers, Placement placement) {
  const std::uint64_t step = placement == Placement::segment ? std::uint64_t{2} << 20 : 4096;
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : sizes_of(buffers)) bytes += (size + step - 1) / step * step;
  return bytes;
}

TimeOutcome time_arms(const TimeJob& job, const TimingBench& bench) {
  return Timing(job, bench).run();
}

}  // namespace kgate::runner::host
