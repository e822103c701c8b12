// What the command line may allow beside the policy.
#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

const char* const kBounds =
    "iterations = 4\nseconds = 300\ngpu_seconds = 200\ntokens = 10\ncost_usd = 1\npatience = 2\n";

Json bounds_of(const SearchFixture& cli) {
  const auto lines = cli.journal();
  return lines.front()["bounds"];
}

}  // namespace

TEST_CASE("in a CI job the command line narrows what the policy allows, at a desk it says what holds") {
  SearchFixture cli;
  cli.allow(kBounds);
  std::vector<std::string> arguments{"--policy-ref",  "main", "--iterations", "9",  "--seconds",  "0.001",
                                     "--gpu-seconds", "900",  "--tokens",     "99", "--cost-usd", "9",
                                     "--patience",    "0"};
  const auto desk = cli.search(arguments);
  INFO(desk.output);
  CHECK(desk.code == 0);
  Json bounds = bounds_of(cli);
  CHECK(bounds["iterations"] == 9);
  CHECK(bounds["seconds"] == 0.001);
  CHECK(bounds["gpu_seconds"] == 900);
  CHECK(bounds["tokens"] == 99);
  CHECK(bounds["cost_usd"] == 9);
  CHECK(bounds["patience"] == 0);

  std::filesystem::remove_all(cli.out());
  cli.environment["CI"] = "true";
  const auto ci = cli.search(arguments);
  INFO(ci.output);
  CHECK(ci.code == 0);
  bounds = bounds_of(cli);
  CHECK(bounds["iterations"] == 4);
  CHECK(bounds["seconds"] == 0.001);
  CHECK(bounds["gpu_seconds"] == 200);
  CHECK(bounds["tokens"] == 10);
  CHECK(bounds["cost_usd"] == 1);
  CHECK(bounds["patience"] == 2);
  CHECK(cli.summary()["search"]["bounds"] == bounds);
}

TEST_CASE("where nothing is allowed it says what has to be, before a device is asked for") {
  SearchFixture cli;
  std::string allowed = "-";
  const auto refused = [&](const std::string& search, std::vector<std::string> arguments) {
    if (search != allowed) cli.allow(search);
    allowed = search;
    arguments.insert(arguments.end(), {"--policy-ref", "main", "--backend", "cuda"});
    const auto answer = cli.search(arguments);
    CHECK(answer.code == 64);
    CHECK_FALSE(cli.has("journal.jsonl"));
    return answer.output;
  };
  const std::string type = "; write it into the policy, or type --iterations 60 (and --seconds, --gpu-seconds)\n";
  const std::string model = "; write tokens and cost_usd into the policy, or type --tokens 500000 --cost-usd 2\n";
  CHECK(refused("", {}) == "kgate search: [search] iterations is 0: no search is allowed" + type);
  CHECK(refused("iterations = 3\n", {}) == "kgate search: [search] seconds is 0: no search is allowed" + type);
  CHECK(refused("iterations = 3\nseconds = 9\n", {}) ==
        "kgate search: [search] gpu_seconds is 0: no search is allowed" + type);
  CHECK(refused(kBounds, {"--iterations", "0"}) ==
        "kgate search: [search] iterations is 0: no search is allowed" + type);
  const std::string server =
      "url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\niterations = 1\nseconds = 9\ngpu_seconds = 9\n";
  CHECK(refused(server, {"--proposer", "http"}) == "kgate search: [search] tokens is 0: no model may be asked" + model);
  CHECK(refused(server + "tokens = 9\n", {"--proposer", "http"}) ==
        "kgate search: [search] cost_usd is 0: no model may be asked" + model);

  CHECK(refused(kBounds, {"--proposer", "http"}) ==
        "kgate: [search]: says no url and model for the proposer \"http\"; add both to .kgate/policy.toml\n");
  CHECK(refused(kBounds, {"--proposer", "command"}) ==
        "kgate: [search]: says no command for the proposer \"command\"; add it to .kgate/policy.toml\n");
  CHECK(refused(kBounds, {"--proposer", "cat"}) ==
        "kgate search: --proposer: cat not in {tuner,http,command}; see kgate search --help\n");

  cli.environment["CI"] = "true";
  CHECK(refused("", {"--iterations", "7", "--seconds", "1800", "--gpu-seconds", "600"}) ==
        "kgate search: [search] iterations is 0: no search is allowed; the policy's [search] has to allow it\n");
}
