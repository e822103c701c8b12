// Agents and prompts come from the policy's commit, whatever the change under test has made of them.
#include <fmt/format.h>

#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::test;

namespace {

std::string agent_that_says(const std::string& word) {
  return fmt::format("cat > \"$HOME/asked\"\ncat .kgate/words/{0}\nexit 0\n", word);
}

std::string exhausted(const std::string& reason) {
  return Json{{"schema", "kgate.agent/1"}, {"exhausted", reason}}.dump();
}

}  // namespace

TEST_CASE("a change that brings an agent of its own does not run it") {
  SearchFixture cli;
  cli.write({{".kgate/agent.sh", agent_that_says("base")},
             {".kgate/words/base", exhausted("the base's agent")},
             {".kgate/words/change", exhausted("the change's agent")}});
  cli.allow(
      "iterations = 2\nseconds = 300\ngpu_seconds = 200\nproposer = \"command\"\n"
      "command = [\"/bin/sh\", \".kgate/agent.sh\"]\n");
  cli.git({"checkout", "-q", "-b", "change"});
  cli.write({{".kgate/agent.sh", agent_that_says("change")}, {".kgate/words/base", exhausted("changed words")}});
  const std::string ends = "command: the base's agent";

  auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.summary()["stopped"] == Json{{"why", "proposers"}, {"reason", ends}});

  cli.commit("an agent of its own");
  std::filesystem::remove_all(cli.out());
  cli.environment["CI"] = "true";
  answer = cli.search({"--policy-ref", "main"});
  CHECK(answer.code == 0);
  CHECK(cli.summary()["stopped"]["reason"] == ends);
}

TEST_CASE("an agent that is named by a relative path is the policy's commit's, and works in a folder of its own") {
  SearchFixture cli;
  const std::string change = "#!/bin/sh\ntouch \"$HOME/ran\"\necho '" + exhausted("the change's agent") + "'\n";
  cli.write(".kgate/agent.sh", "#!/bin/sh\necho \"$(pwd)\" has $(ls -A) >&2\nexit 3\n");
  cli.allow(
      "iterations = 2\nseconds = 300\ngpu_seconds = 200\nproposer = \"command\"\ncommand = [\".kgate/agent.sh\"]\n");
  cli.write(".kgate/agent.sh", change);
  std::filesystem::permissions(cli.root() / ".kgate/agent.sh", std::filesystem::perms::owner_all);
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK_FALSE(std::filesystem::exists(cli.root().parent_path() / "ran"));
  CHECK(reads(
      cli.summary()["stopped"]["reason"],
      "command: .kgate/agent.sh ended with exit code 3; it said: " + cli.environment.at("TMPDIR") + "/kgate-agent",
      " has .kgate"));
}

TEST_CASE("a role's prompt is read from the policy's commit") {
  SearchFixture cli;
  const ScriptedModel model({says(R"({"exhausted": "that is all"})")});
  cli.write(".kgate/prompts/coder.md", "The team's own words.\n");
  const std::string search = "iterations = 2\nseconds = 300\ngpu_seconds = 200\n" + model_lines(model) +
                             "[search.roles]\ncoder = { prompt = \"prompts/coder.md\" }\n";
  cli.allow(search);
  cli.write(".kgate/prompts/coder.md", "The change's words.\n");
  CHECK(cli.search().code == 0);
  const auto requests = model.requests();
  REQUIRE(requests.size() == 1);
  const std::string system = Json::parse(requests[0].body)["messages"][0]["content"];
  CHECK(system.ends_with("The team's own words.\n"));
  CHECK(requests[0].body.find("The change's words") == std::string::npos);

  cli.git({"rm", "-q", "-f", ".kgate/prompts/coder.md"});
  cli.commit("no prompt");
  cli.write(".kgate/prompts/coder.md", "The change's words.\n");
  const auto answer = cli.search();
  CHECK(answer.code == 6);
  CHECK(
      answer.output.find("kgate: .kgate/prompts/coder.md: is not there; [search.roles] names it: add it in the commit "
                         "that the policy is read from\n") != std::string::npos);
}
