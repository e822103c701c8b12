#pragma once

#include <filesystem>
#include <string>

#include "runner/job.h"

namespace kgate::runner {

// What a child is for. It decides what its sandbox lets it do.
struct Role {
  bool compiles = false;  // or disassembles, where the toolkit names a disassembler; else it loads, runs and times
  std::string backend;    // "cuda" or "host"
  // Of a child that compiles: what it may read, and its private folder, the only place that it may write to.
  ToolkitPaths toolkit;
  std::filesystem::path folder;

  // Started by an observer (compute-sanitizer, Nsight Compute), which works from inside this process as well: never
  // timed.
  bool observed = false;
  // By one that reads the GPU's performance counters.
  bool counted = false;

  bool cuda() const { return backend == "cuda"; }
  // Code of the change runs in this very process: the strictest rules.
  bool runs_native_kernels() const { return !compiles && !cuda(); }
  // Needs what its observer needs. On the host backend nothing looks at a kernel from inside, and nothing is relaxed.
  bool relaxed_for_observer() const { return observed && !compiles && cuda(); }
  bool keeps_counters() const { return counted && relaxed_for_observer(); }
};

}  // namespace kgate::runner
