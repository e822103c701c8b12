#include "gate/trust/base_commit.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "gate/trust/git_program.h"

// The commit that the change is measured against, and by whose policy. The problem: every CI system tells it in another
// way, and a wrong guess is either a hole (a policy that the change itself brought along) or a false verdict (compared
// with itself, everything is unchanged). So each event has its own few lines, what is not understood is `untrusted`,
// and a commit that a shallow clone lacks is never replaced by a near one. Rejected: to ask git for the upstream of
// HEAD, which says where one pushes to, not what is protected.
namespace kgate::trust {
namespace {

using Variables = std::map<std::string, std::string>;

// CI systems of which kgate knows only that they are one: no commit can be implied there.
const std::vector<std::string>& other_systems() {
  static const std::vector<std::string> names{
      "CI",       "JENKINS_URL", "TF_BUILD", "TEAMCITY_VERSION", "CODEBUILD_BUILD_ID", "BUILDKITE",
      "CIRCLECI", "TRAVIS",      "DRONE",    "BITBUCKET_COMMIT"};
  return names;
}

constexpr const char* kNoBase = "base commit";
constexpr const char* kGiveRef = "name the protected branch: --policy-ref origin/main";

enum class System { github, gitlab };

// The remedy for a commit that this clone lacks.
std::string fetch_more(System system) {
  return system == System::github ? "set fetch-depth: 0 in the actions/checkout step"
                                  : "set GIT_DEPTH: 0 in the job's variables";
}

bool is_set(const std::string& value) {
  return !value.empty() && value != "false" && value != "0";
}

// A branch's first push, and GitLab in schedules, name forty zeros as the commit before.
bool is_nothing(const std::string& commit) {
  return commit.find_first_not_of('0') == std::string::npos;
}

std::string short_of(const std::string& commit) {
  return commit.substr(0, 10);
}

// The text at "a", "b", "c" of nested objects; empty where it is not there.
std::string text_at(const Json& event, const std::vector<std::string>& keys) {
  const Json* at = &event;
  for (const std::string& key : keys) {
    if (!at->is_object() || !at->contains(key)) return {};
    at = &(*at)[key];
  }
  return at->is_string() ? at->get<std::string>() : std::string{};
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

// What a push, a schedule or a manual run says about itself, from either system.
struct Push {
  System system = System::github;
  std::string what;            // "push", "schedule"
  std::string commit;          // the commit that runs; empty: HEAD
  std::string before;          // the branch's commit before; empty or zeros: unknown
  std::string branch;          // empty for a tag
  std::string default_branch;  // empty: the system did not say
};

class Search {
 public:
  Search(const BaseRequest& request, const Repository& repository) : request_(request), repository_(repository) {}

  BaseCommit find() const {
    if (request_.policy_ref) return from_ref(*request_.policy_ref);
    if (is_set(variable("GITHUB_ACTIONS")) || !variable("GITHUB_EVENT_NAME").empty()) return from_github();
    if (is_set(variable("GITLAB_CI"))) return from_gitlab();
    for (const std::string& name : other_systems()) {
      if (is_set(variable(name))) {
        throw Error(ErrorKind::untrusted, kNoBase,
                    "this is a CI job (" + name + " is set), but not one that tells where the change starts", kGiveRef);
      }
    }
    return from_head();
  }

 private:
  std::string variable(const std::string& name) const {
    const auto found = request_.variables.find(name);
    return found == request_.variables.end() ? std::string{} : found->second;
  }

  BaseCommit from_ref(const std::string& ref) const {
    const auto commit = repository_.resolve(ref);
    if (!commit) throw unknown_ref("--policy-ref " + ref, ref, repository_);
    return {*commit, ref, *commit, false, "--policy-ref " + ref + ": " + short_of(*commit)};
  }

  BaseCommit from_head() const {
    const auto head = repository_.resolve("HEAD");
    if (!head) {
      throw Error(ErrorKind::usage, repository_.root(), "has no commit yet",
                  "commit the policy and the kernels, then change them");
    }
    return {*head, "HEAD", *head, true, "no CI and no --policy-ref: HEAD, " + short_of(*head)};
  }

  // A commit that the CI system named: never replaced by another one, not even by a branch that bears its digits as a
  // name.
  bool holds(const std::string& commit) const { return repository_.resolve(commit) == commit; }
  std::string present(const std::string& commit, const std::string& what, System system) const {
    if (holds(commit)) return commit;
    if (repository_.shallow()) {
      throw Error(ErrorKind::untrusted, kNoBase, what + ", " + commit + ", is not in this clone, which is shallow",
                  fetch_more(system));
    }
    throw Error(ErrorKind::untrusted, kNoBase, what + ", " + commit + ", is not in this clone",
                "fetch it: git fetch origin " + commit);
  }

  std::string head_or(const std::string& commit, System system) const {
    if (!commit.empty()) return present(commit, "the commit of this job", system);
    if (const auto head = repository_.resolve("HEAD")) return *head;
    throw Error(ErrorKind::untrusted, kNoBase, "this clone has no commit checked out", fetch_more(system));
  }

  std::string no_merge_base() const {
    return repository_.shallow() ? " (this clone's history is too short for the merge base)"
                                 : " (they have no commit in common)";
  }

  // The branch that a change is for, as new as it can be had.
  std::optional<std::string> tip_of(const std::string& branch) const {
    if (branch.empty()) return std::nullopt;
    if (request_.fetch) request_.fetch(repository_.root(), branch);
    return repository_.resolve("refs/remotes/origin/" + branch);
  }

  // What CI systems name is as old as the job's event, and a clone as its last fetch: by an older policy a withdrawn
  // key would count. So the newest of all that is named counts; where they are not on one line the branch was
  // rewritten, or history is cut short, and the branch itself counts.
  std::string newest(const std::vector<std::string>& named, const std::optional<std::string>& tip) const {
    std::string best = tip ? *tip : named.front();
    for (const std::string& commit : named) {
      const auto common = commit == best ? std::nullopt : repository_.merge_base(best, commit);
      if (common == best) best = commit;
    }
    return best;
  }

  BaseCommit with_warning(BaseCommit base, const std::string& branch) const {
    if (!request_.fetch && !branch.empty()) {
      base.warning = "--no-fetch: policy and keys are those of origin/" + branch + " as this job knows it, " +
                     short_of(base.commit) + "; a newer one may be there";
    }
    return base;
  }

  std::string branch_head(const std::string& branch, System system) const {
    if (const auto found = tip_of(branch)) return *found;
    throw Error(ErrorKind::untrusted, kNoBase, "the branch " + branch + " is not in this clone",
                fetch_more(system) + ", or fetch it: git fetch origin " + branch + ":refs/remotes/origin/" + branch);
  }

  // ---- GitHub

  Json github_event() const {
    if (request_.github_event.empty()) {
      throw Error(ErrorKind::untrusted, kNoBase,
                  "the file that GITHUB_EVENT_PATH names is missing, empty or cannot be read", kGiveRef);
    }
    try {
      return parse_json(request_.github_event, "GITHUB_EVENT_PATH");
    } catch (const Error& error) {
      throw Error(ErrorKind::untrusted, error.subject(), error.fact(), kGiveRef);
    }
  }

  std::string commit_at(const Json& event, const std::vector<std::string>& keys) const {
    std::string commit = text_at(event, keys);
    if (!commit.empty()) return commit;
    std::string path;
    for (const std::string& key : keys) path += (path.empty() ? "" : ".") + key;
    throw Error(ErrorKind::untrusted, "GITHUB_EVENT_PATH", "the event has no " + path, kGiveRef);
  }

  BaseCommit from_github() const {
    const std::string name = variable("GITHUB_EVENT_NAME");
    if (name == "pull_request" || name == "pull_request_target") return github_pull_request(github_event());
    if (name == "merge_group") return github_merge_group(github_event());
    if (name == "push" || name == "schedule" || name == "workflow_dispatch") return from_push(github_push(name));
    throw Error(ErrorKind::untrusted, kNoBase,
                "the event " + (name.empty() ? "of GITHUB_EVENT_NAME" : name) + " names none", kGiveRef);
  }

  BaseCommit github_merge_group(const Json& event) const {
    const std::string heads = "refs/heads/";
    const std::string target = text_at(event, {"merge_group", "base_ref"});
    const std::string branch = target.rfind(heads, 0) == 0 ? target.substr(heads.size()) : target;
    const auto tip = tip_of(branch);
    const std::string base =
        present(commit_at(event, {"merge_group", "base_sha"}), "the merge group's base", System::github);
    const std::string commit = newest({base}, tip);
    if (commit == base)
      return with_warning({base, "merge_group", base, false, "merge group: base " + short_of(base)}, branch);
    return with_warning(pull_request("merge group", "origin/" + branch, commit, base), branch);
  }

  BaseCommit github_pull_request(const Json& event) const {
    const std::string branch = text_at(event, {"pull_request", "base", "ref"});
    const auto tip = tip_of(branch);
    const std::string named = commit_at(event, {"pull_request", "base", "sha"});
    std::vector<std::string> bases;
    // One that a forced push took away is no newer than what is there now.
    if (!tip || !request_.fetch || holds(named) || repository_.shallow())
      bases.push_back(present(named, "the pull request's base", System::github));
    // The head is what is checked out: the pull request's own commit, or GitHub's merge of it, which already holds the
    // base.
    const std::string head = head_or({}, System::github);
    if (const auto merged_into = merged_by_github(head)) bases.push_back(*merged_into);
    const std::string base = newest(bases, tip);
    const Json number = event.value("number", Json());
    const std::string what = number.is_number_integer() ? "pull request " + number.dump() : "pull request";
    const std::string ref = branch.empty() ? "pull_request" : "origin/" + branch;
    const auto fork = repository_.merge_base(base, head);
    if (!fork) {
      return with_warning({base, ref, base, false, what + ": base " + short_of(base) + no_merge_base()}, branch);
    }
    return with_warning(pull_request(what, ref, base, *fork), branch);
  }

  // The target's commit that GitHub made the checked out merge with. Only of its own merges: the first parent of any
  // other is the author's to choose.
  std::optional<std::string> merged_by_github(const std::string& head) const {
    const std::string ref = variable("GITHUB_REF");
    const bool is_merge =
        ref.rfind("refs/pull/", 0) == 0 && ref.size() > 6 && ref.compare(ref.size() - 6, 6, "/merge") == 0;
    if (!is_merge || variable("GITHUB_EVENT_NAME") != "pull_request" || variable("GITHUB_SHA") != head)
      return std::nullopt;
    const auto parent = repository_.parent(head);
    return parent && holds(*parent) ? parent : std::nullopt;
  }

  // Policy and keys are the target branch's newest: at the fork point of an old branch a rule may be missing, or a key
  // that was withdrawn since may still be there. The change itself is measured against where it begins.
  static BaseCommit pull_request(const std::string& what, const std::string& ref, const std::string& target,
                                 const std::string& fork) {
    if (target == fork) return {target, ref, target, false, what + ": base " + short_of(target)};
    return {target, ref, fork, false,
            what + ": policy of " + ref + ", " + short_of(target) + "; compared with the merge base " + short_of(fork)};
  }

  Push github_push(const std::string& name) const {
    const Json event = name == "push" ? github_event() : optional_event();
    const std::string ref = variable("GITHUB_REF");
    const std::string heads = "refs/heads/";
    Push push{System::github, name, variable("GITHUB_SHA"), {}, {}, text_at(event, {"repository", "default_branch"})};
    if (name == "push") push.before = text_at(event, {"before"});
    if (ref.rfind(heads, 0) == 0) push.branch = ref.substr(heads.size());
    // GitHub runs schedules on the default branch alone, and does not always name it in their event.
    if (name == "schedule" && push.default_branch.empty()) push.default_branch = push.branch;
    return push;
  }

  Json optional_event() const { return request_.github_event.empty() ? Json::object() : github_event(); }

  // ---- GitLab

  BaseCommit from_gitlab() const {
    const std::string number = variable("CI_MERGE_REQUEST_IID");
    const std::string target = variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
    const std::string fork = variable("CI_MERGE_REQUEST_DIFF_BASE_SHA");
    if (!number.empty() || !target.empty() || variable("CI_PIPELINE_SOURCE") == "merge_request_event") {
      const std::string what = number.empty() ? "merge request" : "merge request " + number;
      const std::string ref = target.empty() ? "merge request" : "origin/" + target;
      const std::string named = variable("CI_MERGE_REQUEST_TARGET_BRANCH_SHA");
      const auto tip = tip_of(target);
      if (tip || holds(named)) {
        std::vector<std::string> bases;
        for (const std::string& commit : {named, fork}) {
          if (holds(commit)) bases.push_back(commit);
        }
        const std::string base = newest(bases, tip);
        const auto answer = [&](const BaseCommit& found) { return with_warning(found, target); };
        const auto merge_base = repository_.merge_base(base, head_or(variable("CI_COMMIT_SHA"), System::gitlab));
        if (merge_base) return answer(pull_request(what, ref, base, *merge_base));
        if (holds(fork)) return answer(pull_request(what, ref, base, fork));
        return answer({base, ref, base, false, what + ": head of " + ref + ", " + short_of(base)});
      }
      if (!fork.empty()) {
        const std::string commit = present(fork, "the merge request's base", System::gitlab);
        return {commit, ref, commit, false,
                what + ": base " + short_of(commit) + " (" + ref +
                    " is not in this clone: an older policy may hold than the target branch's)"};
      }
      if (target.empty())
        throw Error(ErrorKind::untrusted, kNoBase, "the merge request names neither base nor target branch", kGiveRef);
      const std::string commit = branch_head(target, System::gitlab);
      return {commit, ref, commit, false, what + ": head of " + ref + ", " + short_of(commit)};
    }
    const std::string source = variable("CI_PIPELINE_SOURCE");
    return from_push({System::gitlab, source.empty() ? "push" : source, variable("CI_COMMIT_SHA"),
                      variable("CI_COMMIT_BEFORE_SHA"), variable("CI_COMMIT_BRANCH"), variable("CI_DEFAULT_BRANCH")});
  }

  // ---- both

  BaseCommit from_push(const Push& push) const {
    if (push.default_branch.empty()) {
      throw Error(ErrorKind::untrusted, kNoBase, "the " + push.what + " event does not name the default branch",
                  kGiveRef);
    }
    if (push.branch == push.default_branch) return on_default_branch(push);
    // Anyone who may push may push a policy to a branch of his own: it is read from the default branch, as for a pull
    // request.
    const std::string ref = "origin/" + push.default_branch;
    const std::string commit = branch_head(push.default_branch, push.system);
    const std::string head = head_or(push.commit, push.system);
    const std::string where = push.branch.empty() ? push.what + " of a tag" : push.what + " on " + push.branch;
    const auto fork = repository_.merge_base(commit, head);
    if (!fork) {
      return with_warning(
          {commit, ref, commit, false, where + ": head of " + ref + ", " + short_of(commit) + no_merge_base()},
          push.default_branch);
    }
    return with_warning(
        {commit, ref, *fork, false,
         where + ": policy of " + ref + ", " + short_of(commit) + "; compared with the merge base " + short_of(*fork)},
        push.default_branch);
  }

  BaseCommit on_default_branch(const Push& push) const {
    const std::string commit = head_or(push.commit, push.system);
    const std::string where = push.what + " on " + push.branch + ": " + short_of(commit);
    const auto answer = [&](const std::string& compare, const std::string& how) {
      return BaseCommit{commit, push.branch, compare, false,
                        where + " compared with " + how + ", " + short_of(compare)};
    };
    const bool named = !is_nothing(push.before);
    if (named) {
      if (holds(push.before)) return answer(push.before, "the commit before the push");
      // After a forced push the commit before belongs to no branch, and no fetch brings it; in a shallow clone it may
      // only be cut off.
      if (repository_.shallow()) present(push.before, "the commit before the push", push.system);
    }
    const auto parent = repository_.parent(commit);
    if (parent) return answer(*parent, named ? "its parent (the commit before a forced push is gone)" : "its parent");
    if (repository_.shallow()) {
      throw Error(ErrorKind::untrusted, kNoBase, "the parent of " + commit + " is not in this clone, which is shallow",
                  fetch_more(push.system));
    }
    return {commit, push.branch, commit, false, where + " is the first commit: compared with itself"};
  }

  const BaseRequest& request_;
  const Repository& repository_;
};

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
  BaseCommit base = Search(request, repository).find();
  if (request.baseline) {
    const auto commit = repository.resolve(*request.baseline);
    if (!commit) throw unknown_ref("--baseline " + *request.baseline, *request.baseline, repository);
    base.compare = *commit;
    base.explanation += "; compared with --baseline " + *request.baseline + ", " + short_of(*commit);
  }
  return base;
}

}  // namespace kgate::trust
