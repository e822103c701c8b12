// Problem: cuEventElapsedTime may succeed and say nonsense (a broken driver, a virtual GPU that was moved, a clock that
// jumped), and a ratio of nonsense looks like any other. Choice: three things are known without trusting the driver:
// how many samples were asked for, that a time is positive and finite, and how long the judge waited. The samples lie
// one after the other within that wait, so their sum is at most as long. Rejected: a bound on single samples alone (a
// clock that runs ten times too fast passes it), and comparing with the judge's clock from below (a kernel of 5 us is
// measured in requests that take a second).
#include "runner/plausible.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::runner {
namespace {

// A GPU's clock may run ahead of the judge's a little, and events tick by the half microsecond.
constexpr double kClockError = 0.02, kSlackUs = 500;

Error nonsense(const char* subject, const std::string& fact) {
  return {ErrorKind::environment, subject, fact,
          "the driver or a clock is broken: look for NVRM and Xid lines in the kernel log (dmesg), reset the GPU or "
          "restart the machine"};
}

}  // namespace

void require_plausible(const TimeJob& job, const TimeOutcome& outcome, double waited_s) {
  constexpr const char* kSubject = "measured times";
  if (!outcome.run.ok || outcome.run.unsupported) return;
  if (outcome.us.size() != job.arms.size())
    throw nonsense(kSubject, fmt::format("are of {} versions, {} were asked for", outcome.us.size(), job.arms.size()));
  double sum_us = 0;
  for (const auto& samples : outcome.us) {
    if (samples.size() != job.blocks) {
      throw nonsense(kSubject,
                     fmt::format("have {} samples of a version, {} were asked for", samples.size(), job.blocks));
    }
    for (const double us : samples) {
      if (!std::isfinite(us) || us <= 0) throw nonsense(kSubject, fmt::format("say that a launch took {} us", us));
      sum_us += us * std::max<std::uint32_t>(1, outcome.launches_per_sample);
    }
  }
  const double waited_us = 1e6 * waited_s;
  if (sum_us > waited_us * (1 + kClockError) + kSlackUs) {
    throw nonsense(kSubject, fmt::format("come to {:.6g} ms of launches, in {:.6g} ms by the judge's clock",
                                         1e-3 * sum_us, 1e-3 * waited_us));
  }
}

void require_plausible(const DeviceInfo& info) {
  const auto device = [&](const std::string& fact) {
    return nonsense("device", fmt::format("\"{}\" {}", info.name, fact));
  };
  if (info.memory_bytes == 0) throw device("has no memory, says the driver");
  if (info.multiprocessors == 0) throw device("has no multiprocessors, says the driver");
  // The host's two numbers come from two places, and inside of containers they need not agree.
  if (info.backend == "cuda" && info.free_bytes > info.memory_bytes) {
    throw device(fmt::format("has {} bytes free of {}, says the driver", info.free_bytes, info.memory_bytes));
  }
}

}  // namespace kgate::runner
