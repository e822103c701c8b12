#include "gate/stats/regimes.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "gate/stats/robust.h"

namespace kgate::stats {
namespace {

constexpr double kSurelyHonest = 3;    // allowances
constexpr double kLeastShare = 0.001;  // of a time, that is left when a constant is taken off

// ln ratios of blocks, with so many microseconds taken off every time.
std::vector<double> ratios_of(const PairedTimes& times, double off_us) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(times.candidate_us.size(), times.reference_us.size()); ++i) {
    const auto rest = [&](double us) { return std::max(us - off_us, kLeastShare * us); };
    ratios.push_back(std::log(rest(times.candidate_us[i]) / rest(times.reference_us[i])));
  }
  return ratios;
}

double launch_cost_us(const PairedTimes& repeated, const PairedTimes& fresh) {
  return std::max(0.0, quantile(fresh.reference_us, 0.5) - quantile(repeated.reference_us, 0.5));
}

std::vector<double> without_logarithm(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = std::exp(ratio);
  return ratios;
}

Agreement compare_centers(const std::vector<double>& repeated, const std::vector<double>& fresh,
                          const RegimeOptions& options) {
  const Location a = trimmed_location(repeated), b = trimmed_location(fresh);
  const double va = a.standard_error * a.standard_error, vb = b.standard_error * b.standard_error;
  Agreement agreement;
  agreement.difference = b.center - a.center;
  if (!std::isfinite(va + vb)) return agreement;
  const double below = va * va / a.freedom + vb * vb / b.freedom;
  const double freedom = below > 0 ? (va + vb) * (va + vb) / below : a.freedom + b.freedom;
  const boost::math::students_t student(std::max(1.0, freedom));
  const double level = options.error / static_cast<double>(std::max<std::int64_t>(1, options.cases));
  agreement.half =
      boost::math::quantile(boost::math::complement(student, std::clamp(level, 1e-15, 0.5))) * std::sqrt(va + vb);
  if (agreement.difference - agreement.half > options.allowance) {
    agreement.finding = Agreement::Finding::differ;
  } else if (agreement.difference + agreement.half < kSurelyHonest * options.allowance) {
    agreement.finding = Agreement::Finding::agree;
  }
  return agreement;
}

// Of ln ratios. Of what takes next to nothing of the reference's time, next to nothing is a large share.
Agreement compare(const std::vector<double>& repeated, const std::vector<double>& fresh, const RegimeOptions& options) {
  const Agreement logarithms = compare_centers(repeated, fresh, options);
  if (logarithms.finding != Agreement::Finding::differ) return logarithms;
  Agreement shares = compare_centers(without_logarithm(repeated), without_logarithm(fresh), options);
  return shares.difference > options.allowance ? logarithms : shares;
}

}  // namespace

std::vector<double> fresh_ratios(const PairedTimes& repeated, const PairedTimes& fresh) {
  return ratios_of(fresh, launch_cost_us(repeated, fresh));
}

Agreement compare_regimes(const PairedTimes& repeated, const PairedTimes& fresh, const RegimeOptions& options) {
  if (repeated.candidate_us.empty() || fresh.candidate_us.empty()) return {};
  const auto batches = ratios_of(repeated, 0);
  const Agreement share = compare(batches, ratios_of(fresh, 0), options);
  const Agreement constant = compare(batches, fresh_ratios(repeated, fresh), options);
  using Finding = Agreement::Finding;
  if (share.finding == Finding::agree || constant.finding == Finding::differ) return share;
  if (constant.finding == Finding::agree || share.finding == Finding::differ) return constant;
  return share.difference < constant.difference ? share : constant;
}

}  // namespace kgate::stats
