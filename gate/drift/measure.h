#pragma once

#include <map>
#include <string>

#include "gate/drift/analysis.h"
#include "gate/drift/night.h"
#include "gate/verdict/preparation.h"

namespace kgate::drift {

// What the suite's kernels are beside their nights: the ledger's records of them, as measured on GPUs of this name and
// architecture, and what their cases say.
std::map<std::string, KernelFacts> facts_of(const verdict::Preparation& ready, const Hardware& hardware);

// Times what is accepted of each kernel, as recorded where that runs here: everything but the GPU's state and the
// cases' data is as it was accepted. What fails, twice, is `missing` with the reason; the others go on. `ready`: after
// read_kernels(). Throws Error(environment) where the machine cannot be told from others.
NightFigures measure_night(const verdict::Preparation& ready, const verdict::JudgeOptions& options,
                           const verdict::Result& setting, verdict::Progress& progress);

// Throws Error(environment) where this machine's clock is behind the newest record: nights would be dated wrong.
void check_clock(const std::string& newest, std::int64_t now);

// Throws Error(usage, subject, ...) where an imported result says that it was made in the future: it would be the
// newest night, for as long as that.
void check_imported(const std::string& started, std::int64_t now, const std::string& subject);

}  // namespace kgate::drift
