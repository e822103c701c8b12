#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "gate/trust/base_commit.h"
#include "gate/trust/repository.h"

// The parts of find_base, for its own files.
namespace kgate::trust {

constexpr const char* kNoBase = "base commit";
constexpr const char* kGiveRef = "name the protected branch: --policy-ref origin/main";

enum class System { github, gitlab };

// The remedy for a commit that this clone lacks.
std::string fetch_more(System system);

std::string short_of(const std::string& commit);

// The job that asks: what it was told, and the clone that it works in. Throws Error(untrusted) for what the clone
// lacks.
class Job {
 public:
  Job(const BaseRequest& request, const Repository& repository) : request_(request), repository_(repository) {}

  const BaseRequest& request() const { return request_; }
  const Repository& repository() const { return repository_; }
  std::string variable(const std::string& name) const;

  // A commit that the CI system named: never replaced by another one, not even by a branch that bears its digits as a
  // name.
  bool holds(const std::string& commit) const { return repository_.resolve(commit) == commit; }
  std::string present(const std::string& commit, const std::string& what, System system) const;
  std::string head_or(const std::string& commit, System system) const;

  // The branch that a change is for, as new as it can be had.
  std::optional<std::string> tip_of(const std::string& branch) const;
  std::string branch_head(const std::string& branch, System system) const;
  // What CI systems name is as old as the job's event, and a clone as its last fetch: by an older policy a withdrawn
  // key would count. So the newest of all that is named counts; where they are not on one line the branch was
  // rewritten, or history is cut short, and the branch itself counts.
  std::string newest(const std::vector<std::string>& named, const std::optional<std::string>& tip) const;

  BaseCommit with_warning(BaseCommit base, const std::string& branch) const;
  std::string no_merge_base() const;

 private:
  const BaseRequest& request_;
  const Repository& repository_;
};

// Policy and keys are the target branch's newest: at the fork point of an old branch a rule may be missing, or a key
// that was withdrawn since may still be there. The change itself is measured against where it begins.
BaseCommit pull_request(const std::string& what, const std::string& ref, const std::string& target,
                        const std::string& fork);

// What a push, a schedule or a manual run says about itself, from either system.
struct Push {
  System system = System::github;
  std::string what;            // "push", "schedule"
  std::string commit;          // the commit that runs; empty: HEAD
  std::string before;          // the branch's commit before; empty or zeros: unknown
  std::string branch;          // empty for a tag
  std::string default_branch;  // empty: the system did not say
};

BaseCommit from_push(const Job& job, const Push& push);
BaseCommit from_github(const Job& job);
BaseCommit from_gitlab(const Job& job);

}  // namespace kgate::trust
