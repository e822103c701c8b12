#include "gate/stats/change_points.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "gate/stats/level.h"
#include "gate/stats/partition.h"
#include "gate/stats/robust.h"

namespace kgate::stats {
namespace {

// Of the first cut, in noises and in squares of the noise. A segment is cheap there, because each has to stand a test
// afterwards; cheaper ones (7, 5) were tried: they part true steps and lose power.
constexpr double kBound = 3, kPenalty = 9;
constexpr double kMostCorrelation = 0.9;
// A correlation counts as far as it is larger than what series without any show: 1.64 / sqrt(n) around levels, and by
// differences, which are medians, some 2.7 times as much.
constexpr double kResidualsMargin = 1.64, kDifferencesMargin = 4.4;
constexpr std::size_t kFarLag = 8;  // records apart: beyond a correlation that matters here
constexpr std::size_t kNear = 2;    // how well a date has to be known, in records
constexpr int kPasses = 4;          // it settles after one or two

struct Test {
  double difference = 0, error = 0, freedom = 0, p = 1;
  std::int64_t before = 0, after = 0;
  bool holds = false;
};

class Series {
 public:
  Series(std::vector<double> values, const ChangeOptions& options) : values_(std::move(values)), options_(options) {
    options_.least_nights = std::max<std::int64_t>(2, options_.least_nights);
    options_.window = std::max(options_.window, static_cast<std::size_t>(options_.least_nights));
    noise_ = noise_of_differences(1, 1);
    inflation_ = inflation_of(correlation_of_differences());
    // The differences' median is too large by what bad nights add, twice a night; what is left around levels is not.
    starts_ = cut();
    noise_ = noise_of_residuals();
    // Correlated noise wanders, and the first cut takes its ways for levels: what is left of it shows the correlation
    // only in part, so the next cut shows more.
    for (int pass = 0; pass < kPasses; ++pass) {
      starts_ = cut();
      settle();
      const double inflation = inflation_of(correlation_of_residuals());
      if (inflation <= inflation_) break;
      inflation_ = inflation;
      settle();
    }
  }

  const std::vector<std::size_t>& starts() const { return starts_; }

  Test test(std::size_t segment) const {
    const std::size_t at = starts_[segment];
    const std::size_t first = std::max(starts_[segment - 1], at - std::min(at, options_.window));
    const Level before = level_of(part(first, at), kBound * noise_);
    const Level after = level_of(part(at, std::min(end_of(segment), at + options_.window)), kBound * noise_);
    Test test;
    test.before = before.kept;
    test.after = after.kept;
    if (std::min(before.kept, after.kept) < options_.least_nights) return test;
    test.difference = after.center - before.center;
    const auto n = static_cast<double>(before.kept), m = static_cast<double>(after.kept);
    test.freedom = n + m - 2;
    const double variance = std::max((before.squares + after.squares) / test.freedom / variance_within(kBound),
                                     square(options_.least_noise));
    test.error = std::sqrt(variance * (1 / n + 1 / m) * inflation_);
    const boost::math::students_t student(test.freedom);
    test.p = 2 * boost::math::cdf(boost::math::complement(student, std::abs(test.difference) / test.error));
    test.holds = test.p <= options_.significance && std::abs(test.difference) >= std::log1p(options_.least_change);
    return test;
  }

 private:
  static double square(double x) { return x * x; }
  std::span<const double> part(std::size_t begin, std::size_t end) const {
    return std::span<const double>(values_).subspan(begin, end - begin);
  }
  std::size_t end_of(std::size_t segment) const {
    return segment + 1 < starts_.size() ? starts_[segment + 1] : values_.size();
  }

  // By the median difference between nights that lie from `least` to `most` records apart.
  double noise_of_differences(std::size_t least, std::size_t most) const {
    std::vector<double> steps;
    for (std::size_t lag = least; lag <= most; ++lag) {
      for (std::size_t i = lag; i < values_.size(); ++i) steps.push_back(std::abs(values_[i] - values_[i - lag]));
    }
    constexpr double kNormalQuartile = 0.6744897501960817;
    return steps.empty() ? options_.least_noise
                         : std::max(options_.least_noise, quantile(steps, 0.5) / kNormalQuartile / std::sqrt(2.0));
  }

  // What neighbours are more alike than nights that lie far apart; no level has a part in it.
  double correlation_of_differences() const {
    const double near = noise_of_differences(1, 1), far = noise_of_differences(kFarLag, kFarLag + 2);
    return 1 - square(near / far) - kDifferencesMargin / std::sqrt(static_cast<double>(values_.size()));
  }

  double noise_of_residuals() const {
    double squares = 0, freedom = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const Level level = level_of(part(starts_[i], end_of(i)), kBound * noise_);
      if (level.kept < 2) continue;
      squares += level.squares;
      freedom += static_cast<double>(level.kept) - 1;
    }
    return freedom > 0 ? std::max(options_.least_noise, std::sqrt(squares / freedom / variance_within(kBound)))
                       : noise_;
  }

