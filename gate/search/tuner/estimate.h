#pragma once

namespace kgate::tuner {

// What a model expects of a time: its logarithm is normal with this mean and standard deviation.
struct Estimate {
  double log_time = 0, deviation = 0;
};

// The mean of max(0, 1 - time / best): the expected improvement (Jones, Schonlau and Welch 1998, "Efficient global
// optimization of expensive black-box functions", Journal of Global Optimization 13), as a share of the best time; in
// closed form because the logarithm is normal. `best` is in the unit of the times that the model saw.
double expected_gain(const Estimate& estimate, double best);

}  // namespace kgate::tuner
