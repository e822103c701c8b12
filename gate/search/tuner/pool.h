#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/philox.h"
#include "gate/search/tuner/points.h"
#include "gate/search/tuner/space.h"

namespace kgate::tuner {

// The feasible configurations that the model is asked about. All of them where the product of the space is small (up to
// 65536) and they are few enough; else a random sample, drawn anew now and then, and the neighbours of what is best.
class Pool {
 public:
  // `space` outlives it. `most`: candidates, neighbours not counted.
  Pool(const Space& space, std::size_t most, RandomStream random);

  const Points& points() const { return points_; }
  bool is_free(std::size_t index) const { return free_[index]; }
  bool any_free() const { return count_ > 0; }
  // A free one, each as likely as the others; nothing where none is.
  std::optional<std::size_t> draw(RandomStream random) const;
  // Is never free again, and never drawn.
  void take(const Configuration& configuration);
  // Another sample; nothing changes where all are here, and a free one stays free or finds as many others in its place.
  // With a product over 65536 of which less than about one in a hundred thousand is feasible, the sample may be empty
  // although a feasible configuration is left.
  void renew(RandomStream random);
  // Adds the neighbours (one parameter differs) that are not here, at the end of points().
  void add_neighbours(const Configuration& of);

 private:
  bool add(const Configuration& configuration);
  void add_all();

  const Space* space_;
  std::size_t most_;
  bool is_whole_ = false;
  Points points_;
  std::vector<char> free_;
  std::size_t count_ = 0;  // of the free ones
  std::map<Configuration, std::size_t> index_;
  std::set<Configuration> taken_;
};

}  // namespace kgate::tuner
