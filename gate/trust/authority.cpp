#include "gate/trust/authority.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"

namespace kgate::trust {
namespace {

constexpr const char* kFolder = ".kgate";
constexpr std::uint64_t kMaxFile = 1u << 20;

std::string shortened(const std::string& commit) {
  return commit.substr(0, 10);
}

}  // namespace

Authority read_authority(const std::filesystem::path& repository, const BaseRequest& request) {
  Authority authority;
  authority.repository = std::make_shared<Repository>(Repository::open(repository.string()));
  authority.base = find_base(request, *authority.repository);
  const BaseCommit& base = authority.base;
  authority.tree = authority.repository->tree(base.commit);
  const auto text = authority.tree->read(kPolicyFile, kMaxFile);
  if (text) {
    authority.policy = parse_policy(text_of(*text), kPolicyFile);
    authority.policy_digest = "sha256:" + sha256_hex(*text);
  } else {
    authority.policy = default_policy();
    authority.warnings.push_back(std::string(kPolicyFile) + " is not in the base commit " + shortened(base.commit) +
                                 ": the defaults hold");
  }
  if (base.implied) {
    if (authority.policy.implied_base_blocks) {
      throw Error(ErrorKind::untrusted, "base commit",
                  "is only implied (no CI job and no --policy-ref), which the policy forbids",
                  "name the protected branch: --policy-ref origin/main");
    }
    authority.warnings.insert(
        authority.warnings.begin(),
        "no CI and no --policy-ref: policy and base version come from HEAD (" + shortened(base.commit) +
            "): only what is not committed is judged; for the commits of a branch name what it started from: "
            "--policy-ref main");
  }
  if (!base.warning.empty()) authority.warnings.push_back(base.warning);
  authority.keyring = Keyring::read(authority.policy, *authority.tree);
  return authority;
}

std::vector<std::string> pending_changes(const Authority& authority, const FileTree& working) {
  const auto mine = working.list(kFolder), theirs = authority.tree->list(kFolder);
  std::set<std::string> paths(mine.begin(), mine.end());
  paths.insert(theirs.begin(), theirs.end());
  for (const auto& file : working.left_out(kFolder)) paths.erase(file.path);  // not here, and not changed
  std::vector<std::string> changed;
  for (const auto& path : paths) {
    // What is too large to be a policy or a key is a change whatever it holds.
    const auto content = [&](const FileTree& tree) -> std::optional<Bytes> {
      try {
        return tree.read(path, kMaxFile);
      } catch (const Error&) {
        return bytes_of(tree.description());
      }
    };
    if (content(working) != content(*authority.tree)) changed.push_back(path);
  }
  return changed;
}

LedgerOptions ledger_options(const Policy& policy) {
  LedgerOptions options;
  options.branch = policy.ledger_branch;
  options.remote = policy.ledger_remote;
  options.at_least = policy.ledger_sequence;
  options.at_least_digest = policy.ledger_digest;
  return options;
}

LedgerOptions history_options(const Policy& policy) {
  LedgerOptions options;
  options.branch = policy.history_branch;
  options.remote = policy.ledger_remote;
  options.role = "history";
  options.predicate = kHistoryPredicate;
  return options;
}

std::string unpushed_records(const Authority& authority) {
  const Repository& repository = *authority.repository;
  const std::string &branch = authority.policy.ledger_branch, &remote = authority.policy.ledger_remote;
  std::optional<std::string> local, theirs;
  try {
    local = repository.resolve("refs/heads/" + branch);
    theirs = repository.resolve("refs/remotes/" + remote + "/" + branch);
  } catch (const Error&) {
    return {};  // what is wrong with the one that counts was told by who read it
  }
  if (!local || !theirs || *local == *theirs) return {};
  const auto common = repository.merge_base(*local, *theirs);
  if (common == local) return {};
  const std::string fact =
      fmt::format("the local branch {} has records that {} lacks, and nobody reads them", branch, remote);
  if (common == theirs) return fmt::format("{}; push them: git push {} {}", fact, remote, branch);
  return fmt::format("{}; {} went on without them: git branch -D {}, then accept anew", fact, remote, branch);
}

namespace {

Ledger read_branch(const Authority& authority, const LedgerOptions& options, const GitProgram* git) {
  if (git != nullptr) return fetch_ledger(*authority.repository, *git, options, authority.keyring);
  return Ledger::open(*authority.repository, options, authority.keyring);
}

}  // namespace

Ledger read_ledger(const Authority& authority, const GitProgram* git) {
  return read_branch(authority, ledger_options(authority.policy), git);
}

Ledger read_history(const Authority& authority, const GitProgram* git) {
  return read_branch(authority, history_options(authority.policy), git);
}

}  // namespace kgate::trust
