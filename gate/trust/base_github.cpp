#include "base/json.h"
#include "gate/trust/base_job.h"

namespace kgate::trust {
namespace {

// The text at "a", "b", "c" of nested objects; empty where it is not there.
std::string text_at(const Json& event, const std::vector<std::string>& keys) {
  const Json* at = &event;
  for (const std::string& key : keys) {
    if (!at->is_object() || !at->contains(key)) return {};
    at = &(*at)[key];
  }
  return at->is_string() ? at->get<std::string>() : std::string{};
}

// What GitHub Actions says, event by event.
class Github {
 public:
  explicit Github(const Job& job) : job_(job) {}

  BaseCommit find() const {
    const std::string name = job_.variable("GITHUB_EVENT_NAME");
    if (name == "pull_request" || name == "pull_request_target") return of_pull_request(read_event());
    if (name == "merge_group") return merge_group(read_event());
    if (name == "push" || name == "schedule" || name == "workflow_dispatch") return from_push(job_, read_push(name));
    throw Error(ErrorKind::untrusted, kNoBase,
                "the event " + (name.empty() ? "of GITHUB_EVENT_NAME" : name) + " names none", kGiveRef);
  }

 private:
  Json read_event() const {
    if (job_.request().github_event.empty()) {
      throw Error(ErrorKind::untrusted, kNoBase,
                  "the file that GITHUB_EVENT_PATH names is missing, empty or cannot be read", kGiveRef);
    }
    try {
      return parse_json(job_.request().github_event, "GITHUB_EVENT_PATH");
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

  BaseCommit merge_group(const Json& event) const {
    const std::string heads = "refs/heads/";
    const std::string target = text_at(event, {"merge_group", "base_ref"});
    const std::string branch = target.rfind(heads, 0) == 0 ? target.substr(heads.size()) : target;
    const auto tip = job_.tip_of(branch);
    const std::string base =
        job_.present(commit_at(event, {"merge_group", "base_sha"}), "the merge group's base", System::github);
    const std::string commit = job_.newest({base}, tip);
    if (commit == base)
      return job_.with_warning({base, "merge_group", base, false, "merge group: base " + short_of(base)}, branch);
    return job_.with_warning(pull_request("merge group", "origin/" + branch, commit, base), branch);
  }

  BaseCommit of_pull_request(const Json& event) const {
    const std::string branch = text_at(event, {"pull_request", "base", "ref"});
    const auto tip = job_.tip_of(branch);
    const std::string named = commit_at(event, {"pull_request", "base", "sha"});
    std::vector<std::string> bases;
    // One that a forced push took away is no newer than what is there now.
    if (!tip || !job_.request().fetch || job_.holds(named) || job_.repository().shallow())
      bases.push_back(job_.present(named, "the pull request's base", System::github));
    // The head is what is checked out: the pull request's own commit, or GitHub's merge of it, which already holds the
    // base.
    const std::string head = job_.head_or({}, System::github);
    if (const auto merged_into = merged_by_github(head)) bases.push_back(*merged_into);
    const std::string base = job_.newest(bases, tip);
    const Json number = event.value("number", Json());
    const std::string what = number.is_number_integer() ? "pull request " + number.dump() : "pull request";
    const std::string ref = branch.empty() ? "pull_request" : "origin/" + branch;
    const auto fork = job_.repository().merge_base(base, head);
    if (!fork) {
      return job_.with_warning({base, ref, base, false, what + ": base " + short_of(base) + job_.no_merge_base()},
                               branch);
    }
    return job_.with_warning(pull_request(what, ref, base, *fork), branch);
  }

  // The target's commit that GitHub made the checked out merge with. Only of its own merges: the first parent of any
  // other is the author's to choose.
  std::optional<std::string> merged_by_github(const std::string& head) const {
    const std::string ref = job_.variable("GITHUB_REF");
    const bool is_merge =
        ref.rfind("refs/pull/", 0) == 0 && ref.size() > 6 && ref.compare(ref.size() - 6, 6, "/merge") == 0;
    if (!is_merge || job_.variable("GITHUB_EVENT_NAME") != "pull_request" || job_.variable("GITHUB_SHA") != head)
      return std::nullopt;
    const auto parent = job_.repository().parent(head);
    return parent && job_.holds(*parent) ? parent : std::nullopt;
  }

  Push read_push(const std::string& name) const {
    const Json event = name == "push" ? read_event() : read_event_if_any();
    const std::string ref = job_.variable("GITHUB_REF");
    const std::string heads = "refs/heads/";
    Push push{
        System::github, name, job_.variable("GITHUB_SHA"), {}, {}, text_at(event, {"repository", "default_branch"})};
    if (name == "push") push.before = text_at(event, {"before"});
    if (ref.rfind(heads, 0) == 0) push.branch = ref.substr(heads.size());
    // GitHub runs schedules on the default branch alone, and does not always name it in their event.
    if (name == "schedule" && push.default_branch.empty()) push.default_branch = push.branch;
    return push;
  }

  Json read_event_if_any() const { return job_.request().github_event.empty() ? Json::object() : read_event(); }

  const Job& job_;
};

}  // namespace

BaseCommit from_github(const Job& job) {
  return Github(job).find();
}

}  // namespace kgate::trust
