#include "gate/trust/base_commit.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/git_fixture.h"
#include "tests/trust/known_leaks.h"

using kgate::trust::BaseCommit;
using kgate::trust::BaseRequest;
using kgate::trust::Repository;

namespace {

const std::string kZeros(40, '0');
const std::string kAbsent(40, '1');

std::string brief(const std::string& commit) {
  return commit.substr(0, 10);
}

// main: first - fork - main_before - main_head; topic: fork - topic_head. HEAD of the clone is chosen by each test.
struct History {
  GitFixture fixture;
  std::string first, fork, topic, before, head;

  History() {
    first = fixture.init("origin");
    fork = fixture.commit("origin", "fork.txt", "f");
    fixture.git("origin", {"checkout", "-q", "-b", "topic"});
    topic = fixture.commit("origin", "topic.txt", "t");
    fixture.git("origin", {"checkout", "-q", "main"});
    before = fixture.commit("origin", "before.txt", "b");
    head = fixture.commit("origin", "head.txt", "h");
    fixture.git("", {"clone", "-q", "file://" + fixture.path("origin"), "clone"});
    fixture.git("clone", {"remote", "set-head", "-d", "origin"});
  }
  void checkout(const std::string& commit) const { fixture.git("clone", {"checkout", "-q", "--detach", commit}); }
  BaseCommit find(const BaseRequest& request) const {
    return kgate::trust::find_base(request, Repository::open(fixture.path("clone")));
  }
  std::string error(const BaseRequest& request, const std::string& folder = "clone") const {
    return error_of([&] { kgate::trust::find_base(request, Repository::open(fixture.path(folder))); });
  }
};

BaseRequest github(const std::string& event, const std::string& json, const std::string& ref = {},
                   const std::string& sha = {}) {
  BaseRequest request;
  request.variables = {{"CI", "true"}, {"GITHUB_ACTIONS", "true"}, {"GITHUB_EVENT_NAME", event}};
  if (!ref.empty()) request.variables["GITHUB_REF"] = ref;
  if (!sha.empty()) request.variables["GITHUB_SHA"] = sha;
  request.github_event = json;
  return request;
}

BaseRequest gitlab(std::map<std::string, std::string> variables) {
  BaseRequest request;
  request.variables = std::move(variables);
  request.variables["CI"] = "true";
  request.variables["GITLAB_CI"] = "true";
  return request;
}

std::string pull_request(const std::string& base) {
  return R"({"number": 12, "pull_request": {"base": {"ref": "main", "sha": ")" + base + R"("}}})";
}

std::string push(const std::string& before) {
  return R"({"before": ")" + before + R"(", "repository": {"default_branch": "main"}})";
}

void check(const BaseCommit& base, const std::string& commit, const std::string& ref, const std::string& compare,
           const std::string& explanation) {
  CHECK(base.commit == commit);
  CHECK(base.ref == ref);
  CHECK(base.compare == compare);
  CHECK(base.explanation == explanation);
  CHECK_FALSE(base.implied);
}

}  // namespace

TEST_CASE("without CI and without a ref the base is HEAD, and said to be implied") {
  const History history;
  const BaseCommit base = history.find({});
  CHECK(base.commit == history.head);
  CHECK(base.compare == history.head);
  CHECK(base.ref == "HEAD");
  CHECK(base.implied);
  CHECK(base.explanation == "no CI and no --policy-ref: HEAD, " + brief(history.head));
}

TEST_CASE("a ref given by --policy-ref is the base anywhere, also in CI") {
  const History history;
  BaseRequest request = github("pull_request", pull_request(kAbsent));
  request.policy_ref = "origin/topic";
  check(history.find(request), history.topic, "origin/topic", history.topic,
        "--policy-ref origin/topic: " + brief(history.topic));
  request.policy_ref = "nothing";
  CHECK(history.error(request) ==
        "usage: --policy-ref nothing: names no commit of this clone; fetch it first, or name a branch, a tag or a "
        "commit that is here");
}

