#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gate/counters/counter.h"

namespace kgate::counters {

enum class Trouble { none, not_permitted, failed };

struct Report {
  // By the kernel's name as Nsight Compute printed it; of several launches of one kernel, the one that took longest.
  std::map<std::string, Readings> kernels;
  Trouble trouble = Trouble::none;  // failed too where there is no kernel
  std::string words;                // the tool's, in one line, where there is trouble
};

// What `ncu --csv --page details` writes: a row a metric of each launch, and between them lines of its own that begin
// with "==". The file is written by the tool, but names in it are the candidate's: what is no whole row of known form
// is passed over, and there are limits to how many kernels, and how long names, are kept. Never throws.
Report read_report(std::string_view text);

// The tool's complaints alone, in what it printed elsewhere.
Report read_output(std::string_view text);

}  // namespace kgate::counters
