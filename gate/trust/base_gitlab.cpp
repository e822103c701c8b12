#include "gate/trust/base_job.h"

namespace kgate::trust {

BaseCommit from_gitlab(const Job& job) {
  const std::string number = job.variable("CI_MERGE_REQUEST_IID");
  const std::string target = job.variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
  const std::string fork = job.variable("CI_MERGE_REQUEST_DIFF_BASE_SHA");
  if (!number.empty() || !target.empty() || job.variable("CI_PIPELINE_SOURCE") == "merge_request_event") {
    const std::string what = number.empty() ? "merge request" : "merge request " + number;
    const std::string ref = target.empty() ? "merge request" : "origin/" + target;
    const std::string named = job.variable("CI_MERGE_REQUEST_TARGET_BRANCH_SHA");
    const auto tip = job.tip_of(target);
    if (tip || job.holds(named)) {
      std::vector<std::string> bases;
      for (const std::string& commit : {named, fork}) {
        if (job.holds(commit)) bases.push_back(commit);
      }
      const std::string base = job.newest(bases, tip);
      const auto answer = [&](const BaseCommit& found) { return job.with_warning(found, target); };
      const auto merge_base =
          job.repository().merge_base(base, job.head_or(job.variable("CI_COMMIT_SHA"), System::gitlab));
      if (merge_base) return answer(pull_request(what, ref, base, *merge_base));
      if (job.holds(fork)) return answer(pull_request(what, ref, base, fork));
      return answer({base, ref, base, false, what + ": head of " + ref + ", " + short_of(base)});
    }
    if (!fork.empty()) {
      const std::string commit = job.present(fork, "the merge request's base", System::gitlab);
      return {commit, ref, commit, false,
              what + ": base " + short_of(commit) + " (" + ref +
                  " is not in this clone: an older policy may hold than the target branch's)"};
    }
    if (target.empty())
      throw Error(ErrorKind::untrusted, kNoBase, "the merge request names neither base nor target branch", kGiveRef);
    const std::string commit = job.branch_head(target, System::gitlab);
    return {commit, ref, commit, false, what + ": head of " + ref + ", " + short_of(commit)};
  }
  const std::string source = job.variable("CI_PIPELINE_SOURCE");
  return from_push(
      job, {System::gitlab, source.empty() ? "push" : source, job.variable("CI_COMMIT_SHA"),
            job.variable("CI_COMMIT_BEFORE_SHA"), job.variable("CI_COMMIT_BRANCH"), job.variable("CI_DEFAULT_BRANCH")});
}

}  // namespace kgate::trust
