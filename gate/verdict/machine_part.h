#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gate/verdict/figures.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/result/attribution.h"

namespace kgate::verdict {

// What the ledger has of a case's time.
struct StoredFigure {
  std::string regime;
  std::vector<std::vector<double>> samples;  // [round][block], us
};

// Today's figures over stored ones of the same machine code, by case and weight. What was timed in another regime, or
// has no samples, does not count.
Part compare_figures(const cases::CasesSpec& cases, const std::map<std::string, StoredFigure>& then,
                     const std::map<std::string, Figure>& now);

struct MachinePart {
  Part part;
  std::vector<std::string> differences;  // of the fingerprints, then and now
};

// The machine's and the driver's part: the machine code that was accepted, timed alone as `kgate accept` does, over the
// figures that the ledger has of it. It has an error of its own, for nothing cancels between two days
// (stats/absolute.h). Not known where that code does not run here, or is not timed as it was then. Throws
// Error(environment) where it cannot be timed.
MachinePart measure_machine(const Preparation& ready, const Subject& subject, const AcceptedVersion& accepted,
                            const Json& fingerprint, std::uint64_t seed);

}  // namespace kgate::verdict
