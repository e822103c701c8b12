// A child pipeline of GitLab. What belongs to the user's runners (tags, image) is not kgate's to know: the trigger
// includes a second file, whose keys of .kgate-shard and .kgate-merge replace those here. No `needs`: GitLab allows 50
// of them, and a later stage takes the artifacts of all earlier jobs anyway. Shards may fail: the merge job alone is
// the gate, and a shard without a result is `missing` there.
#include <fmt/format.h>

#include "gate/report/plan/plan.h"

namespace kgate::report {
namespace {

// A JSON string is a YAML one.
std::string yaml(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

constexpr const char* kHead = R"(# Written by kgate plan: {0} of {1}.
# A child pipeline. The job that triggers it includes this file as an artifact and, where your runners need other tags or an image, a second file
# that gives .kgate-shard and .kgate-merge those keys; see docs/scale.md.
stages: [kgate-shards, kgate-merge]

.kgate-shard:
  stage: kgate-shards
  tags: [gpu]
  interruptible: true
  allow_failure: true # the job kgate is the gate: a shard without a result is missing there
  variables:
    GIT_DEPTH: "0" # kgate reads policy and base version from the base commit
  script:
    - |
      unset KGATE_KEY KGATE_KEY_FILE
      {2}
  artifacts:
    when: always
    expire_in: 1 week
    paths: [kgate-shards/]

.kgate-merge:
  stage: kgate-merge
  tags: [gpu]
  interruptible: true
  when: always
  allow_failure:
    exit_codes: [3] # inconclusive, where the profile blocks on it: a warning
  script:
    - kgate report --merge --format=gitlab --out=kgate-out kgate-shards/*/result.json
  artifacts:
    when: always
    expire_in: 30 days
    paths: [kgate-out/]
    reports:
      junit: kgate-out/junit.xml
      codequality: kgate-out/codequality.json
      metrics: kgate-out/metrics.prom

)";

}  // namespace

std::string write_plan_gitlab(const RunPlan& plan) {
  // One line of a literal block: what word() quotes has no line break. As a block because gitlab-ci-local runs the
  // backticks of a lone line when it shows it.
  const std::string command = shard_command(plan, "\"$KGATE_SHARD\"", "\"kgate-shards/$KGATE_SHARD_INDEX\"");
  const auto names = kernels_by_shard(plan.suite);
  std::string text = fmt::format(
      fmt::runtime(kHead), names.size() == 1 ? "1 shard" : fmt::format("{} shards", names.size()),
      plan.suite.kernels.size() == 1 ? "1 kernel" : fmt::format("{} kernels", plan.suite.kernels.size()), command);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format(
        "{}:\n  extends: .kgate-shard\n  variables:\n    KGATE_SHARD: \"{}/{}\"\n    KGATE_SHARD_INDEX: \"{}\"\n",
        yaml(fmt::format("kgate {}/{}: {}", i + 1, names.size(), short_list(names[i]))), i + 1, names.size(), i + 1);
  }
  return text + "kgate:\n  extends: .kgate-merge\n";
}

}  // namespace kgate::report
