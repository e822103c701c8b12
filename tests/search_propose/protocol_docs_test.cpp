// docs/agent-protocol.md and examples/search/agent.py are what they say.
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "gate/search/propose/command_proposer.h"
#include "gate/search/propose/fit.h"
#include "gate/search/propose/reply.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

std::string page() {
  return std::string(text_of(read_file(std::string(KGATE_SOURCE_DIR) + "/docs/agent-protocol.md", 1 << 20)));
}

// The page's JSON blocks, in order.
std::vector<std::string> blocks() {
  const std::string text = page();
  std::vector<std::string> found;
  for (auto at = text.find("```json\n"); at != std::string::npos; at = text.find("```json\n", at + 1)) {
    const auto begin = at + 8;
    found.push_back(text.substr(begin, text.find("```", begin) - begin));
  }
  return found;
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

Briefing limited() {
  Briefing one = briefing();
  one.tokens_left = 1000;
  one.cost_left_usd = 1;
  one.seconds_left = 1e6;
  return one;
}

std::optional<std::string> python() {
  for (const char* path : {"/usr/bin/python3", "/usr/local/bin/python3"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("the page on the agent protocol shows a request with the very fields that kgate sends") {
  REQUIRE(blocks().size() == 4);
  const Json shown = parse_json(blocks()[0], "request"), sent = to_json(limited());
  CHECK(keys_of(shown) == std::set<std::string>{"ask", "briefing", "schema"});
  CHECK(shown["schema"] == kAgentSchema);
  CHECK(keys_of(shown["briefing"]) == keys_of(sent));
  CHECK(keys_of(shown["briefing"]["cases"][0]) == keys_of(sent["cases"][0]));
  CHECK(keys_of(shown["briefing"]["tried"][0]) == keys_of(sent["tried"][0]));
  CHECK(keys_of(shown["briefing"]["hardware"]) == keys_of(sent["hardware"]));
  CHECK(keys_of(shown["briefing"]["left"]) == keys_of(sent["left"]));
  const Json repair = parse_json(blocks()[1], "repair");
  CHECK(keys_of(repair) == std::set<std::string>{"ask", "briefing", "complaint", "failed", "schema"});
  CHECK_NOTHROW(read_answer(repair["failed"].dump(), kBest, "failed"));
}

TEST_CASE("the replies on the page on the agent protocol are read, and fit its request") {
  const Answer answer = read_answer(blocks()[2], kBest, "reply", true);
  REQUIRE(answer.proposal);
  CHECK(answer.proposal->model == "some-model-1");
  CHECK(answer.usage.cost_usd == 0.021);
  const Json shown = parse_json(blocks()[0], "request")["briefing"];
  Briefing told;
  told.best = shown["best"];
  told.sources = shown["sources"].get<std::map<std::string, std::string>>();
  told.tunables = shown["tunables"].get<std::map<std::string, std::vector<std::string>>>();
  CHECK_NOTHROW(check_fit(*answer.proposal, told, "reply"));
  CHECK(read_answer(blocks()[3], kBest, "reply", true).exhausted == "every setting was tried");
}

TEST_CASE("every outcome and every key of a reply is on the page on the agent protocol") {
  const std::string text = page();
  for (const char* word : {"open",
                           "refused",
                           "duplicate",
                           "infeasible",
                           "does_not_compile",
                           "wrong",
                           "suspect",
                           "slower",
                           "better",
                           "environment",
                           "schema",
                           "direction",
                           "parts",
                           "parent",
                           "differs",
                           "model",
                           "usage",
                           "parts[].name",
                           "parts[].hypothesis",
                           "parts[].expected_gain",
                           "parts[].risk",
                           "parts[].files",
                           "parts[].edits",
                           "parts[].parameters",
                           "tokens_in",
                           "tokens_out",
                           "cost_usd",
                           "refused",
                           "failed",
                           "complaint"}) {
    INFO(word);
    CHECK(text.find("`" + std::string(word) + "`") != std::string::npos);
  }
}

TEST_CASE("the prompts show replies that are read, the planner's apart") {
  const std::string coder = own_prompts().coder;
  const auto begin = coder.find("```json\n") + 8;
  CHECK_NOTHROW(read_answer(coder.substr(begin, coder.find("```", begin) - begin), kBest, "reply"));
}

TEST_CASE("the example agent proposes every setting that was not tried, and then says that none is left") {
  const auto program = python();
  if (!program) KGATE_SKIP("no python3");
  CommandOptions options;
  options.command = {*program, std::string(KGATE_SOURCE_DIR) + "/examples/search/agent.py"};
  CommandProposer agent(options);
  Briefing one = briefing();
  std::vector<std::string> proposed;
  for (int i = 0; i < 3; ++i) {
    const Reply reply = agent.propose(one);
    INFO(reply.refusal.reason);
    if (!reply.proposal) {
      CHECK(reply.refusal.kind == Refusal::Kind::exhausted);
      CHECK(reply.refusal.reason == "every neighbour of the best setting was tried");
      break;
    }
    CHECK(reply.proposal->proposer == "command");
    CHECK(reply.proposal->direction == "tuning");
    Tried tried;
    tried.parameters = reply.proposal->parts[0].parameters;
    proposed.push_back(tried.parameters.at("BLOCK"));
    one.tried.push_back(tried);
  }
  CHECK(proposed == std::vector<std::string>{"64", "256"});
  const Reply repair = agent.repair(one, {}, "error");
  CHECK(repair.refusal.reason == "a setting that fails has no repair");
}
