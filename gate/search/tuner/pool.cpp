#include "gate/search/tuner/pool.h"

#include <algorithm>

namespace kgate::tuner {
namespace {

constexpr std::uint64_t kMostEnumerated = 65536;
constexpr std::size_t kSampled = 4096, kMostDraws = 100'000;

}  // namespace

Pool::Pool(const Space& space, std::size_t most, RandomStream random)
    : space_(&space), most_(most), points_(space.parameters().size()) {
  if (space.size().value_or(kMostEnumerated + 1) <= kMostEnumerated) {
    add_all();
    is_whole_ = points_.size() <= most_;
  }
  renew(random);
}

bool Pool::add(const Configuration& configuration) {
  if (taken_.contains(configuration) || index_.contains(configuration) || !space_->feasible(configuration))
    return false;
  index_.emplace(configuration, points_.size());
  points_.add(configuration);
  free_.push_back(1);
  ++count_;
  return true;
}

// Every configuration of the product, counted up like an odometer.
void Pool::add_all() {
  const auto& parameters = space_->parameters();
  Configuration at(parameters.size(), 0);
  while (true) {
    add(at);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == parameters[i].values.size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

void Pool::renew(RandomStream random) {
  if (is_whole_) return;
  std::vector<Configuration> before;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (free_[i]) before.push_back(points_.at(i));
  }
  points_ = Points(space_->parameters().size());
  index_.clear();
  free_.clear();
  count_ = 0;
  Configuration drawn(space_->parameters().size());
  for (std::size_t draw = 0; draw < kMostDraws && count_ < std::min(kSampled, most_); ++draw) {
    for (std::size_t i = 0; i < drawn.size(); ++i)
      drawn[i] = static_cast<std::uint16_t>(random.below(space_->parameters()[i].values.size()));
    add(drawn);
  }
  // Where draws find little, what they found before is worth keeping.
  if (count_ < std::min(kSampled, most_))
    std::for_each(before.begin(), before.end(), [&](const auto& one) { add(one); });
  if (count_ == 0 && space_->size().value_or(kMostEnumerated + 1) <= kMostEnumerated) add_all();
}

void Pool::add_neighbours(const Configuration& of) {
  if (is_whole_) return;
  for (std::size_t i = 0; i < of.size(); ++i) {
    Configuration neighbour = of;
    for (neighbour[i] = 0; neighbour[i] < space_->parameters()[i].values.size(); ++neighbour[i]) add(neighbour);
  }
}

std::optional<std::size_t> Pool::draw(RandomStream random) const {
  if (count_ == 0) return std::nullopt;
  auto left = static_cast<std::size_t>(random.below(count_));
  for (std::size_t i = 0;; ++i) {
    if (free_[i] && left-- == 0) return i;
  }
}

void Pool::take(const Configuration& configuration) {
  taken_.insert(configuration);
  const auto found = index_.find(configuration);
  if (found == index_.end() || !free_[found->second]) return;
  free_[found->second] = 0;
  --count_;
}

}  // namespace kgate::tuner