TEST_CASE("a ref given by --baseline changes the version to compare with, never the policy") {
  const History history;
  BaseRequest request;
  request.baseline = history.first;
  const BaseCommit base = history.find(request);
  CHECK(base.commit == history.head);
  CHECK(base.compare == history.first);
  CHECK(base.explanation == "no CI and no --policy-ref: HEAD, " + brief(history.head) + "; compared with --baseline " +
                                history.first + ", " + brief(history.first));
  request.baseline = "v9";
  CHECK(history.error(request) ==
        "usage: --baseline v9: names no commit of this clone; fetch it first, or name a branch, a tag or a commit that "
        "is here");
  BaseRequest untrusted;
  untrusted.baseline = "main";
  untrusted.variables = {{"CI", "true"}};
  CHECK(history.error(untrusted).rfind("untrusted: base commit: ", 0) == 0);
}

TEST_CASE("a GitHub pull request is measured against where its change begins, by the target branch's policy") {
  const History history;
  SECTION("the head itself is checked out: the merge base") {
    history.checkout(history.topic);
    check(history.find(github("pull_request", pull_request(history.head))), history.head, "origin/main", history.fork,
          "pull request 12: policy of origin/main, " + brief(history.head) + "; compared with the merge base " +
              brief(history.fork));
  }
  SECTION("GitHub's merge is checked out: what others merged before is in it, and not judged") {
    history.checkout(history.head);
    history.fixture.git("clone", {"merge", "-q", "--no-ff", "-m", "merge", history.topic});
    check(history.find(github("pull_request", pull_request(history.head))), history.head, "origin/main", history.head,
          "pull request 12: base " + brief(history.head));
  }
  SECTION("history is too short for a merge base: the base itself") {
    history.fixture.git("", {"clone", "-q", "--depth", "1", "--no-single-branch",
                             "file://" + history.fixture.path("origin"), "shallow"});
    history.fixture.git("shallow", {"checkout", "-q", "--detach", "origin/topic"});
    const KnownLeaks leaks;
    const BaseCommit base = kgate::trust::find_base(github("pull_request", pull_request(history.head)),
                                                    Repository::open(history.fixture.path("shallow")));
    check(base, history.head, "origin/main", history.head,
          "pull request 12: base " + brief(history.head) + " (this clone's history is too short for the merge base)");
  }
}

TEST_CASE("a commit that a shallow clone lacks is untrusted, with the setting that brings it") {
  const History history;
  history.fixture.git("", {"clone", "-q", "--depth", "1", "file://" + history.fixture.path("origin"), "shallow"});
  const std::string& fork = history.fork;
  CHECK(history.error(github("pull_request", pull_request(fork)), "shallow") ==
        "untrusted: base commit: the pull request's base, " + fork +
            ", is not in this clone, which is shallow; set fetch-depth: 0 in the actions/checkout step");
  CHECK(history.error(github("push", push(fork), "refs/heads/main"), "shallow") ==
        "untrusted: base commit: the commit before the push, " + fork +
            ", is not in this clone, which is shallow; set fetch-depth: 0 in the actions/checkout step");
  CHECK(history.error(github("schedule", "", "refs/heads/main"), "shallow") ==
        "untrusted: base commit: the parent of " + history.head +
            " is not in this clone, which is shallow; set fetch-depth: 0 in the actions/checkout step");
  CHECK(history.error(gitlab({{"CI_MERGE_REQUEST_IID", "7"}, {"CI_MERGE_REQUEST_DIFF_BASE_SHA", fork}}), "shallow") ==
        "untrusted: base commit: the merge request's base, " + fork +
            ", is not in this clone, which is shallow; set GIT_DEPTH: 0 in the job's variables");
}

TEST_CASE("a branch that bears the digits of a missing commit as its name does not stand in for it") {
  const History history;
  history.fixture.git("clone", {"update-ref", "refs/heads/" + kAbsent, history.topic});
  CHECK(history.error(github("pull_request", pull_request(kAbsent))) ==
        "untrusted: base commit: the pull request's base, " + kAbsent +
            ", is not in this clone; fetch it: git fetch origin " + kAbsent);
}

TEST_CASE("a GitHub merge group names its base") {
  const History history;
  check(history.find(github("merge_group", R"({"merge_group": {"base_sha": ")" + history.before + R"("}})")),
        history.before, "merge_group", history.before, "merge group: base " + brief(history.before));
}

