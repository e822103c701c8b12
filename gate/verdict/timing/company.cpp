#include "gate/verdict/timing/company.h"

#include <cmath>

#include "gate/stats/robust.h"

namespace kgate::verdict {
namespace {

constexpr std::size_t kFewest = 4;
constexpr double kErrors = 4;  // standard errors; of a median of normal samples, from their median absolute deviation
constexpr double kMadToError = 1.4826 * 1.2533;

struct Centre {
  double log_us = 0, error = 0;
};

Centre centre(const std::vector<double>& us) {
  std::vector<double> logs;
  for (const double value : us) logs.push_back(std::log(value));
  Centre found;
  found.log_us = stats::quantile(logs, 0.5);
  for (double& value : logs) value = std::abs(value - found.log_us);
  found.error = kMadToError * stats::quantile(logs, 0.5) / std::sqrt(static_cast<double>(us.size()));
  return found;
}

}  // namespace

Company compare_company(const std::vector<double>& beside_us, const std::vector<double>& alone_us) {
  Company company;
  if (beside_us.size() < kFewest || alone_us.size() < kFewest) return company;
  const Centre beside = centre(beside_us), alone = centre(alone_us);
  const double difference = beside.log_us - alone.log_us;
  company.ratio = std::exp(difference);
  company.slowed = difference - kErrors * std::hypot(beside.error, alone.error) > std::log1p(kCompanyRoom);
  return company;
}

}  // namespace kgate::verdict
