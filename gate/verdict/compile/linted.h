#pragma once

#include <string>

#include "gate/lint/finding.h"
#include "gate/trust/policy.h"
#include "gate/verdict/subject/subject.h"
#include "runner/job.h"

namespace kgate::verdict {

// What a candidate's sources and machine code show, marked where the base version shows it too. `base`: its machine
// code; null where there is none.
lint::Findings lint_of(const Subject& subject, const runner::Compiled& candidate, const runner::Compiled* base);

// Why the policy refuses what the change brought, with the place and what to do; empty: it does not. What the base has
// already is nobody's to answer for in this change. `backend`: whose code was looked through.
std::string refusal(const lint::Findings& findings, const trust::CompileRules& rules, const std::string& backend);

}  // namespace kgate::verdict
