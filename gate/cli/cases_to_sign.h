#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file_tree.h"
#include "gate/cases/case_spec.h"
#include "gate/trust/policy.h"
#include "gate/trust/repository.h"
#include "gate/trust/revision_rule.h"

namespace kgate::cli {

// Cases, with the bytes of all their files, read once: what is qualified is what is signed.
struct CasesToSign {
  cases::CasesSpec spec;
  std::shared_ptr<const FileTree> files;
  trust::CasesStatement statement;  // kernel, revision and files
};
// Throws Error(usage) where a file is missing or larger than a reader of signed cases takes.
CasesToSign read_cases(const FileTree& tree, const std::string& path);

// What HEAD says of the kernel, wherever it stood there. Cases that cannot be read there say nothing, with a warning.
trust::EarlierCases cases_of_head(const trust::Repository& repository, const trust::Policy& policy,
                                  const std::string& kernel);

// The envelope beside cases.toml. Nothing where there is none, or, with a warning, none that this kgate could have
// written: a signature goes on nothing but what it can show.
struct LyingEnvelope {
  trust::Envelope envelope;
  trust::CasesStatement statement;
};
std::optional<LyingEnvelope> read_envelope(const FileTree& tree, const std::string& path);

// To stderr, made neutral.
void warn(const std::string& line);

}  // namespace kgate::cli
