#include "bench/nights.h"

#include <cmath>

namespace kgate::bench {
namespace {

constexpr double kBadNight = 1.2, kMicroseconds = 20;

// Box and Muller's: two uniform numbers each, so that streams stay in step whatever the model.
double normal(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(6.283185307179586 * random.uniform());
}

}  // namespace

std::vector<stats::Night> nights_of(RandomStream& random, std::size_t count, const NightModel& model,
                                    const std::function<double(std::size_t)>& log_ratio) {
  std::vector<stats::Night> nights;
  double noise = normal(random);
  for (std::int64_t day = 0; nights.size() < count; ++day) {
    noise = model.correlation * noise + std::sqrt(1 - model.correlation * model.correlation) * normal(random);
    const bool missing = random.uniform() < model.missing, bad = random.uniform() < model.bad;
    if (missing) continue;
    nights.push_back({day, std::log(kMicroseconds) + log_ratio(nights.size()) + model.noise * noise +
                               (bad ? std::log(kBadNight) : 0)});
  }
  return nights;
}

}  // namespace kgate::bench
