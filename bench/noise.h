#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/random.h"

namespace kgate::bench {

enum class Arm { base, candidate };

// What stands between a kernel and its measured times: one machine lives through one trial and all its processes, so
// that a clock that drifts goes on drifting when a new process starts. The two arms differ in nothing.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual void start_process(Random& random) = 0;
  // The time of one sample, over the kernel's own length.
  virtual double sample(Arm arm, Random& random) = 0;
  // What this process still has: recordings end. Rules that want more see the same samples again; kgate's asks for
  // another process.
  virtual std::int64_t blocks_left() const { return std::numeric_limits<std::int64_t>::max(); }
};

// A way in which times are noisy. "Block spread" is the standard deviation of ln(candidate / base) of one block.
struct NoiseModel {
  std::string name;
  std::string parameters;    // in words, for the table of models
  bool stated = true;        // one of the models under which the rule's error is promised; else shown beyond them
  double kernel_us = 8;      // length of one launch
  int launches = 48;         // in one sample: about 400 us of work
  double tick_us = 0.032;    // of the clock, for a whole sample
  bool already_cut = false;  // to ticks: recorded times
  std::function<std::unique_ptr<Machine>(Random&)> machine;

  // One tick as a share of a sample.
  double resolution() const { return tick_us / kernel_us / launches; }
};

// Every synthetic model.
std::vector<NoiseModel> noise_models();

}  // namespace kgate::bench
