#include "gate/trust/base_job.h"

namespace kgate::trust {
namespace {

// A branch's first push, and GitLab in schedules, name forty zeros as the commit before.
bool is_nothing(const std::string& commit) {
  return commit.find_first_not_of('0') == std::string::npos;
}

BaseCommit on_default_branch(const Job& job, const Push& push) {
  const std::string commit = job.head_or(push.commit, push.system);
  const std::string where = push.what + " on " + push.branch + ": " + short_of(commit);
  const auto answer = [&](const std::string& compare, const std::string& how) {
    return BaseCommit{commit, push.branch, compare, false, where + " compared with " + how + ", " + short_of(compare)};
  };
  const bool named = !is_nothing(push.before);
  if (named) {
    if (job.holds(push.before)) return answer(push.before, "the commit before the push");
    // After a forced push the commit before belongs to no branch, and no fetch brings it; in a shallow clone it may
    // only be cut off.
    if (job.repository().shallow()) job.present(push.before, "the commit before the push", push.system);
  }
  const auto parent = job.repository().parent(commit);
  if (parent) return answer(*parent, named ? "its parent (the commit before a forced push is gone)" : "its parent");
  if (job.repository().shallow()) {
    throw Error(ErrorKind::untrusted, kNoBase, "the parent of " + commit + " is not in this clone, which is shallow",
                fetch_more(push.system));
  }
  return {commit, push.branch, commit, false, where + " is the first commit: compared with itself"};
}

}  // namespace

BaseCommit from_push(const Job& job, const Push& push) {
  if (push.default_branch.empty()) {
    throw Error(ErrorKind::untrusted, kNoBase, "the " + push.what + " event does not name the default branch",
                kGiveRef);
  }
  if (push.branch == push.default_branch) return on_default_branch(job, push);
  // Anyone who may push may push a policy to a branch of his own: it is read from the default branch, as for a pull
  // request.
  const std::string ref = "origin/" + push.default_branch;
  const std::string commit = job.branch_head(push.default_branch, push.system);
  const std::string head = job.head_or(push.commit, push.system);
  const std::string where = push.branch.empty() ? push.what + " of a tag" : push.what + " on " + push.branch;
  const auto fork = job.repository().merge_base(commit, head);
  if (!fork) {
    return job.with_warning(
        {commit, ref, commit, false, where + ": head of " + ref + ", " + short_of(commit) + job.no_merge_base()},
        push.default_branch);
  }
  return job.with_warning(
      {commit, ref, *fork, false,
       where + ": policy of " + ref + ", " + short_of(commit) + "; compared with the merge base " + short_of(*fork)},
      push.default_branch);
}

}  // namespace kgate::trust
