#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gate/trust/base_commit.h"
#include "gate/trust/git_program.h"
#include "gate/trust/keyring.h"
#include "gate/trust/ledger.h"
#include "gate/trust/policy.h"
#include "gate/trust/repository.h"

namespace kgate::trust {

constexpr const char* kPolicyFile = ".kgate/policy.toml";

// Who decides, and what: everything that is read from the base commit's objects before anything of a change is read.
struct Authority {
  std::shared_ptr<Repository> repository;
  BaseCommit base;
  std::shared_ptr<const FileTree> tree;  // of the base commit
  Policy policy;
  std::string policy_digest;  // of the file; empty: there is none and the defaults hold
  Keyring keyring;
  std::vector<std::string> warnings;  // to be said loudly
};

// Throws as find_base, parse_policy and Keyring::read do; Error(untrusted) where nothing but HEAD could be the base and
// the policy forbids that.
Authority read_authority(const std::filesystem::path& repository, const BaseRequest& request);

// The files below .kgate that differ from the base commit's in `working`, sorted: they count once they are merged.
std::vector<std::string> pending_changes(const Authority& authority, const FileTree& working);

// Where this policy's ledger is and how old it may be.
LedgerOptions ledger_options(const Policy& policy);

// Where its history of nights is.
LedgerOptions history_options(const Policy& policy);

// Says that the local branch has records that the remote's, as this clone knows it, lacks: nobody reads them. Empty
// where it has none.
std::string unpushed_records(const Authority& authority);

// The ledger by this authority. In a CI job it is fetched first (a job's clone has not the branch), elsewhere it is
// read as the last fetch left it. `git`: null where nothing is to be fetched.
Ledger read_ledger(const Authority& authority, const GitProgram* git);
// The history of nights, likewise.
Ledger read_history(const Authority& authority, const GitProgram* git);

}  // namespace kgate::trust