  std::vector<std::size_t> cut() const {
    std::vector<double> scaled(values_);
    for (double& value : scaled) value /= noise_;
    return partition(scaled, {kPenalty * inflation_, kBound});
  }

  void settle() {
    for (int pass = 0; pass < kPasses; ++pass) {
      const auto before = starts_;
      date();
      prune();
      if (starts_ == before) return;
    }
  }

  // An AR(1) process's variance of the mean, over that of as much uncorrelated noise.
  static double inflation_of(double correlation) {
    const double r = std::clamp(correlation, 0.0, kMostCorrelation);
    return (1 + r) / (1 - r);
  }

  // Of neighbours, around the levels.
  double correlation_of_residuals() const {
    double both = 0, one = 0, count = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const auto nights = part(starts_[i], end_of(i));
      const Level level = level_of(nights, kBound * noise_);
      double last = 0;
      bool known = false;
      for (const double night : nights) {
        const double residual = night - level.center;
        if (std::abs(residual) > kBound * noise_) {
          known = false;
          continue;
        }
        one += residual * residual;
        count += 1;
        if (known) both += residual * last;
        last = residual;
        known = true;
      }
    }
    return one > 0 ? both / one - kResidualsMargin / std::sqrt(count) : 0;
  }

  // Takes the least significant start out until all that are left hold.
  void prune() {
    std::vector<Test> tests(starts_.size());
    for (std::size_t i = 1; i < starts_.size(); ++i) tests[i] = test(i);
    while (true) {
      std::size_t worst = 0;
      for (std::size_t i = 1; i < starts_.size(); ++i) {
        if (!tests[i].holds && (worst == 0 || tests[i].p > tests[worst].p)) worst = i;
      }
      if (worst == 0) return;
      starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(worst));
      tests.erase(tests.begin() + static_cast<std::ptrdiff_t>(worst));
      if (worst > 1) tests[worst - 1] = test(worst - 1);
      if (worst < starts_.size()) tests[worst] = test(worst);
    }
  }

  // The night of `costs`, from `least` on, within kNear nights of which the change most likely is.
  std::size_t most_likely(const std::vector<double>& costs, std::size_t least) const {
    const double lowest = *std::min_element(costs.begin() + static_cast<std::ptrdiff_t>(least), costs.end());
    std::vector<double> sums{0};
    for (std::size_t k = 0; k < costs.size(); ++k)
      sums.push_back(sums.back() + (k < least ? 0 : std::exp((lowest - costs[k]) / (2 * square(noise_)))));
    std::size_t best = least;
    double most = -1;
    for (std::size_t k = least; k < costs.size(); ++k) {
      const double likely = sums[std::min(k + kNear + 1, costs.size())] - sums[k - std::min(k, kNear)];
      if (likely > most) {
        most = likely;
        best = k;
      }
    }
    return best;
  }

  // Puts each start where the two levels beside it fit best.
  void date() {
    const double bound = square(kBound * noise_);
    for (std::size_t i = 1; i < starts_.size(); ++i) {
      const std::size_t at = starts_[i];
      const std::size_t first = std::max(starts_[i - 1], at - std::min(at, options_.window));
      const std::size_t end = std::min(end_of(i), at + options_.window);
      const double before = level_of(part(first, at), kBound * noise_).center;
      const double after = level_of(part(at, end), kBound * noise_).center;
      const auto room = static_cast<std::size_t>(options_.least_nights);
      if (end - starts_[i - 1] < 2 * room) continue;
      std::vector<double> costs;
      double cost = 0;
      for (std::size_t k = first; k <= end - room; ++k) {
        costs.push_back(cost);
        cost += std::min(square(values_[k] - before), bound) - std::min(square(values_[k] - after), bound);
      }
      starts_[i] = first + most_likely(costs, std::max(first, starts_[i - 1] + room) - first);
    }
  }

  std::vector<double> values_;
  ChangeOptions options_;
  double noise_ = 0, inflation_ = 1;
  std::vector<std::size_t> starts_;
};

}  // namespace

std::vector<ChangePoint> change_points(std::span<const Night> nights, const ChangeOptions& options) {
  std::vector<double> values;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (!std::isfinite(nights[i].log_us))
      throw Error(ErrorKind::internal, fmt::format("day {}", nights[i].day), "has a time that is no number");
    if (i > 0 && nights[i].day <= nights[i - 1].day)
      throw Error(ErrorKind::internal, fmt::format("day {}", nights[i].day), "does not come after the night before it");
    values.push_back(nights[i].log_us);
  }
  std::vector<ChangePoint> points;
  if (values.empty()) return points;
  const Series series(std::move(values), options);
  for (std::size_t i = 1; i < series.starts().size(); ++i) {
    const Test test = series.test(i);
    const std::size_t at = series.starts()[i];
    const boost::math::students_t student(test.freedom);
    const double half =
        boost::math::quantile(boost::math::complement(student, options.interval_error / 2)) * test.error;
    points.push_back({at, nights[at - 1].day, nights[at].day, std::exp(test.difference),
                      std::exp(test.difference - half), std::exp(test.difference + half), test.p, test.before,
                      test.after});
  }
  return points;
}

}  // namespace kgate::stats
