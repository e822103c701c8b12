#include "gate/search/tuner/tuner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::tuner {
namespace {

constexpr std::size_t kFirst = 3;                            // drawn before there is a model
constexpr std::array<double, 4> kOptimism{0.75, 1.5, 3, 6};  // deviations below the mean, in turn
constexpr double kGrowth = 1.25;                             // of the points, between two fits
constexpr std::size_t kMostFitted = 128;                     // points that a fit looks at
constexpr int kFirstSteps = 20, kSteps = 10;                 // of a fit

}  // namespace

Tuner::Tuner(Space space, TunerOptions options)
    : space_(std::move(space)),
      distances_(distances_of(space_)),
      pool_(space_, options.most_candidates, RandomStream(options.seed, 0)),
      hyperparameters_(Evidence::prior_mean(distances_.size())) {}

std::optional<Configuration> Tuner::suggest() {
  if (!pool_.any_free()) {
    pool_.renew();
    posterior_.reset();
  }
  if (!pool_.any_free()) return std::nullopt;
  if (asked_.size() < kFirst || !any_known()) return remember(*pool_.draw(), std::nullopt);
  update();
  const Prediction prediction = posterior_->predict(values());
  const double optimism = kOptimism[asked_.size() % kOptimism.size()];
  Eigen::Index chosen = -1;
  double lowest = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < prediction.mean.size(); ++i) {
    if (!pool_.is_free(static_cast<std::size_t>(i))) continue;
    const double bound = prediction.mean[i] - optimism * prediction.deviation[i];
    if (bound >= lowest) continue;
    lowest = bound;
    chosen = i;
  }
  if (chosen < 0) return std::nullopt;
  return remember(static_cast<std::size_t>(chosen), Estimate{prediction.mean[chosen], prediction.deviation[chosen]});
}

std::optional<Configuration> Tuner::remember(std::size_t candidate, std::optional<Estimate> estimate) {
  const Configuration configuration = pool_.points().at(candidate);
  pool_.take(configuration);
  index_.emplace(configuration, asked_.size());
  asked_.push_back({configuration, false, std::nullopt, estimate});
  return configuration;
}

void Tuner::observe(const Configuration& configuration, Outcome outcome) {
  space_.check(configuration);
  if (outcome && !(std::isfinite(*outcome) && *outcome > 0)) {
    throw Error(ErrorKind::internal, space_.words(configuration),
                fmt::format("has the time {}, which is no positive number", *outcome));
  }
  const auto [found, is_new] = index_.emplace(configuration, asked_.size());
  if (is_new) {
    pool_.take(configuration);
    asked_.push_back({configuration, false, std::nullopt, std::nullopt});
  }
  asked_[found->second].is_known = true;
  asked_[found->second].outcome = outcome;
}

// Brings the model to what was asked and what is best now.
void Tuner::update() {
  const Asked* const best = best_asked();
  const bool is_due = fitted_ == 0 || (asked_.size() <= kMostFitted &&
                                       static_cast<double>(asked_.size()) >= kGrowth * static_cast<double>(fitted_));
  if (is_due) {
    fit();
    pool_.renew();
    posterior_.reset();
  }
  if (!posterior_) {
    if (best != nullptr) pool_.add_neighbours(best->configuration);
    Points points(space_.parameters().size());
    for (const Asked& one : asked_) points.add(one.configuration);
    posterior_.emplace(distances_, hyperparameters_, std::move(points), pool_.points());
  }
  while (posterior_->points() < asked_.size()) posterior_->add_point(asked_[posterior_->points()].configuration);
  if (best != nullptr && best->configuration != surrounded_) {
    pool_.add_neighbours(best->configuration);
    surrounded_ = best->configuration;
  }
  while (posterior_->candidates() < pool_.points().size())
    posterior_->add_candidate(pool_.points().at(posterior_->candidates()));
}

void Tuner::fit() {
  const std::size_t first = asked_.size() - std::min(asked_.size(), kMostFitted);
  Points points(space_.parameters().size());
  for (std::size_t i = first; i < asked_.size(); ++i) points.add(asked_[i].configuration);
  Eigen::ArrayXd y = values().tail(static_cast<Eigen::Index>(points.size())).array();
  y -= y.mean();
  const double spread = std::sqrt(y.square().mean());
  const Evidence evidence(distances_, points, y / (spread > 0 ? spread : 1));
  hyperparameters_ = climb(evidence, hyperparameters_, fitted_ == 0 ? kFirstSteps : kSteps);
  fitted_ = asked_.size();
}

// What the model is given, in the order of asking: logarithms of times. A failure counts as the slowest so far; what is
// pending as what the model expected of it, so that it is not expected to teach anything by its value, yet its
// neighbourhood is explored already (the kriging believer of Ginsbourger et al. 2010, and GP-BUCB's hallucination,
// Desautels et al. 2014).
Eigen::VectorXd Tuner::values() const {
  double slowest = -std::numeric_limits<double>::infinity(), sum = 0, count = 0;
  for (const Asked& one : asked_) {
    if (one.outcome) slowest = std::max(slowest, std::log(*one.outcome));
  }
  if (!std::isfinite(slowest)) slowest = 0;
  Eigen::VectorXd values(static_cast<Eigen::Index>(asked_.size()));
  const auto known = [&](const Asked& one) { return one.outcome ? std::log(*one.outcome) : slowest; };
  for (const Asked& one : asked_) {
    if (!one.is_known) continue;
    sum += known(one);
    count += 1;
  }
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const Asked& one = asked_[i];
    values[static_cast<Eigen::Index>(i)] = one.is_known   ? known(one)
                                           : one.estimate ? one.estimate->log_time
                                                          : sum / std::max(1.0, count);
  }
  return values;
}

bool Tuner::any_known() const {
  return std::any_of(asked_.begin(), asked_.end(), [](const Asked& one) { return one.is_known; });
}

const Tuner::Asked* Tuner::best_asked() const {
  const Asked* best = nullptr;
  for (const Asked& one : asked_) {
    if (one.outcome && (best == nullptr || *one.outcome < *best->outcome)) best = &one;
  }
  return best;
}

std::optional<Configuration> Tuner::best() const {
  const Asked* const best = best_asked();
  return best == nullptr ? std::nullopt : std::optional(best->configuration);
}

std::optional<double> Tuner::best_time() const {
  const Asked* const best = best_asked();
  return best == nullptr ? std::nullopt : best->outcome;
}

std::optional<Estimate> Tuner::estimate(const Configuration& configuration) const {
  const auto found = index_.find(configuration);
  return found == index_.end() ? std::nullopt : asked_[found->second].estimate;
}

}  // namespace kgate::tuner
