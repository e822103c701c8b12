#pragma once

#include <cstdint>
#include <vector>

#include "bench/subject.h"

namespace kgate::bench {

// How a rule gets its samples. `separate`: the base in a process of its own, then the candidate in another, as two runs
// of a benchmark do. `interleaved`: both arms block by block in one process.
enum class Sampling { separate, interleaved };

struct Samples {
  std::vector<double> base_us, candidate_us;
};

// `count` samples of each arm.
Samples fixed_samples(Subject& subject, Sampling sampling, std::int64_t count);

// nvbench's default stopping criterion "stdrel" with its defaults: at least 10 samples and 0.5 s of GPU time, then
// until the relative standard deviation is under 0.5 % or has settled above it (docs/cli_help.md of NVIDIA/nvbench; "or
// stabilises above that threshold": its pull request 374). Settled is taken as: the last 64 values of it vary by less
// than 5 %. In the place of a timeout in wall time stands a number of samples, and 0.5 s is counted in the model's
// samples.
class StopAtRelativeDeviation {
 public:
  explicit StopAtRelativeDeviation(double sample_us);
  void add(double us);
  bool finished() const { return finished_; }
  std::int64_t least() const { return least_; }  // samples before it may stop

  static constexpr std::int64_t kMostSamples = 3000;

 private:
  bool settled() const;

  std::int64_t least_, count_ = 0;
  double mean_ = 0, squares_ = 0;
  std::vector<double> noises_;  // the last values of the relative standard deviation, as a ring
  bool finished_ = false;
};

// As many samples as that criterion wants for each arm; interleaved until both have enough.
Samples stdrel_samples(Subject& subject, Sampling sampling);

}  // namespace kgate::bench
