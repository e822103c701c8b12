#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/drift/history.h"
#include "gate/trust/policy.h"

namespace kgate::drift {

// A version of a kernel that the ledger has.
struct AcceptedRecord {
  std::int64_t sequence = 0;
  std::string time, release;         // release: empty where it is none
  std::map<std::string, double> us;  // case -> its figure on this kind of GPU; empty: it was measured on others
};

// What is known of a kernel beside its nights.
struct KernelFacts {
  std::vector<AcceptedRecord> records;        // the newest first; the first is what is accepted now
  std::vector<std::string> earlier_names;     // that it went by before it was renamed
  std::map<std::string, std::string> bounds;  // case -> "memory" or "compute", where the cases tell
  trust::Zone zone;
};

struct AnalysisOptions {
  std::string backend;          // "cuda", "host": which part of the toolkit makes its code
  trust::Profile profile;       // compare: what the last nights are held against
  double least_noise = 0.0006;  // of the machine (stats::ChangeOptions)
  unsigned threads = 1;
};

// The events and the kernels of a history: pure. `facts`: of the kernels that are to be told about; those without
// nights get no cases. Nights of one day: a case's latest figure counts.
struct Analysis {
  std::vector<Night> nights;    // by time
  std::vector<Event> events;    // the newest first
  std::vector<Kernel> kernels;  // by name; pass or regressed
  std::size_t merged = 0;       // nights that share their day with a later one
};
Analysis analyse(History history, const std::map<std::string, KernelFacts>& facts, const AnalysisOptions& options);

// The verdict and the exit code from the kernels; what blocks, by the profile.
void conclude(Drift& drift, const trust::Profile& profile);

}  // namespace kgate::drift
