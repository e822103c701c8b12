#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "gate/search/tuner/space.h"

namespace kgate::tuner {

// One way in which the values of a parameter differ: squared distances from 0 to 1, by the values' indices.
struct Distance {
  std::size_t parameter = 0;
  Eigen::MatrixXd squared;
};

// What two configurations may be near or far by; the model weighs it (evidence.h). Of a parameter with numbers:
//   rank       how many values lie between: free of the scale, and equal to the logarithm where values double;
//   identity   the same value or not: what makes a value good need not show in its neighbours;
//   alignment  trailing zero bits, of whole numbers: 96 is nearer to 32 than to 80 for warps, banks and vector loads.
// Of categories identity alone. A distance that is the same as another of its parameter is left out, and so is a
// parameter with one value.
std::vector<Distance> distances_of(const Space& space);

}  // namespace kgate::tuner
