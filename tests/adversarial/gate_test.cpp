#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/file.h"
#include "gate/report/report.h"
#include "tests/adversarial/outcome.h"
#include "tests/adversarial/setting.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace {

// All of these cheats as the kernels of one change, each with its verdict; the run's exit code is what follows.
void judge(Backend backend, Group group, const std::string& name) {
  auto cheats = cheats_for(backend, group);
  const auto& only = setting().only;
  if (!only.empty())
    cheats.erase(std::remove_if(cheats.begin(), cheats.end(), [&](const Cheat& one) { return !only.count(one.name); }),
                 cheats.end());
  if (cheats.empty()) KGATE_SKIP("none of them was chosen");
  std::optional<kgate::TemporaryFolder> temporary;
  std::filesystem::path work = setting().work;
  if (work.empty()) work = temporary.emplace("kgate-adversarial").path();
  work /= name;
  const GateRun run = run_gate(cheats, {setting().kgate, backend, work});
  std::vector<Outcome> outcomes;
  std::vector<kgate::verdict::Verdict> verdicts;
  for (const auto& cheat : cheats) {
    outcomes.push_back(outcome_of(cheat, run));
    verdicts.push_back(outcomes.back().verdict);
  }
  std::printf("%s: %zu kernels, exit code %d, %.0f s, sandbox %s\n%s\n", name.c_str(), cheats.size(), run.code,
              run.seconds, run.result.sandbox.c_str(), lines_of(outcomes).c_str());
  for (const auto& one : outcomes) {
    INFO(one.cheat->name << " is " << name_of(one.verdict));
    CHECK_FALSE(one.fails);
  }
  for (const auto& leak : leaks(run, work)) {
    INFO(kgate::report::neutral(leak));
    CHECK(false);
  }
  // Of what was found these block under the default profile.
  using kgate::verdict::Verdict;
  const auto worst = kgate::verdict::worst(verdicts);
  const bool blocks = worst == Verdict::wrong || worst == Verdict::suspect || worst == Verdict::regressed;
  CHECK(run.code == (blocks ? static_cast<int>(kgate::verdict::exit_code_of(worst)) : 0));
  CHECK(run.code == run.result.exit_code);
}

}  // namespace

TEST_CASE("each cheat that runs on the host gets its verdict", "[host]") {
  judge(Backend::host, Group::together, "host");
}

TEST_CASE("what does not end on the host gets its verdict", "[host]") {
  judge(Backend::host, Group::apart, "host-apart");
}

TEST_CASE("honest kernels with similar traits are not blocked on the host", "[host]") {
  judge(Backend::host, Group::honest, "host-honest");
}

TEST_CASE("each cheat that runs on a GPU gets its verdict", "[.][gpu]") {
  judge(Backend::cuda, Group::together, "gpu");
}

TEST_CASE("what does not end with a GPU gets its verdict", "[.][gpu]") {
  judge(Backend::cuda, Group::apart, "gpu-apart");
}

TEST_CASE("honest kernels with similar traits are not blocked on a GPU", "[.][gpu]") {
  judge(Backend::cuda, Group::honest, "gpu-honest");
}
