#pragma once

#include <string>

#include "base/json.h"
#include "gate/cases/case_spec.h"
#include "gate/verdict/qualify/qualify.h"

namespace kgate::report {

// What `kgate sign` says to a person about one kernel's cases: a line a case, a line a mutant, the faults.
std::string write_qualification(const cases::CasesSpec& cases, const verdict::Qualification& qualification);
// The same for programs: kernel, revision, backend, seed, cases[], mutants[], faults[], weaknesses[].
Json qualification_json(const cases::CasesSpec& cases, const verdict::Qualification& qualification);

}  // namespace kgate::report
