#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gate/search/tuner/space.h"

namespace kgate::bench {

// A tuning space that somebody measured whole: an optimiser is replayed against it, asks for a configuration and gets
// its recorded outcome.
struct MeasuredSpace {
  std::string name;  // the file's, without its endings
  std::map<std::string, std::vector<std::string>> tunables;
  std::map<tuner::Configuration, std::optional<double>> times;  // nothing: it failed
  double best = 0;

  // What was measured is feasible, and nothing else. The measured space outlives it.
  tuner::Space space() const;
};

// Reads results in the T4 format of the auto-tuning community (JSON in gzip: "results", each with a "configuration", an
// "invalidity" and a measurement "time"). Throws Error(usage) where the file is missing, is no such file, or holds no
// configuration that ran.
MeasuredSpace read_measured_space(const std::filesystem::path& path);

}  // namespace kgate::bench
