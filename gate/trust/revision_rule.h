#pragma once

#include <optional>
#include <string>

#include "gate/trust/signed_cases.h"

namespace kgate::trust {

// What says already what is right for a kernel, when its cases are about to be signed.
struct EarlierCases {
  std::optional<CasesStatement> lying;  // of the envelope that lies beside cases.toml, whoever signed it
  std::optional<CasesStatement> base;   // kernel, revision and files as the base commit has them, signed or not
  std::string base_name;                // "commit 1a2b3c4d5e (HEAD)"
};

// True where the envelope that lies there says the same of the same files: a signature is added to it. False where a
// new statement is to be written. Throws Error(usage, subject, fact, "raise revision to N") where the content changed
// and the revision is not higher than every earlier one: two statements of one revision must never compete.
bool adds_signature(const CasesStatement& cases, const EarlierCases& earlier, const std::string& subject);

}  // namespace kgate::trust
