// A model's server in every mood: the search says what happened and the same command asks again.
#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::test;

TEST_CASE("a server that hangs, drops, limits, talks rubbish or sends megabytes is survived, and asked once more") {
  const SearchFixture cli;
  ModelStep hangs = says("{}"), drops = says(std::string(5000, 'x')), large = says(std::string(5 << 20, 'x'));
  hangs.hang_after = 0;
  drops.drop_after = 700;
  const ScriptedModel model({hangs, drops, fails(429, "slow down"), says("rubbish"), says("[]"), says("{]"), large,
                             says(proposes("counting", counting_to("100"))), says(R"({"exhausted": "that is all"})")});
  cli.allow("iterations = 5\nseconds = 300\ngpu_seconds = 200\ntimeout_s = 1\n" + model_lines(model));
  const std::string server = "http: " + model.host();
  // Beginning and end; the words between are the HTTP library's.
  const std::vector<std::pair<std::string, std::string>> reasons{
      {server + " did not answer in time: ", "; raise [search] timeout_s, or lower max_tokens"},
      {server + " broke off: ", ""},
      {server + " answered 429: slow down; ask less often, or raise the account's limits", ""},
      {"http: scripted gave no answer that can be used, after 2 corrections: the answer: is not valid JSON at ", ""},
      {server + " sent more than 4194304 bytes: no answer is that long", ""}};
  for (const auto& [beginning, end] : reasons) {
    const auto answer = cli.search();
    INFO(answer.output);
    CHECK(answer.code == 5);
    CHECK(cli.stopped() == "unanswered");
    CHECK(reads(cli.summary()["stopped"]["reason"], beginning, end));
    CHECK_FALSE(cli.has("best.cu"));
  }
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.stopped() == "proposers");
  CHECK(cli.tried() == std::vector<std::string>{"better", "better"});
  CHECK(cli.summary()["costs"]["proposers"]["http"]["unanswered"] == 6);
}
