#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/cases/case_spec.h"
#include "gate/trust/keyring.h"

// Which cases say what is right for a kernel: the base commit's, or the change's own where the right people signed a
// higher revision of them.
namespace kgate::verdict {

// cases.toml as a tree has it, not verified.
struct CasesFile {
  cases::CasesSpec spec;
  std::string digest;  // of cases.toml, 64 hex digits
};

// Whether two trees have the same cases: cases.toml, every file that it names, and the signature beside it.
bool same_cases(const FileTree& tree, const CasesFile& cases, const FileTree& other_tree, const CasesFile& other);

struct CasesQuestion {
  std::shared_ptr<const FileTree> working, base;
  const CasesFile* mine = nullptr;    // of the working tree
  const CasesFile* theirs = nullptr;  // of the base; null: it does not know the kernel
  bool untouched = false;             // the change left them alone, and the base has others by now
  std::string base_name;              // for messages: "1a2b3c4d5e (origin/main)"
  bool base_decides = true;           // false outside CI without a ref: unsigned cases of the working tree count
  bool unsigned_blocks = true;
  const trust::Keyring* keyring = nullptr;
  std::string day;                     // today
  std::int64_t accepted_revision = 0;  // of the ledger's last record; 0: none
};

struct CountedCases {
  cases::CasesSpec spec;
  std::string digest;
  std::shared_ptr<const FileTree> files;  // where references, data and expected outputs are read
  std::vector<std::string> signers;       // empty: not signed
  std::vector<std::string> warnings;
};

// Throws Error(untrusted, subject, fact, remedy) where a signature does not hold, is missing though the policy wants
// one, or is for an older revision or for less than the cases name.
CountedCases count_cases(const CasesQuestion& question);

}  // namespace kgate::verdict
