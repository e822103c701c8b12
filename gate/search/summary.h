#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "gate/search/history.h"
#include "gate/search/journal/summary.h"

namespace kgate::search {

using journal::Confirmation;
using journal::Summary;

// `usd_per_gpu_hour`: for the pay-back; 0: not known.
Summary summarise(const History& history, const journal::Header& header,
                  const std::optional<Confirmation>& confirmation = {}, double usd_per_gpu_hour = 0);

// One line about a step that was judged, for a terminal's progress; nothing in it obeys a proposer.
std::string line_of_step(const History& history, const Step& step);

// What differs from the baseline, as `git apply` takes it.
std::string patch_of(const Candidate& baseline, const Candidate& winner);

// summary.json and, where something better was found, best.cu, best.kernel.toml and best.patch (all of its sources, one
// after the other, where there are several); each whole, or not at all. Throws Error.
void write_files(const std::filesystem::path& folder, const Summary& summary, const History& history,
                 const Candidate& baseline);

}  // namespace kgate::search
