#include "gate/scaffold/ci_files.h"

namespace kgate::scaffold {
namespace {

constexpr const char* kGitHub =
    R"(# The gate, for every pull request. This job runs the change's own code: no secrets, a read-only token, and a runner that
# holds none. Make the check "gate" required in the branch's protection. docs/ci-github.md has the action, the comment under
# a pull request, the nightly and the release job.
name: kgate
on:
  pull_request:
  merge_group:
permissions:
  contents: read
concurrency:
  group: kgate-${{ github.event.pull_request.number || github.ref }}
  cancel-in-progress: true
jobs:
  gate:
    runs-on: [self-hosted, linux, gpu]
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          fetch-depth: 0 # policy and base version are read from the base commit
      - run: kgate run --format github # kgate is installed on the runner
      - if: ${{ !cancelled() }}
        run: cat kgate-out/summary.md >> "$GITHUB_STEP_SUMMARY"
      - if: ${{ !cancelled() }}
        uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        with:
          name: kgate-report
          path: kgate-out
      - if: ${{ !cancelled() }} # for kgate-comment.yml, which reads this one file
        uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        with:
          name: kgate-result
          path: kgate-out/result.json
)";

constexpr const char* kGitLab =
    R"(# The gate, for every merge request. This job runs the change's own code: it needs no protected variable, and gets none.
# docs/ci-gitlab.md has the component, the nightly and the release job.
kgate:
  stage: test
  tags: [gpu]
  variables:
    GIT_DEPTH: 0            # policy and base version are read from the base commit
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  resource_group: kgate-gpu
  script:
    - kgate run --format gitlab
  artifacts:
    when: always
    paths: [kgate-out]
    reports:
      junit: kgate-out/junit.xml
      codequality: kgate-out/codequality.json
      metrics: kgate-out/metrics.prom
)";

}  // namespace

std::optional<CiHost> ci_host_of(const std::string& url) {
  // "https://user@host/path", "ssh://host:22/path", "user@host:path"
  std::string host = url;
  if (const auto scheme = host.find("://"); scheme != std::string::npos) {
    host = host.substr(scheme + 3);
    host = host.substr(0, host.find('/'));
  } else {
    const auto colon = host.find(':');
    if (colon == std::string::npos || host.find('/') < colon) return std::nullopt;  // a path of this machine
    host = host.substr(0, colon);
  }
  if (const auto user = host.rfind('@'); user != std::string::npos) host = host.substr(user + 1);
  if (host.find("github") != std::string::npos) return CiHost::github;
  if (host.find("gitlab") != std::string::npos) return CiHost::gitlab;
  return std::nullopt;
}

NewFile ci_file(CiHost host) {
  if (host == CiHost::github) return {".github/workflows/kgate.yml", kGitHub, "the gate for pull requests"};
  return {".gitlab-ci.yml", kGitLab, "the gate for merge requests"};
}

}  // namespace kgate::scaffold
