#include "gate/report/plan/plan.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "tests/report/plan_samples.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

std::string read_text(const std::filesystem::path& path) {
  return std::string(text_of(read_file(path, 1 << 20)));
}

const report::RunPlan& sample(const std::string& name) {
  static const auto all = plan_samples();
  return std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; })->plan;
}

// The script in a folder of its own with pretended sbatch, srun and kgate, which write their words to a file, each in a
// line of its own.
class Shell {
 public:
  Shell() {
    write_file_atomic(folder_.path() / "plan.sh", std::string_view(report::write_plan_slurm(sample("hostile"))));
    for (const char* program : {"sbatch", "srun", "kgate"}) {
      const auto path = folder_.path() / "bin" / program;
      write_file_atomic(path,
                        std::string_view("#!/bin/bash\nprintf '%s\\n' \"${0##*/}\" \"$@\" >> \"$WORDS\"\necho 71\n"));
      std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
  }

  // The words of all programs that it called.
  std::vector<std::string> words(std::vector<std::string> arguments) const {
    ProcessOptions options;
    options.command = {"/bin/bash", (folder_.path() / "plan.sh").string()};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.folder = folder_.path();
    const auto told = folder_.path() / "words";
    std::filesystem::remove(told);
    options.environment = {{"PATH", (folder_.path() / "bin").string() + ":/usr/bin:/bin"},
                           {"WORDS", told.string()},
                           {"SLURM_ARRAY_TASK_ID", "3"}};
    const auto answer = run_command(options, {});
    INFO(answer.output);
    CHECK(answer.status.ok());
    CHECK_FALSE(std::filesystem::exists(folder_.path() / "planted"));
    std::vector<std::string> found;
    std::istringstream lines(read_text(told));
    for (std::string line; std::getline(lines, line);) found.push_back(line);
    return found;
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryFolder folder_{"kgate-plan"};
};

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("a plan's texts are the golden ones") {
  for (const auto& one : plan_samples()) {
    for (const auto& format : plan_formats()) {
      INFO(one.name << "." << format.name);
      CHECK(format.write(one.plan) ==
            read_text(std::filesystem::path(KGATE_TEST_DATA) / "report/golden-plans" / (one.name + "." + format.name)));
    }
  }
}

TEST_CASE("a plan for GitHub is one line, whatever the names hold, and a matrix of every shard") {
  for (const auto& one : plan_samples()) {
    report::RunPlan plan = one.plan;
    plan.suite.kernels.front().name = "a\nmatrix={}\r\nb<<EOF";
    const std::string text = report::write_plan_github(plan);
    CHECK(std::count(text.begin(), text.end(), '\n') == 1);
    REQUIRE(text.starts_with("matrix={"));
    const Json matrix = parse_json(text.substr(7), "matrix");
    CHECK(std::ssize(matrix["include"]) == plan.suite.shards);
    CHECK(matrix["include"][1]["shard"] == "2/" + std::to_string(plan.suite.shards));
  }
}

TEST_CASE("more shards than a matrix of GitHub may have are refused") {
  report::RunPlan plan = sample("plain");
  plan.suite.split_into(257);
  CHECK(error_of([&] { report::write_plan_github(plan); }) ==
        "usage: --shards 257: a matrix of GitHub Actions has at most 256 jobs; use fewer shards");
}

TEST_CASE("in the JSON of a plan every kernel stands once, and the shards' times are those of their kernels") {
  const Json plan = parse_json(report::write_plan_json(sample("hostile")), "plan");
  CHECK(plan["schema"] == "kgate.plan/1");
  CHECK(plan["kernels"].size() == 17);
  double all = 0, in_shards = 0;
  std::size_t listed = 0;
  for (const auto& kernel : plan["kernels"]) all += kernel["expected_s"].get<double>();
  for (const auto& shard : plan["shards"]) {
    in_shards += shard["expected_s"].get<double>();
    listed += shard["kernels"].size();
  }
  CHECK(listed == 17);
  CHECK(in_shards == Approx(all));
}

TEST_CASE("words that were typed reach a shard of Slurm as they were typed, and nothing of them is run") {
  const Shell shell;
  const auto words = shell.words({"shard", shell.path("out")});
  std::vector<std::string> expected{"srun",
                                    "--ntasks=1",
                                    "kgate",
                                    "check",
                                    "--shard=3/4",
                                    "--out=" + shell.path("out/3"),
                                    "--profile=pr",
                                    "--policy-ref=" + hostile_words().front(),
                                    "--"};
  expected.insert(expected.end(), hostile_words().begin(), hostile_words().end());
  CHECK(words == expected);
}

TEST_CASE("a plan for Slurm submits its array, and a merge job that begins however the array has ended") {
  const Shell shell;
  const auto words = shell.words({});
  CHECK(std::count(words.begin(), words.end(), "sbatch") == 2);
  for (const char* word : {"--array=1-4", "--gres=gpu:1' $(touch planted)", "--constraint=a\"; touch planted #",
                           "--dependency=afterany:71", "--requeue", "shard", "merge"})
    CHECK(has(words, word));
  CHECK_FALSE(has(words, "--wait"));
  CHECK(has(shell.words({"--wait"}), "--wait"));
}

TEST_CASE("the merge job of a plan for Slurm takes what the shards have left") {
  const Shell shell;
  for (const char* shard : {"1", "4", "whole"})
    write_file_atomic(shell.path(std::string("out/") + shard + "/result.json"), std::string_view("{}"));
  CHECK(shell.words({"merge", shell.path("out")}) ==
        std::vector<std::string>{"kgate", "report", "--merge", "--out=" + shell.path("out/whole"), "--",
                                 shell.path("out/1/result.json"), shell.path("out/4/result.json")});
}
