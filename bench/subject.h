#pragma once

#include <memory>

#include "bench/noise.h"

namespace kgate::bench {

// One sample of both arms, in microseconds a launch.
struct Block {
  double base_us = 0, candidate_us = 0;
};

// A kernel under trial: a candidate that is slower than its base by exactly `effect` (0.02 is 2 %), on a machine of the
// model. Rules measure it, and know no more of it than that.
class Subject {
 public:
  Subject(const NoiseModel& model, double effect, Random& random);
  void start_process() { machine_->start_process(random_); }
  // Microseconds a launch, cut to the clock's ticks.
  double sample(Arm arm);
  // A sample of each arm, in random order.
  Block block();
  std::int64_t blocks_left() const { return machine_->blocks_left(); }
  const NoiseModel& model() const { return model_; }

 private:
  const NoiseModel& model_;
  Random& random_;
  std::unique_ptr<Machine> machine_;
  double base_us_, candidate_us_;
};

}  // namespace kgate::bench
