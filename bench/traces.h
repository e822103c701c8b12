#pragma once

#include <filesystem>
#include <vector>

#include "bench/noise.h"

namespace kgate::bench {

// Recorded times as noise models: h200-idle.jsonl (a kernel against copies of itself) and the parts of
// h200-placement.jsonl with a new placement for every block (pairs of kernels; the candidate divided by the pair's own
// ratio, the mean ln ratio over all processes, so that no difference is left; a pair whose ratio is skewed counts as
// beyond the stated models, and is there a second time with its trimmed mean taken out). A process of a trial is a
// process of the trace, picked at random, from a random place on and round and round: order, and with it correlation,
// stays. Throws kgate::Error where a file is missing or not as expected.
std::vector<NoiseModel> trace_models(const std::filesystem::path& folder);

// A process of a trace: samples with equal numbers were measured in the same block.
struct TraceProcess {
  std::vector<double> base_us, candidate_us;
};

// A model of these processes as they are; `launches` in a sample are what fits into 400 us.
NoiseModel trace_model(const std::string& name, const std::string& parameters, std::vector<TraceProcess> processes);

}  // namespace kgate::bench
