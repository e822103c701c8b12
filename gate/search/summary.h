#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gate/search/history.h"
#include "gate/search/journal/summary.h"

namespace kgate::search {

using journal::Confirmation;
using journal::Summary;

// What the gate said of a version: the best one, then, where it does not hold, those that were the best before it.
struct Replayed {
  std::int64_t number = 0;
  Confirmation confirmation;
};

// The best is the last of `replayed` where the gate confirms that one, else the search's. `usd_per_gpu_hour`: for the
// pay-back; 0: not known.
Summary summarise(const History& history, const journal::Header& header, const std::vector<Replayed>& replayed = {},
                  double usd_per_gpu_hour = 0);

// One line about a step that was judged, for a terminal's progress; nothing in it obeys a proposer.
std::string line_of_step(const History& history, const Step& step);

// Wrong, or a cheat: nobody is to take it.
bool is_refuted(const Confirmation& confirmation);

// Removes the files of a winner that the folder holds. Throws Error where that cannot be done.
void remove_winner(const std::filesystem::path& folder);

// What differs from the baseline, as `git apply` takes it.
std::string patch_of(const Candidate& baseline, const Candidate& winner);

// summary.json and, where something better was found that is not refuted, best.cu, best.kernel.toml and best.patch (all
// of its sources, one after the other, where there are several); each whole, or not at all. Throws Error.
void write_files(const std::filesystem::path& folder, const Summary& summary, const History& history,
                 const Candidate& baseline);

}  // namespace kgate::search