TEST_CASE("a push to the default branch is judged by its own policy, and compared with the commit before") {
  const History history;
  const std::string where = "push on main: " + brief(history.head) + " compared with ";
  SECTION("the event names the commit before") {
    check(history.find(github("push", push(history.fork), "refs/heads/main", history.head)), history.head, "main",
          history.fork, where + "the commit before the push, " + brief(history.fork));
  }
  SECTION("a new branch: the parent") {
    check(history.find(github("push", push(kZeros), "refs/heads/main", history.head)), history.head, "main",
          history.before, where + "its parent, " + brief(history.before));
  }
  SECTION("a forced push: the parent, and it is said") {
    check(history.find(github("push", push(kAbsent), "refs/heads/main")), history.head, "main", history.before,
          where + "its parent (the commit before a forced push is gone), " + brief(history.before));
  }
  SECTION("the first commit of all") {
    check(history.find(github("push", push(kZeros), "refs/heads/main", history.first)), history.first, "main",
          history.first, "push on main: " + brief(history.first) + " is the first commit: compared with itself");
  }
  SECTION("GitLab says the same in variables") {
    check(history.find(gitlab({{"CI_PIPELINE_SOURCE", "push"},
                               {"CI_COMMIT_SHA", history.head},
                               {"CI_COMMIT_BEFORE_SHA", history.before},
                               {"CI_COMMIT_BRANCH", "main"},
                               {"CI_DEFAULT_BRANCH", "main"}})),
          history.head, "main", history.before, where + "the commit before the push, " + brief(history.before));
  }
}

TEST_CASE("a scheduled or manual run on the default branch is compared with its parent") {
  const History history;
  check(history.find(github("schedule", "", "refs/heads/main")), history.head, "main", history.before,
        "schedule on main: " + brief(history.head) + " compared with its parent, " + brief(history.before));
  check(history.find(github("workflow_dispatch", push(""), "refs/heads/main", history.head)), history.head, "main",
        history.before,
        "workflow_dispatch on main: " + brief(history.head) + " compared with its parent, " + brief(history.before));
  check(history.find(gitlab({{"CI_PIPELINE_SOURCE", "schedule"},
                             {"CI_COMMIT_BEFORE_SHA", kZeros},
                             {"CI_COMMIT_BRANCH", "main"},
                             {"CI_DEFAULT_BRANCH", "main"}})),
        history.head, "main", history.before,
        "schedule on main: " + brief(history.head) + " compared with its parent, " + brief(history.before));
}

TEST_CASE("a push to another branch is judged by the default branch's policy") {
  const History history;
  history.checkout(history.topic);
  const std::string explanation =
      "policy of origin/main, " + brief(history.head) + "; compared with the merge base " + brief(history.fork);
  check(history.find(github("push", push(kZeros), "refs/heads/topic", history.topic)), history.head, "origin/main",
        history.fork, "push on topic: " + explanation);
  check(history.find(github("push", push(kZeros), "refs/tags/v1", history.topic)), history.head, "origin/main",
        history.fork, "push of a tag: " + explanation);
  check(history.find(
            gitlab({{"CI_COMMIT_BRANCH", "topic"}, {"CI_DEFAULT_BRANCH", "main"}, {"CI_COMMIT_SHA", history.topic}})),
        history.head, "origin/main", history.fork, "push on topic: " + explanation);
}

TEST_CASE("a push to another branch is untrusted where the default branch is not in the clone") {
  const History history;
  history.fixture.git("clone", {"update-ref", "-d", "refs/remotes/origin/main"});
  CHECK(history.error(github("push", push(kZeros), "refs/heads/topic", history.topic)) ==
        "untrusted: base commit: the branch main is not in this clone; set fetch-depth: 0 in the actions/checkout "
        "step, or fetch it: "
        "git fetch origin main:refs/remotes/origin/main");
  CHECK(history.error(gitlab({{"CI_COMMIT_BRANCH", "topic"}, {"CI_DEFAULT_BRANCH", "main"}})) ==
        "untrusted: base commit: the branch main is not in this clone; set GIT_DEPTH: 0 in the job's variables, or "
        "fetch it: git "
        "fetch origin main:refs/remotes/origin/main");
}

