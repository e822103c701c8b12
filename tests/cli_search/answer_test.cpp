// What a search hands out: the answer in three forms, the files, and nothing in the repository.
#include <fmt/format.h>

#include "tests/cli_search/processes.h"
#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::test;

namespace {

ProcessOptions without_stderr(ProcessOptions options) {
  std::string line;
  for (const auto& word : options.command) line += " '" + word + "'";
  options.command = {"/bin/sh", "-c", "exec" + line + " 2>/dev/null"};
  return options;
}

}  // namespace

TEST_CASE("the answer as text, JSON and one line; the winner as files and a patch; the repository as it was") {
  const SearchFixture cli;
  const std::string fast = counting_to("100");
  const ScriptedModel model({says(proposes("counting", fast)), says(R"({"exhausted": "that is all"})")});
  cli.allow("iterations = 5\nseconds = 300\ngpu_seconds = 200\n" + model_lines(model));
  cli.write(".gitignore", "");
  cli.commit("nothing ignored");

  const auto answer = cli.search({"--usd-per-gpu-hour", "3"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.git({"status", "--porcelain", "--ignored"}).output.empty());
  CHECK(std::filesystem::is_empty(cli.environment.at("TMPDIR")));
  for (const char* words : {"the baseline: timed\n", "proposal 1, http, \"counting\": better -", ", the best so far\n",
                            "http: exhausted: that is all\n", "it ended by proposers: http: that is all\n",
                            "launches in a month pay that back\n"})
    CHECK(answer.output.find(words) != std::string::npos);
  CHECK(answer.output.ends_with("report: " + (cli.folder() / "report.html").string() + "\n"));

  const Json summary = cli.summary();
  CHECK(summary["schema"] == "kgate.search-summary/1");
  CHECK(summary["search"]["kernel"] == "scale");
  CHECK(summary["best"] == 1);
  CHECK(summary["gain"] > 0.5);
  CHECK(summary["confirmation"]["verdict"].is_string());
  // A machine that is too busy to confirm it offers nothing.
  CHECK((answer.output.find("To take it: git apply " + (cli.folder() / "best.patch").string() + "\n") !=
         std::string::npos) == summary["confirmation"]["better"].get<bool>());
  CHECK(summary["pay_back"]["launches_a_month"] > 0);
  CHECK(cli.file("best.cu") == fast);
  CHECK(cli.file("best.kernel.toml") == content_of(cli.root() / SearchFixture::kKernel));
  CHECK(cli.file("report.html").starts_with("<!DOCTYPE html>"));
  CHECK(cli.journal().front()["kind"] == "header");
  CHECK(cli.journal().back()["kind"] == "stopped");

  // It has ended: the same command confirms the winner once more, asks nobody and writes no line.
  const auto requests = model.requests().size();
  const auto journal = cli.file("journal.jsonl");
  const auto json = run_command(without_stderr(cli.search_command({"--format", "json"})), {});
  CHECK(json.status.code == 0);
  CHECK(Json::parse(json.output) == cli.summary());
  const auto quiet = run_command(without_stderr(cli.search_command({"--quiet"})), {});
  CHECK(quiet.output.starts_with("scale: "));
  CHECK(quiet.output.find('\n') == quiet.output.size() - 1);
  CHECK(model.requests().size() == requests);
  CHECK(cli.file("journal.jsonl") == journal);

  cli.git({"apply", (cli.folder() / "best.patch").string()});
  CHECK(content_of(cli.root() / SearchFixture::kSource) == fast);
  CHECK(cli.git({"status", "--porcelain"}).output == " M kernels/scale/scale.cu\n");
}

TEST_CASE("within the repository the output folder alone is written") {
  const SearchFixture cli;
  cli.allow("iterations = 5\nseconds = 300\ngpu_seconds = 200\n");
  const auto answer = cli.search({"--seconds", "0.001", "--out", "results"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.git({"status", "--porcelain", "--untracked-files=all"}).output ==
        "?? results/search/journal.jsonl\n?? results/search/report.html\n?? results/search/summary.json\n");
}

TEST_CASE("the winner is confirmed on hold-out cases that no proposer was ever shown") {
  const SearchFixture cli;
  // Right for the sizes that are shown, and wrong for the one that is not.
  const std::string learnt = counting_to("10", "  if (n == 77) return;\n");
  const ScriptedModel model({says(proposes("learning", learnt)), says(R"({"exhausted": "that is all"})")});
  cli.allow("iterations = 5\nseconds = 300\ngpu_seconds = 200\nproposer = [\"http\", \"command\"]\n" +
            model_lines(model).substr(std::string("proposer = \"http\"\n").size()) +
            "command = [\"/bin/sh\", \"-c\", \"cat > $HOME/asked; echo "
            "'{\\\"schema\\\": \\\"kgate.agent/1\\\", \\\"exhausted\\\": \\\"no\\\"}'\"]\n");
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 0);
  const auto told = [&](const std::string& text) {
    CHECK(text.find("timed") != std::string::npos);
    CHECK(text.find("small") != std::string::npos);
    CHECK(text.find(SearchFixture::kHidden) == std::string::npos);
    CHECK(text.find("holdout") == std::string::npos);
  };
  for (const auto& request : model.requests()) told(request.body);
  told(content_of(cli.root().parent_path() / "asked"));
  const Json summary = cli.summary();
  CHECK(summary["best"] == 1);
  CHECK(summary["confirmation"]["better"] == false);
  CHECK(summary["confirmation"]["verdict"] == "wrong");
  CHECK(summary["confirmation"]["reason"].get<std::string>().starts_with(
      fmt::format("case \"{}\": \"y\": 77 of 77 elements differ, ", SearchFixture::kHidden)));
  CHECK(answer.output.find("and the gate does not confirm") != std::string::npos);
}
