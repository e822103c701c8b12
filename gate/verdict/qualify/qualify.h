#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gate/cases/case_spec.h"
#include "gate/trust/signed_cases.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/qualify/mutant_trials.h"
#include "gate/verdict/result/progress.h"

// Whether cases can tell right from wrong, asked before anybody signs them (docs/qualification.md).
namespace kgate::verdict {

struct QualifyOptions {
  runner::ClientOptions child;
  CompilerOptions compiler;
  std::string backend;
  unsigned threads = 1;
  int seeds = 32;                // on which the reference must pass itself, with half the tolerance; at least 2
  double seconds_per_case = 10;  // after which a large case gets no further seed; it has had two at least
  std::uint64_t seed = 0;        // of this qualification
};

// A case, as it was tried.
struct CaseTrial {
  std::string name;
  int seeds = 0;                   // 0: it was not tried, or the reference is at fault
  int mutants = 0, stopped = 0;    // that were tried and are wrong here; that failed
  std::vector<std::string> notes;  // "\"y\" is the same for every seed"
};

struct Qualification {
  std::string backend;
  std::uint64_t seed = 0;                   // with which it can be repeated
  std::vector<std::string> faults;          // what forbids signing: "case \"odd\": the reference crashed ..."
  std::vector<trust::Weakness> weaknesses;  // mutants that pass every case; signing them needs a reason
  std::vector<CaseTrial> cases;             // in the order of cases.toml
  std::vector<MutantTrial> mutants;         // by output, in the order of cases.toml
};

// Runs the reference on its cases and compares mutants of its outputs with it by the cases' own tolerances. Throws
// Error(usage) for a reference that does not compile, Error(environment) where it cannot run here or no case is for
// this backend.
Qualification qualify(const cases::CasesSpec& cases, const std::shared_ptr<const FileTree>& tree,
                      const QualifyOptions& options, Progress& progress);

}  // namespace kgate::verdict
