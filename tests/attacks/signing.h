#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gate/trust/dsse.h"
#include "gate/trust/signed_cases.h"
#include "tests/attacks/folder.h"

// Who has a key in the story; all but the stranger's are in the policy.
enum class Who : unsigned {
  reviewer = 1,     // signs cases
  second_reviewer,  // signs cases
  former_reviewer,  // signed cases until 2020-12-31
  coming_reviewer,  // will sign cases from 2999-01-01
  approver,         // signs the ledger
  former_approver,  // signed the ledger until 2020-06-30
  historian,        // signs kgate/history
  stranger
};

kgate::trust::PrivateKey key_of(Who who);

// What `kgate sign` would say of the cases that lie in a kernel's folder.
kgate::trust::CasesStatement statement_of(const Folder& repo, const std::string& folder);

std::string signed_by(const std::vector<Who>& who, const kgate::trust::Statement& statement);
// Writes cases.toml.dsse for what lies in the kernel's folder.
void sign_cases(const Folder& repo, const std::string& folder, const std::vector<Who>& who = {Who::reviewer});
// The same for a statement that was tampered with before it was signed.
void sign_changed(const Folder& repo, const std::string& folder,
                  const std::function<void(kgate::trust::CasesStatement&)>& change);

// Changes the JSON of an envelope that lies there, or of its payload, without a new signature.
void edit_envelope(const Folder& repo, const std::string& path, const std::function<void(kgate::Json&)>& change);
// Changes the payload and signs it, as a reviewer could.
void sign_payload(const Folder& repo, const std::string& path, const std::function<void(kgate::Json&)>& change);
