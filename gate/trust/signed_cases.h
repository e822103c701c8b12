#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/trust/keyring.h"
#include "gate/trust/statement.h"

// cases.toml.dsse: who says that these cases, with every file that they name, are right (docs/signing.md).
namespace kgate::trust {

constexpr const char* kCasesPredicate = "https://kgate.dev/cases/v1";

// A tolerance that a mutant slips through, and why a reviewer signed nevertheless.
struct Weakness {
  std::string mutant;  // "scaled by 1 + 2 rtol"
  std::string remedy;  // "case \"odd\": rtol below 2e-5 would stop it"
};

// The predicate, and the subjects as a map. Names are relative to the folder of cases.toml, so that a kernel's folder
// can move: "cases.toml", "reference.cu", "../common/shapes.cuh".
struct CasesStatement {
  std::string kernel;
  std::int64_t revision = 0;
  std::string signed_at;                     // UTC, as the first signer says
  std::map<std::string, std::string> files;  // name -> SHA-256
  std::vector<Weakness> weaknesses;
  std::string weak_reason;  // of --accept-weak; empty: none was needed
};

Statement to_statement(const CasesStatement& cases);
CasesStatement cases_statement_from(const Statement& statement, const std::string& subject);

struct SignedCases {
  CasesStatement statement;
  std::vector<std::string> signers;  // key files
  // The signed files and no others, read once, each with the digest that was signed: what is used is what was checked.
  std::shared_ptr<const FileTree> files;
};

// "kernels/softmax/cases.toml" -> "kernels/softmax/cases.toml.dsse".
std::string envelope_path(const std::string& cases_path);

// Nothing where there is no envelope beside cases.toml. Throws Error(untrusted, subject, fact, remedy) where there is
// one that does not hold: signature, role, dates (`day`), statement, a file that is missing, a link, differs or is not
// signed for; `kernel`: its name for the message, where that is known to be another than the statement's. Whether the
// signed files say the same kernel and revision as the statement is for those who parse them.
std::optional<SignedCases> read_signed_cases(const FileTree& tree, const std::string& cases_path,
                                             const Keyring& keyring, const std::string& day,
                                             const std::string& kernel = {});

}  // namespace kgate::trust
