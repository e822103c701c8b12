#include "gate/trust/base_job.h"

namespace kgate::trust {

std::string fetch_more(System system) {
  return system == System::github ? "set fetch-depth: 0 in the actions/checkout step"
                                  : "set GIT_DEPTH: 0 in the job's variables";
}

std::string short_of(const std::string& commit) {
  return commit.substr(0, 10);
}

std::string Job::variable(const std::string& name) const {
  const auto found = request_.variables.find(name);
  return found == request_.variables.end() ? std::string{} : found->second;
}

std::string Job::present(const std::string& commit, const std::string& what, System system) const {
  if (holds(commit)) return commit;
  if (repository_.shallow()) {
    throw Error(ErrorKind::untrusted, kNoBase, what + ", " + commit + ", is not in this clone, which is shallow",
                fetch_more(system));
  }
  throw Error(ErrorKind::untrusted, kNoBase, what + ", " + commit + ", is not in this clone",
              "fetch it: git fetch origin " + commit);
}

std::string Job::head_or(const std::string& commit, System system) const {
  if (!commit.empty()) return present(commit, "the commit of this job", system);
  if (const auto head = repository_.resolve("HEAD")) return *head;
  throw Error(ErrorKind::untrusted, kNoBase, "this clone has no commit checked out", fetch_more(system));
}

std::optional<std::string> Job::tip_of(const std::string& branch) const {
  if (branch.empty()) return std::nullopt;
  if (request_.fetch) request_.fetch(repository_.root(), branch);
  return repository_.resolve("refs/remotes/origin/" + branch);
}

std::string Job::branch_head(const std::string& branch, System system) const {
  if (const auto found = tip_of(branch)) return *found;
  throw Error(ErrorKind::untrusted, kNoBase, "the branch " + branch + " is not in this clone",
              fetch_more(system) + ", or fetch it: git fetch origin " + branch + ":refs/remotes/origin/" + branch);
}

std::string Job::newest(const std::vector<std::string>& named, const std::optional<std::string>& tip) const {
  std::string best = tip ? *tip : named.front();
  for (const std::string& commit : named) {
    const auto common = commit == best ? std::nullopt : repository_.merge_base(best, commit);
    if (common == best) best = commit;
  }
  return best;
}

BaseCommit Job::with_warning(BaseCommit base, const std::string& branch) const {
  if (!request_.fetch && !branch.empty()) {
    base.warning = "--no-fetch: policy and keys are those of origin/" + branch + " as this job knows it, " +
                   short_of(base.commit) + "; a newer one may be there";
  }
  return base;
}

std::string Job::no_merge_base() const {
  return repository_.shallow() ? " (this clone's history is too short for the merge base)"
                               : " (they have no commit in common)";
}

BaseCommit pull_request(const std::string& what, const std::string& ref, const std::string& target,
                        const std::string& fork) {
  if (target == fork) return {target, ref, target, false, what + ": base " + short_of(target)};
  return {target, ref, fork, false,
          what + ": policy of " + ref + ", " + short_of(target) + "; compared with the merge base " + short_of(fork)};
}

}  // namespace kgate::trust
