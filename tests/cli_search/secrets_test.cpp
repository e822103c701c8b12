// The key of the model's server goes into one header of its requests, and nowhere else.
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/cli_search/processes.h"
#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::test;

namespace {

const std::string kKey = "sk-test-0123456789abcdefSECRET";

}  // namespace

TEST_CASE("the key is in no file, no output and no child's environment, though the server echoes it") {
  SearchFixture cli;
  cli.environment["KGATE_SEARCH_KEY"] = kKey;
  cli.environment["OTHER_TOKEN"] = "for-the-agent";
  const std::string hypothesis = Json{{"direction", kKey},
                                      {"parts",
                                       {{{"name", kKey},
                                         {"hypothesis", "with " + kKey},
                                         {"files", {{SearchFixture::kSource, counting_to("100") + "// " + kKey}}}}}}}
                                     .dump();
  ModelWords words;
  words.model = kKey;
  const ScriptedModel model({says(hypothesis, words), says(proposes("counting", counting_to("x" + kKey.substr(3, 4)))),
                             says(R"({"exhausted": "no repair"})"), fails(401, "Incorrect API key: " + kKey)});
  cli.allow(
      "iterations = 5\nseconds = 300\ngpu_seconds = 200\npatience = 1000\nproposer = [\"http\", \"command\"]\n" +
      model_lines(model).substr(std::string("proposer = \"http\"\n").size()) +
      "pass_environment = [\"OTHER_TOKEN\", \"KGATE_SEARCH_KEY\"]\ncommand = [\"/bin/sh\", \"-c\", \"cat > "
      "$HOME/asked; env > $HOME/variables; sleep 0.3; echo '{\\\"schema\\\": \\\"kgate.agent/1\\\", \\\"exhausted\\\": "
      "\\\"no\\\"}'\"]\n");
  const auto options = cli.search_command();
  std::map<std::string, bool> seen;
  std::atomic<bool> over{false};
  // run_command() gives no id: it is the one child of this process.
  std::thread watcher([&] {
    while (!over) {
      for (const auto& [id, name] : descendants_of(::getpid())) {
        const bool told = content_of(fmt::format("/proc/{}/environ", id)).find(kKey) != std::string::npos;
        seen[name] = seen[name] || told;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  const auto result = run_command(options, {});
  over = true;
  watcher.join();
  INFO(result.output);
  CHECK(result.status.code == 0);
  CHECK(result.output.find(kKey) == std::string::npos);
  for (const auto& request : model.requests()) CHECK(request.headers.at("authorization") == "Bearer " + kKey);
  CHECK(model.requests().size() == 4);

  int files = 0;
  for (const auto& place : {cli.out(), cli.root(), cli.root().parent_path()}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
      if (!entry.is_regular_file()) continue;
      ++files;
      INFO(entry.path().string());
      CHECK(content_of(entry.path()).find(kKey) == std::string::npos);
    }
  }
  CHECK(files > 10);
  CHECK(cli.file("journal.jsonl").find("[key]") != std::string::npos);
  const std::string variables = content_of(cli.root().parent_path() / "variables");
  CHECK(variables.find("OTHER_TOKEN=for-the-agent\n") != std::string::npos);
  CHECK(variables.find("KGATE") == std::string::npos);

  // "kgate" itself had it until it had read it.
  CHECK(seen.count("kgate-runner") == 1);
  for (const auto& [name, told] : seen) {
    INFO(name);
    CHECK((!told || name == "kgate"));
  }
}
