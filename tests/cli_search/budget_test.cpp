// Each kind of budget ends a search at once, and the summary says which it was. Proposals that are refused unseen cost
// nothing but their asking.
#include <fmt/format.h>

#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::test;

namespace {

ModelStep forbidden(const ModelRequest& request) {
  return says(proposes("outside", {{fmt::format("outside{}.cu", Asked(request).tried()), "int i;\n"}}));
}

}  // namespace

TEST_CASE("what is used up before anybody is asked: no model hears of the kernel") {
  const SearchFixture cli;
  const ScriptedModel model(forbidden);
  cli.allow("iterations = 5\nseconds = 300\ngpu_seconds = 200\n" + model_lines(model));
  for (const std::string budget : {"seconds", "gpu_seconds"}) {
    std::filesystem::remove_all(cli.out());
    std::string flag = "--" + budget;
    if (budget == "gpu_seconds") flag = "--gpu-seconds";
    const auto answer = cli.search({flag, "0.001"});
    INFO(answer.output);
    CHECK(answer.code == 0);
    CHECK(cli.stopped() == budget);
    CHECK(cli.tried() == std::vector<std::string>{"better"});
    CHECK(answer.output.find("it ended by " + budget + ": 0") != std::string::npos);
    CHECK(cli.journal().back()["why"] == budget);
  }
  CHECK(model.requests().empty());
}

TEST_CASE("iterations, patience, tokens and money end a search that gains nothing") {
  const SearchFixture cli;
  const ScriptedModel model(forbidden);
  const auto ended_by = [&](const std::string& lines) {
    std::filesystem::remove_all(cli.out());
    cli.allow("seconds = 300\ngpu_seconds = 200\nrepairs = 0\nmax_tokens = 500\n" + lines);
    const auto before = model.requests().size();
    const auto answer = cli.search();
    INFO(answer.output);
    CHECK(answer.code == 0);
    const Json summary = cli.summary();
    CHECK(summary["best"] == 0);
    CHECK(summary["tried"].size() == model.requests().size() - before + 1);
    CHECK(answer.output.find("scale: nothing better was found\n") != std::string::npos);
    return summary;
  };
  std::string server = model_lines(model);

  Json summary = ended_by("iterations = 3\npatience = 1000\n" + server);
  CHECK(summary["stopped"] == Json{{"why", "iterations"}, {"reason", "3 iterations were allowed, and all are done"}});
  CHECK(summary["tried"].size() == 4);

  summary = ended_by("iterations = 9\npatience = 2\n" + server);
  CHECK(summary["stopped"] ==
        Json{{"why", "patience"}, {"reason", "the last 2 rounds gained 0.00 %; to go on takes 2 %, or more patience"}});
  CHECK(summary["tried"].size() == 3);

  // A request has some 6000 tokens: the second or third one does not fit any more.
  server.replace(server.find("1000000"), 7, "15000");
  summary = ended_by("iterations = 9\npatience = 1000\n" + server);
  CHECK(summary["stopped"]["why"] == "tokens");
  CHECK(summary["costs"]["tokens"] > 0);
  CHECK(summary["costs"]["tokens"] <= 15000);
  CHECK(summary["tried"].size() >= 2);
  CHECK(summary["tried"].size() < 10);

  summary = ended_by("iterations = 9\npatience = 1000\nprice_in = 50\nprice_out = 50\n" + model_lines(model));
  CHECK(summary["stopped"]["why"] == "cost_usd");
  CHECK(summary["costs"]["cost_usd"] > 0);
  CHECK(summary["costs"]["cost_usd"] <= 1);
  CHECK(summary["tried"].size() >= 2);
  CHECK(summary["tried"].size() < 10);
}

TEST_CASE("a step has so many repairs and no more, and a direction in which nothing compiles is paused") {
  const SearchFixture cli;
  const ScriptedModel model([](const ModelRequest& request) {
    return says(proposes("tiling", counting_to(fmt::format("nothing_{}", Asked(request).tried()))));
  });
  cli.allow(
      "iterations = 3\nseconds = 300\ngpu_seconds = 200\npatience = 1000\nrepairs = 1\nfailures_in_a_direction = 2\n" +
      model_lines(model));
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 0);
  std::vector<std::pair<int, int>> places;
  const Json summary = cli.summary();
  for (const Json& row : summary["tried"]) places.emplace_back(row["iteration"], row["repair_of"]);
  CHECK(places == std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 3}, {3, 0}});
  for (std::size_t number = 1; number <= 4; ++number) CHECK(summary["tried"][number]["outcome"] == "does_not_compile");
  CHECK(cli.tried().back() ==
        "refused: the direction \"tiling\" is paused until there is a new best: its last 2 candidates did not compile");
  CHECK(cli.stopped() == "iterations");
  const auto requests = model.requests();
  REQUIRE(requests.size() == 5);
  CHECK(Asked(requests[1]).repairs());
  CHECK(Asked(requests[1]).whole["complaint"].get<std::string>().find("nothing_1") != std::string::npos);
  CHECK_FALSE(Asked(requests[2]).repairs());
}
