#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gate/search/journal/summary.h"
#include "gate/search/session/limits.h"
#include "gate/verdict/judge.h"

namespace kgate::search {

struct SessionOptions {
  verdict::JudgeOptions judge;   // `selection` names the kernel
  std::filesystem::path folder;  // of the journal and of all that comes out
  Limits limits;
  std::vector<std::string> proposers;                 // in the place of the policy's; empty: the policy's
  double usd_per_gpu_hour = 0;                        // for the pay-back; 0: not known
  std::string key;                                    // of the model's server
  std::string started;                                // UTC
  std::function<void(const std::string& line)> told;  // a line about each step. May be empty
};

// The bounded search for a better version of one kernel, from the policy to the winner's confirmation (docs/search.md).
// Goes on with the search that `folder` holds. Writes there summary.json, report.html and, where something better was
// found, best.*; of a search that was interrupted or failed too, before the Error goes its way. Throws Error for
// failures of the world, and Error(usage) where the policy and the limits allow no search.
journal::Summary run_session(const SessionOptions& options, verdict::Progress& progress);

// Removes what an earlier search left in the folder, and nothing else that lies there. Throws Error(environment) where
// another process searches in it now, or it cannot be done.
void forget_search(const std::filesystem::path& folder);

}  // namespace kgate::search
