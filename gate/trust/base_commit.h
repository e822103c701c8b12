#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "gate/trust/repository.h"

namespace kgate::trust {

// What the command line and the CI job say about where the base is. `variables` are the CI variables that the cli read
// (GITHUB_*, CI_*).
struct BaseRequest {
  std::optional<std::string> policy_ref;  // --policy-ref
  std::optional<std::string> baseline;    // --baseline
  std::map<std::string, std::string> variables;
  std::string github_event;  // the content of GITHUB_EVENT_PATH; empty: none
  // Brings refs/remotes/origin/BRANCH of the repository at `root` up to date: a job that runs again, or a clone that a
  // runner keeps, may know an old one. Not set: it counts as it lies here, and that is said.
  std::function<void(const std::string& root, const std::string& branch)> fetch = {};
};

// By the user's own git, from the remote "origin"; nothing is done where there is no such remote or branch. Throws
// Error(environment) where the remote cannot be asked.
std::function<void(const std::string&, const std::string&)> fetch_from_origin(
    std::map<std::string, std::string> environment, const Interrupt* interrupt);

// The table "Where the base commit is" of docs/policy.md, decided.
struct BaseCommit {
  std::string commit;       // policy and keys are read from here; 40 hex digits
  std::string ref;          // as the user would name it: "origin/main", "HEAD", the event
  std::string compare;      // the version to compare with: `commit`, unless a push compares with its previous commit or
                            // --baseline was given
  bool implied = false;     // no CI and no ref: HEAD, to be said loudly
  std::string explanation;  // one line: "pull request 12: merge base of abc and def"
  std::string warning = {};  // to be said loudly; empty: nothing is
};

// The environment variables that find_base looks at; reading them is the cli's part. GITHUB_EVENT_PATH is the cli's
// alone: its content goes to `github_event`.
const std::vector<std::string>& base_variables();

// Whether these variables are a CI job's.
bool is_ci_job(const std::map<std::string, std::string>& variables);

// Throws Error(untrusted) in CI where none can be found or the commit is not in this clone (remedy: fetch-depth),
// Error(usage) for a ref that does not exist.
BaseCommit find_base(const BaseRequest& request, const Repository& repository);

}  // namespace kgate::trust
