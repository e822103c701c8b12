#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "gate/verdict/judge.h"

// What this runner can see: every kernel timed against itself, and against itself with a slowdown of known size.
namespace kgate::verdict {

struct NoiseOptions {
  int rounds = 6;         // fresh processes
  int blocks = 20;        // a case and round
  double planted = 0.01;  // the slowdown that is planted, as a share
};

// A slowdown of known size: delay launches of calibrated length at the end of each sample of one arm.
struct Planted {
  double size = 0;                      // as calibrated apart from the kernel, a share
  double found = 0, low = 0, high = 0;  // as measured beside it, shares
};

// One performance case. Ratios are shares (0.01 is 1 %), half widths are those of an interval at the run's error level.
struct CaseNoise {
  std::string kernel, name, regime;
  std::string bound;  // "memory", "compute", or empty
  double us = 0;      // a launch
  std::int64_t blocks = 0, rounds = 0;
  double block_ms = 0;                           // what a block of two arms costs
  double block_spread = 0;                       // standard deviation of ln ratio between blocks, robust
  double round_spread = 0;                       // between processes, beyond their own errors, of this case alone
  double even = 0, even_low = 0, even_high = 0;  // the kernel against itself, less 1
  double second_half = 0;                        // half width after one second of measuring
  double smallest = 0;                           // slowdown that is proved in 99 of 100 runs in the policy's budget
  double tolerate = 0, block = 0;                // the narrowest zone that suits
  std::optional<Planted> planted;                // empty: cases timed in single launches or cold have none
  std::string failure;                           // why it could not be measured; empty: it was
};

// Whether the next child's start disturbs a measurement that is under way.
struct Overlap {
  bool harmless = true;
  std::int64_t blocks = 0;
  double spread = 0, quiet_spread = 0, shift = 0, shift_error = 0;  // ln ratio of the kernel against itself
};

struct Noise {
  std::vector<CaseNoise> cases;
  double round_spread = 0;    // over all cases: the machine's constant
  double default_spread = 0;  // what would be used without it
  Overlap overlap;
  double seconds_per_case = 0;  // the policy's budget
};

// Measures, in the judgement's setting (policy, backend, device, as for a run). Throws Error as judge does.
Noise measure_noise(const JudgeOptions& options, const NoiseOptions& noise, Progress& progress, Judgement& judgement);

// Schema kgate.noise/1: what `doctor --noise --format json` prints and what is kept as the machine's record.
Json to_json(const Noise& noise, const Result& setting);

}  // namespace kgate::verdict
