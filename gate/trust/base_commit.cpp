#include "gate/trust/base_commit.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "gate/trust/base_job.h"
#include "gate/trust/git_program.h"

// The commit that the change is measured against, and by whose policy. The problem: every CI system tells it in another
// way, and a wrong guess is either a hole (a policy that the change itself brought along) or a false verdict (compared
// with itself, everything is unchanged). So each event has its own few lines, what is not understood is `untrusted`,
// and a commit that a shallow clone lacks is never replaced by a near one. Rejected: to ask git for the upstream of
// HEAD, which says where one pushes to, not what is protected.
namespace kgate::trust {
namespace {

// CI systems of which kgate knows only that they are one: no commit can be implied there.
const std::vector<std::string>& other_systems() {
  static const std::vector<std::string> names{
      "CI",       "JENKINS_URL", "TF_BUILD", "TEAMCITY_VERSION", "CODEBUILD_BUILD_ID", "BUILDKITE",
      "CIRCLECI", "TRAVIS",      "DRONE",    "BITBUCKET_COMMIT"};
  return names;
}

bool is_set(const std::string& value) {
  return !value.empty() && value != "false" && value != "0";
}

// A revision that the user gave and this clone cannot find.
Error unknown_ref(const std::string& option, const std::string& ref, const Repository& repository) {
  constexpr std::size_t kDigits = 40;
  const std::string remote = "origin/";
  const bool ancestor = ref.find_first_of("~^") != std::string::npos;
  const bool commit = ref.size() == kDigits && ref.find_first_not_of("0123456789abcdef") == std::string::npos;
  std::string remedy = "fetch it first, or name a branch, a tag or a commit that is here";
  if (commit) {
    remedy = "fetch it: git fetch origin " + ref;
  } else if (ancestor) {
    if (repository.shallow()) remedy = "fetch its history: git fetch --unshallow";
  } else if (ref.rfind(remote, 0) == 0 && ref.size() > remote.size()) {
    const std::string branch = ref.substr(remote.size());
    remedy = "fetch it: git fetch origin " + branch + ":refs/remotes/origin/" + branch;
  }
  return {ErrorKind::usage, option,
          std::string("names no commit of this clone") + (repository.shallow() ? ", which is shallow" : ""), remedy};
}

BaseCommit from_ref(const Repository& repository, const std::string& ref) {
  const auto commit = repository.resolve(ref);
  if (!commit) throw unknown_ref("--policy-ref " + ref, ref, repository);
  return {*commit, ref, *commit, false, "--policy-ref " + ref + ": " + short_of(*commit)};
}

BaseCommit from_head(const Repository& repository) {
  const auto head = repository.resolve("HEAD");
  if (!head) {
    throw Error(ErrorKind::usage, repository.root(), "has no commit yet",
                "commit the policy and the kernels, then change them");
  }
  return {*head, "HEAD", *head, true, "no CI and no --policy-ref: HEAD, " + short_of(*head)};
}

BaseCommit from_job(const Job& job) {
  if (job.request().policy_ref) return from_ref(job.repository(), *job.request().policy_ref);
  if (is_set(job.variable("GITHUB_ACTIONS")) || !job.variable("GITHUB_EVENT_NAME").empty()) return from_github(job);
  if (is_set(job.variable("GITLAB_CI"))) return from_gitlab(job);
  for (const std::string& name : other_systems()) {
    if (is_set(job.variable(name))) {
      throw Error(ErrorKind::untrusted, kNoBase,
                  "this is a CI job (" + name + " is set), but not one that tells where the change starts", kGiveRef);
    }
  }
  return from_head(job.repository());
}

}  // namespace

const std::vector<std::string>& base_variables() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"GITHUB_ACTIONS",
                                 "GITHUB_EVENT_NAME",
                                 "GITHUB_REF",
                                 "GITHUB_SHA",
                                 "GITLAB_CI",
                                 "CI_PIPELINE_SOURCE",
                                 "CI_COMMIT_SHA",
                                 "CI_COMMIT_BEFORE_SHA",
                                 "CI_COMMIT_BRANCH",
                                 "CI_DEFAULT_BRANCH",
                                 "CI_MERGE_REQUEST_IID",
                                 "CI_MERGE_REQUEST_DIFF_BASE_SHA",
                                 "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",
                                 "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"};
    all.insert(all.end(), other_systems().begin(), other_systems().end());
    return all;
  }();
  return names;
}

bool is_ci_job(const std::map<std::string, std::string>& variables) {
  const auto set = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found != variables.end() && is_set(found->second);
  };
  return set("GITHUB_ACTIONS") || set("GITHUB_EVENT_NAME") || set("GITLAB_CI") ||
         std::any_of(other_systems().begin(), other_systems().end(), set);
}

std::function<void(const std::string&, const std::string&)> fetch_from_origin(
    std::map<std::string, std::string> environment, const Interrupt* interrupt) {
  return [environment = std::move(environment), interrupt](const std::string& root, const std::string& branch) {
    const std::string remote = "origin";
    const GitProgram git(root, environment, interrupt);
    if (git.has_remote(remote) && git.remote_head(remote, branch)) git.fetch(remote, branch);
  };
}

BaseCommit find_base(const BaseRequest& request, const Repository& repository) {
  BaseCommit base = from_job({request, repository});
  if (request.baseline) {
    const auto commit = repository.resolve(*request.baseline);
    if (!commit) throw unknown_ref("--baseline " + *request.baseline, *request.baseline, repository);
    base.compare = *commit;
    base.explanation += "; compared with --baseline " + *request.baseline + ", " + short_of(*commit);
  }
  return base;
}

}  // namespace kgate::trust
