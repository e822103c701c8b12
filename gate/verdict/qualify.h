#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gate/cases/case_spec.h"
#include "gate/trust/signed_cases.h"
#include "gate/verdict/compiler.h"
#include "gate/verdict/progress.h"

// Whether cases can tell right from wrong, asked before anybody signs them (docs/signing.md, "What is qualified").
namespace kgate::verdict {

struct QualifyOptions {
  runner::ClientOptions child;
  CompilerOptions compiler;
  std::string backend;
  unsigned threads = 1;
  int seeds = 32;          // on which the reference must pass itself, with half the tolerance
  std::uint64_t seed = 0;  // of this qualification
};

struct Qualification {
  std::vector<std::string> faults;          // what forbids signing: "case \"odd\": \"y\" does not change with the seed"
  std::vector<trust::Weakness> weaknesses;  // mutants that pass every case; signing them needs a reason
  int mutants = 0, cases = 0, seeds = 0;
};

// Runs the reference on its cases and compares mutants of its outputs with it by the cases' own tolerances. Throws
// Error(environment) where the reference does not compile or run here.
Qualification qualify(const cases::CasesSpec& cases, const std::shared_ptr<const FileTree>& tree,
                      const QualifyOptions& options, Progress& progress);

}  // namespace kgate::verdict
