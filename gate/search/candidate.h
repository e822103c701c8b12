#pragma once

#include <map>
#include <optional>
#include <string>

#include "gate/cases/kernel_spec.h"
#include "gate/search/evaluator.h"
#include "gate/search/propose/proposal.h"

namespace kgate::search {

// The version that these files are; `path`: its kernel.toml. Throws Error(usage, ...) where that is none.
Candidate make_candidate(std::map<std::string, std::string> files, const std::string& path);

cases::KernelSpec spec_of(const Candidate& candidate);

struct Applied {
  std::optional<Candidate> candidate;
  std::string fault;  // where there is none: why, in words for whoever proposed it
};

// The proposal's parts, one after the other, on its parent: whole files, then edits, then parameters. A part may touch
// kernel.toml and the files that the parent's kernel.toml declares, and nothing may change which ones those are: a
// search looks for a better version of this kernel, never for another one.
Applied apply(const Proposal& proposal, const Candidate& parent);

// SHA-256 in hex over what counts of the files: without comments, and without blanks that part nothing. Versions that
// are alike are one to the compiler, so the second one is not worth a measurement. (The other way round is not said.)
std::string likeness_of(const Candidate& candidate);

}  // namespace kgate::search
