#include "gate/stats/regimes.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "gate/stats/robust.h"

namespace kgate::stats {
namespace {

constexpr double kSurelyHonest = 3;  // allowances

Location location_of(const Evidence& evidence) {
  std::vector<double> all;
  for (const auto& round : evidence.rounds) all.insert(all.end(), round.begin(), round.end());
  return trimmed_location(all);
}

}  // namespace

Agreement compare_regimes(const Evidence& repeated, const Evidence& fresh, const RegimeOptions& options) {
  const Location a = location_of(repeated), b = location_of(fresh);
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

}  // namespace kgate::stats
