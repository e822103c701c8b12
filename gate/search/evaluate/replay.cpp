#include "gate/search/evaluate/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/philox.h"

namespace kgate::search {

Confirmation confirm(verdict::JudgeOptions options, const Candidate& baseline, const Candidate& winner,
                     std::int64_t tried, verdict::Progress& progress, verdict::Result& result) {
  options.in_place = winner.files;
  options.in_place_of = baseline.files;
  options.tried = std::max<std::int64_t>(tried, 1);
  options.seed = fresh_seed();
  options.compare = {"base"};
  verdict::Judgement judgement;
  verdict::judge(options, progress, judgement);
  verdict::seal(judgement, nullptr, 0);
  result = std::move(judgement.result);
  Confirmation found;
  found.seconds = result.total_s;
  if (result.kernels.size() != 1) {
    found.verdict = name_of(result.verdict);
    found.reason = result.reason;
    return found;
  }
  const auto& kernel = result.kernels.front();
  found.verdict = name_of(kernel.verdict);
  found.reason = kernel.reason;
  if (kernel.comparisons.empty() || !kernel.comparisons.front().timed()) {
    if (found.reason.empty()) found.reason = "it was not timed beside the baseline";
    return found;
  }
  const auto& comparison = kernel.comparisons.front();
  found.ratio = comparison.ratio;
  found.low = comparison.low;
  found.high = comparison.high;
  found.better = passes(kernel.verdict) && comparison.high < 1;
  if (!found.better && found.reason.empty())
    found.reason = fmt::format("{:+.2f} % [{:+.2f}, {:+.2f}] beside the baseline: not proved to be faster",
                               100 * (found.ratio - 1), 100 * (found.low - 1), 100 * (found.high - 1));
  return found;
}

}  // namespace kgate::search