TEST_CASE("a GitLab merge request is measured against where its change begins, by the target branch's policy") {
  const History history;
  history.checkout(history.topic);
  const std::map<std::string, std::string> request{{"CI_MERGE_REQUEST_IID", "7"},
                                                   {"CI_MERGE_REQUEST_DIFF_BASE_SHA", history.fork},
                                                   {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"}};
  const std::string told = "merge request 7: policy of origin/main, " + brief(history.head) +
                           "; compared with the merge base " + brief(history.fork);
  check(history.find(gitlab(request)), history.head, "origin/main", history.fork, told);
  SECTION("the target's commit is named where results are merged") {
    auto named = request;
    named["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = history.head;
    check(history.find(gitlab(named)), history.head, "origin/main", history.fork, told);
  }
  SECTION("without the fork point it is found") {
    auto bare = request;
    bare.erase("CI_MERGE_REQUEST_DIFF_BASE_SHA");
    check(history.find(gitlab(bare)), history.head, "origin/main", history.fork, told);
  }
  SECTION("without the target branch the fork point's policy holds, and that is said") {
    history.fixture.git("clone", {"update-ref", "-d", "refs/remotes/origin/main"});
    check(history.find(gitlab(request)), history.fork, "origin/main", history.fork,
          "merge request 7: base " + brief(history.fork) +
              " (origin/main is not in this clone: an older policy may hold than the target branch's)");
  }
  CHECK(history.error(gitlab({{"CI_PIPELINE_SOURCE", "merge_request_event"}})) ==
        "untrusted: base commit: the merge request names neither base nor target branch; name the protected branch: "
        "--policy-ref "
        "origin/main");
}

TEST_CASE("a job that knows an old target branch is judged by the newest commit that anything names") {
  const History history;
  const auto stale = [&](const std::string& known) {
    history.fixture.git("clone", {"update-ref", "refs/remotes/origin/main", known});
  };
  const auto commit = [&](const BaseRequest& request) { return history.find(request).commit; };
  const auto merge_request = [&](const std::string& fork) {
    return gitlab({{"CI_MERGE_REQUEST_IID", "7"},
                   {"CI_MERGE_REQUEST_DIFF_BASE_SHA", fork},
                   {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"}});
  };
  history.checkout(history.topic);
  SECTION("the event is older than the clone") {
    CHECK(commit(github("pull_request", pull_request(history.first))) == history.head);
  }
  SECTION("the clone is older than the event") {
    stale(history.first);
    CHECK(commit(github("pull_request", pull_request(history.before))) == history.before);
    CHECK(commit(merge_request(history.fork)) == history.fork);
    CHECK(commit(github("merge_group", R"({"merge_group": {"base_ref": "refs/heads/main", "base_sha": ")" +
                                           history.before + R"("}})")) == history.before);
  }
  SECTION("both are old, and GitHub has merged the change into a newer one") {
    stale(history.first);
    history.checkout(history.before);
    history.fixture.git("clone", {"merge", "-q", "--no-ff", "-m", "merge", history.topic});
    const std::string merge = history.fixture.git("clone", {"rev-parse", "HEAD"});
    const std::string event = pull_request(history.first);
    CHECK(commit(github("pull_request", event, "refs/pull/12/merge", merge)) == history.before);
    // A merge of the author's own may have any first parent.
    CHECK(commit(github("pull_request", event, "refs/pull/12/head", merge)) == history.first);
    CHECK(commit(github("pull_request", event, "refs/pull/12/merge", history.topic)) == history.first);
    CHECK(commit(github("pull_request_target", event, "refs/pull/12/merge", merge)) == history.first);
  }
  SECTION("all are old, and the branch is fetched") {
    stale(history.first);
    const auto fetching = [](BaseRequest request) {
      request.fetch = kgate::trust::fetch_from_origin({{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}}, nullptr);
      return request;
    };
    const auto newest = [&](const BaseRequest& request) {
      stale(history.first);
      const BaseCommit base = history.find(fetching(request));
      CHECK(base.warning.empty());
      return base.commit;
    };
    CHECK(newest(github("pull_request", pull_request(history.first))) == history.head);
    CHECK(newest(merge_request(history.first)) == history.head);
    CHECK(newest(github("push", push(kZeros), "refs/heads/topic", history.topic)) == history.head);
    CHECK(newest(github("merge_group", R"({"merge_group": {"base_ref": "refs/heads/main", "base_sha": ")" +
                                           history.first + R"("}})")) == history.head);
  }
  SECTION("the branch was rewritten: what is there now counts") {
    history.fixture.git("origin", {"checkout", "-q", "-B", "main", history.fork});
    const std::string anew = history.fixture.commit("origin", "anew.txt", "a");
    BaseRequest request = github("pull_request", pull_request(history.head));
    request.fetch = kgate::trust::fetch_from_origin({{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}}, nullptr);
    CHECK(commit(request) == anew);
    request = github("pull_request", pull_request(kAbsent));
    request.fetch = kgate::trust::fetch_from_origin({{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}}, nullptr);
    CHECK(commit(request) == anew);
  }
  CHECK(history.find(github("pull_request", pull_request(history.head)))
            .warning.find("--no-fetch: policy and keys are those of origin/main as this job knows it, ") == 0);
}

TEST_CASE("CI without a base commit is untrusted, and never HEAD") {
  const History history;
  const std::string remedy = "; name the protected branch: --policy-ref origin/main";
  for (const char* system : {"CI", "JENKINS_URL", "TF_BUILD", "TEAMCITY_VERSION"}) {
    BaseRequest request;
    request.variables = {{system, "true"}};
    CHECK(history.error(request) == std::string("untrusted: base commit: this is a CI job (") + system +
                                        " is set), but not one that tells where the change starts" + remedy);
  }
  CHECK(history.error(github("pull_request", "")) ==
        "untrusted: base commit: the file that GITHUB_EVENT_PATH names is missing, empty or cannot be read" + remedy);
  CHECK(history.error(github("pull_request", "{}")) ==
        "untrusted: GITHUB_EVENT_PATH: the event has no pull_request.base.sha" + remedy);
  CHECK(history.error(github("pull_request", R"({"pull_request": 3})")) ==
        "untrusted: GITHUB_EVENT_PATH: the event has no pull_request.base.sha" + remedy);
  CHECK(history.error(github("merge_group", "{}")) ==
        "untrusted: GITHUB_EVENT_PATH: the event has no merge_group.base_sha" + remedy);
  CHECK(history.error(github("pull_request", "[")) ==
        "untrusted: GITHUB_EVENT_PATH: is not valid JSON at byte 1 (line 1, column 2): the text ends too early" +
            remedy);
  CHECK(history.error(github("issue_comment", "{}")) ==
        "untrusted: base commit: the event issue_comment names none" + remedy);
  CHECK(history.error(github("", "{}")) ==
        "untrusted: base commit: the event of GITHUB_EVENT_NAME names none" + remedy);
  CHECK(history.error(github("push", R"({"before": "x"})", "refs/heads/main")) ==
        "untrusted: base commit: the push event does not name the default branch" + remedy);
  CHECK(history.error(gitlab({{"CI_COMMIT_BRANCH", "main"}})) ==
        "untrusted: base commit: the push event does not name the default branch" + remedy);
}

TEST_CASE("variables that say no are not CI") {
  const History history;
  BaseRequest request;
  request.variables = {{"CI", "false"}, {"GITHUB_ACTIONS", ""}, {"GITLAB_CI", "0"}};
  CHECK(history.find(request).implied);
}

TEST_CASE("a repository without a commit says so, in CI and without") {
  const GitFixture fixture;
  fixture.git("", {"init", "-q", "-b", "main", "empty"});
  const Repository repository = Repository::open(fixture.path("empty"));
  CHECK(error_of([&] { kgate::trust::find_base({}, repository); }) ==
        "usage: " + fixture.path("empty") + ": has no commit yet; commit the policy and the kernels, then change them");
  CHECK(
      error_of([&] { kgate::trust::find_base(github("schedule", "", "refs/heads/main"), repository); }) ==
      "untrusted: base commit: this clone has no commit checked out; set fetch-depth: 0 in the actions/checkout step");
}

TEST_CASE("the variables that decide are listed for whoever reads the environment") {
  const std::vector<std::string>& names = kgate::trust::base_variables();
  for (const char* name : {"GITHUB_EVENT_NAME", "CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI", "JENKINS_URL"}) {
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}
