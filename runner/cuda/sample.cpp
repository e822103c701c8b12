// One sample of one arm. timing.cpp says how samples make a block; this is what lies between the events, by regime:
//
//   batch          untimed batch, [put back] event batch event          a graph of n launches, or one long launch
//   cold           untimed launch, n x (put back, flush, event launch event)
//   fresh          untimed launch, hold, n x (refresh, event launch event), or with the flush after each refresh
//   stretch        untimed batch, event m x batch event
//     put back     untimed batch, hold, n x (put back, event batch event), again until the events' sum is long enough
//     cold, fresh  as they are, again until the sum is long enough
//
// A kernel that remembers what it was given and skips the work when it comes again looks quick in a batch, where inputs
// repeat. In the fresh regime every launch has other inputs than the one before, the untimed one included: one of
// several contents, copied from device memory just before it, outputs and workspaces poisoned. All arms of a block see
// the same sequence. It costs a copy of the inputs a launch, so repeats are few (2 to 8).
//
// The tail of an arm runs once a sample. Where a sample is one batch it is the batch's end, in the same graph, and a
// stretch of m batches has m of them. Where it is made of repeats of single launches it follows the last one, before
// its second event: the GPU is behind the processor there, so it needs no graph.
#include "runner/cuda/sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {
namespace {

constexpr std::uint64_t kFlushMargin = 8u << 20;
// A stretch ends here at the latest. With an event pair each, and a flush or copies before it, a launch costs much more
// than its own time.
constexpr std::uint64_t kMostRuns = 100'000, kMostPairs = 4096;
constexpr std::uint32_t kOwnSteps = 4;  // of a repeat: two events, a launch, and one to spare

}  // namespace

Sampler::Sampler(const Device& device, const Layouts& layouts, std::vector<std::uint32_t> variants, Regime regime,
                 CacheState cache)
    : device_(device), layouts_(layouts), variants_(std::move(variants)), regime_(regime) {
  if (cache == CacheState::cold) flush_.emplace(device, 2 * device.l2_bytes() + kFlushMargin);
}

Sample Sampler::take(Arm& arm, const Plan& plan, Setting setting) {
  const Layout& layout = setting.layout;
  const bool has_tail = plan.tails && arm.tail.steps() > 0;
  const auto enqueue = [&] {
    for (std::uint32_t launch = 0; launch < plan.batch; ++launch) arm.launches.enqueue(layout.of(launch));
    if (has_tail && tail_in_batch()) arm.tail.enqueue(layout.of(plan.batch - 1));
  };
  // Several launches one by one can be quicker on the GPU than on the processor that enqueues them, so they are a
  // graph.
  std::optional<Graph> graph;
  const bool more = arm.launches.steps() > 1 || (has_tail && tail_in_batch());
  if (plan.batch > 1 || more) graph.emplace(device_, enqueue);
  const auto once = [&] {
    if (graph) {
      graph->launch();
    } else {
      enqueue();
    }
  };

  make_events(2 * std::size_t{plan.repeats});
  // Lines of the L2 that the arm before asked to stay there would be lost to this one.
  check(device_.driver().context_reset_persisting_cache(), "cuCtxResetPersistingL2Cache");
  if (setting.marks) layouts_.lay_guards(layout, plan.batch - 1, setting.marks->guard);
  put_back(setting);
  once();
  double us = 0;
  std::uint32_t variant = 0;
  std::uint64_t runs = plan.runs, done = 0, pairs = 0;
  do {
    hold(arm, plan);
    for (std::size_t i = 0; i < plan.repeats; ++i) {
      variant = put_back(setting);
      if (flush_)
        check(device_.driver().set_bytes(flush_->address(), 0, flush_->bytes(), device_.stream()), "cuMemsetD8Async");
      events_[2 * i].record();
      for (std::uint64_t run = 0; run < runs; ++run) once();
      if (has_tail && !tail_in_batch() && i + 1 == plan.repeats) arm.tail.enqueue(layout.of(0));
      events_[2 * i + 1].record();
    }
    events_[2 * std::size_t{plan.repeats} - 1].synchronize();
    for (std::size_t i = 0; i < plan.repeats; ++i) us += events_[2 * i + 1].microseconds_since(events_[2 * i]);
    done += runs * plan.repeats;
    pairs += plan.repeats;
    // A pilot that took the kernel for slower than it is: what is left, not the whole again.
    if (runs > 1 && us > 0 && us < plan.length_us) {
      const double left = std::ceil((plan.length_us - us) / us * static_cast<double>(done));
      runs = static_cast<std::uint64_t>(std::clamp(left, 1.0, static_cast<double>(plan.runs)));
    }
  } while (us < plan.length_us && done < kMostRuns && pairs < kMostPairs);
  return {us / (static_cast<double>(done) * plan.batch), variant};
}

std::uint32_t Sampler::put_back(Setting& setting) const {
  const std::byte poison = setting.marks ? setting.marks->poison : Marks().poison;
  if (fresh()) {
    const std::uint32_t variant = variants_[setting.variants.next()];
    layouts_.refresh(setting.layout, variant, poison);
    return variant;
  }
  if (setting.restore != nullptr) {
    setting.restore->launch();
  } else {
    layouts_.restore(setting.layout);
  }
  if (setting.marks) layouts_.poison(setting.layout, poison);
  return 0;
}

// A flush holds long enough, and a single pair has the untimed run before it.
void Sampler::hold(const Arm& arm, const Plan& plan) {
  if (cold() || !(fresh() || plan.repeats > 1)) return;
  const std::uint32_t steps = kOwnSteps + layouts_.refresh_steps();
  const double us = plan.repeats * Hold::needed_us(steps, fresh() ? layouts_.refresh_bytes() : 0) +
                    Hold::needed_us(static_cast<std::uint32_t>(arm.tail.steps()), 0);
  if (us <= 0) return;
  if (!hold_) hold_.emplace(device_);
  hold_->enqueue(us);
}

void Sampler::make_events(std::size_t count) {
  while (events_.size() < count) events_.emplace_back(device_);
}

}  // namespace kgate::runner::cuda
