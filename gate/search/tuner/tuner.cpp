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
constexpr double kGrowth = 1.25;                             // of the points that two fits in a row look at
constexpr std::size_t kMostFitted = 128;                     // points
constexpr int kSteps = 20;                                   // of a fit

// How many points the hyperparameters are fitted to where so many were asked for: the first ones, so that a tuner that
// is told everything at once goes on as one that was told step by step.
std::size_t fitted_of(std::size_t asked) {
  std::size_t fitted = kFirst;
  while (true) {
    const auto next = static_cast<std::size_t>(std::ceil(kGrowth * static_cast<double>(fitted)));
    if (next > std::min(asked, kMostFitted)) return fitted;
    fitted = next;
  }
}

}  // namespace

Tuner::Tuner(Space space, TunerOptions options)
    : space_(std::move(space)),
      distances_(distances_of(space_)),
      seed_(options.seed),
      pool_(space_, options.most_candidates, RandomStream(seed_, 0)),
      hyperparameters_(Evidence::prior_mean(distances_.size())) {}

std::optional<Configuration> Tuner::suggest() {
  if (!pool_.any_free()) {
    pool_.renew(RandomStream(seed_, asked_.size()));
    posterior_.reset();
  }
  if (!pool_.any_free()) return std::nullopt;
  const Values known = values();
  if (asked_.size() < kFirst || known.pending.size() == asked_.size())
    return enter(pool_.points().at(*pool_.draw(RandomStream(seed_, asked_.size())))).configuration;
  update();
  const Prediction prediction = posterior_->predict(known.all, known.pending);
  const double optimism = kOptimism[asked_.size() % kOptimism.size()];
  Eigen::Index chosen = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < prediction.mean.size(); ++i) {
    if (!pool_.is_free(static_cast<std::size_t>(i))) continue;
    const double bound = prediction.mean[i] - optimism * prediction.deviation[i];
    if (bound >= lowest) continue;
    lowest = bound;
    chosen = i;
  }
  Asked& asked = enter(pool_.points().at(static_cast<std::size_t>(chosen)));
  asked.estimate = Estimate{prediction.mean[chosen], prediction.deviation[chosen]};
  return asked.configuration;
}

void Tuner::expect(const Configuration& configuration) {
  space_.check(configuration);
  enter(configuration);
}

void Tuner::observe(const Configuration& configuration, Outcome outcome) {
  space_.check(configuration);
  if (outcome && !(std::isfinite(*outcome) && *outcome > 0)) {
    throw Error(ErrorKind::internal, space_.words(configuration),
                fmt::format("has the time {}, which is no positive number", *outcome));
  }
  Asked& asked = enter(configuration);
  asked.is_known = true;
  asked.outcome = outcome;
}

Tuner::Asked& Tuner::enter(const Configuration& configuration) {
  const auto [found, is_new] = index_.emplace(configuration, asked_.size());
  if (is_new) {
    pool_.take(configuration);
    asked_.push_back({configuration, false, std::nullopt, std::nullopt});
  }
  return asked_[found->second];
}

// Brings the model to what was asked for and what is best now.
void Tuner::update() {
  const Asked* const best = best_asked();
  if (const std::size_t due = fitted_of(asked_.size()); due != fitted_) {
    fitted_ = due;
    fit();
    pool_.renew(RandomStream(seed_, due));
    posterior_.reset();
  }
  if (best != nullptr && (!posterior_ || best->configuration != surrounded_)) {
    pool_.add_neighbours(best->configuration);
    surrounded_ = best->configuration;
  }
  if (!posterior_) {
    Points points(space_.parameters().size());
    for (const Asked& one : asked_) points.add(one.configuration);
    posterior_.emplace(distances_, hyperparameters_, std::move(points), pool_.points());
  }
  while (posterior_->points() < asked_.size()) posterior_->add_point(asked_[posterior_->points()].configuration);
  while (posterior_->candidates() < pool_.points().size())
    posterior_->add_candidate(pool_.points().at(posterior_->candidates()));
}

void Tuner::fit() {
  const Values known = values();
  std::vector<double> chosen;
  Points points(space_.parameters().size());
  for (std::size_t i = 0; i < fitted_; ++i) {
    if (!asked_[i].is_known) continue;
    points.add(asked_[i].configuration);
    chosen.push_back(known.all[static_cast<Eigen::Index>(i)]);
  }
  hyperparameters_ = Evidence::prior_mean(distances_.size());
  if (chosen.empty()) return;
  Eigen::ArrayXd y = Eigen::Map<const Eigen::ArrayXd>(chosen.data(), static_cast<Eigen::Index>(chosen.size()));
  y -= y.mean();
  const double spread = std::sqrt(y.square().mean());
  hyperparameters_ = climb(Evidence(distances_, points, y / (spread > 0 ? spread : 1)), hyperparameters_, kSteps);
}

// Logarithms of times; a failure counts as the slowest so far.
Tuner::Values Tuner::values() const {
  double slowest = -std::numeric_limits<double>::infinity();
  for (const Asked& one : asked_) {
    if (one.outcome) slowest = std::max(slowest, std::log(*one.outcome));
  }
  if (!std::isfinite(slowest)) slowest = 0;
  Values values{Eigen::VectorXd::Zero(static_cast<Eigen::Index>(asked_.size())), {}};
  for (Eigen::Index i = 0; i < values.all.size(); ++i) {
    const Asked& one = asked_[static_cast<std::size_t>(i)];
    if (one.is_known)
      values.all[i] = one.outcome ? std::log(*one.outcome) : slowest;
    else
      values.pending.push_back(i);
  }
  return values;
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
