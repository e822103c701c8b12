#include "gate/report/page/sample_series.h"

#include <algorithm>

namespace kgate::report {
namespace {

constexpr std::size_t kMostArms = 4;                 // of a case, in order; as many colours there are
constexpr std::size_t kMostPoints = 240;             // of a version
constexpr double kShortest = 1e-6, kLongest = 1e12;  // µs: a time, and drawn without overflow

bool fits(const verdict::CaseSamples& samples) {
  if (samples.arms.empty()) return false;
  return std::all_of(samples.us.begin(), samples.us.end(), [&](const auto& round) {
    return round.size() == samples.arms.size() &&
           std::all_of(round.begin(), round.end(), [&](const auto& arm) { return arm.size() == round.front().size(); });
  });
}

bool is_time(double us) {
  return us > kShortest && us < kLongest;
}

void thin_out(SampleSeries& series, const std::vector<double>& values, std::size_t step) {
  series.sorted = values;
  std::sort(series.sorted.begin(), series.sorted.end());
  for (std::size_t first = 0; first < values.size(); first += step) {
    const std::size_t last = std::min(first + step, values.size());
    std::vector<double> some(values.begin() + static_cast<std::ptrdiff_t>(first),
                             values.begin() + static_cast<std::ptrdiff_t>(last));
    std::sort(some.begin(), some.end());
    series.places.push_back(static_cast<double>(first + last - 1) / 2);
    series.values.push_back(quantile_of(some, 0.5));
  }
}

}  // namespace

double quantile_of(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

SampleSet sample_set(const verdict::CaseSamples& samples, const std::string& against) {
  SampleSet set;
  if (!fits(samples)) return set;
  const std::size_t arms = std::min(samples.arms.size(), kMostArms);
  std::vector<std::vector<double>> values(arms);
  for (const auto& round : samples.us) {
    for (std::size_t block = 0; block < round.front().size(); ++block) {
      bool good = true;
      for (std::size_t arm = 0; arm < arms; ++arm) good = good && is_time(round[arm][block]);
      for (std::size_t arm = 0; good && arm < arms; ++arm) values[arm].push_back(round[arm][block]);
    }
    set.round_ends.push_back(values.front().size());
  }
  const std::size_t blocks = values.front().size();
  if (blocks == 0) return {};
  set.step = (blocks + kMostPoints - 1) / kMostPoints;
  for (std::size_t arm = 0; arm < arms; ++arm) {
    set.arms.push_back({samples.arms[arm], {}, {}, {}});
    thin_out(set.arms.back(), values[arm], set.step);
  }
  if (arms < 2) return set;
  std::size_t other = 1;
  while (other < arms && samples.arms[other].find(against) == std::string::npos) ++other;
  if (other == arms) other = 1;
  std::vector<double> ratios(blocks);
  for (std::size_t i = 0; i < blocks; ++i) ratios[i] = values[0][i] / values[other][i];
  set.ratio.arm = samples.arms[other];
  thin_out(set.ratio, ratios, set.step);
  return set;
}

}  // namespace kgate::report
