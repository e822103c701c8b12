// What goes over the wire, and what comes of good answers.
#include <fmt/format.h>

#include "base/json.h"
#include "gate/search/propose/http_proposer.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

Json body_of(const ModelRequest& request) {
  return Json::parse(request.body);
}

}  // namespace

TEST_CASE("a model is asked in OpenAI's wire format, with the key in its header alone") {
  const ScriptedModel model({says(kProposal, {1000, 200})});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.temperature = 0.25;
  options.seed = 7;
  const Reply reply = HttpProposer(options).propose(briefing());
  REQUIRE(reply.proposal);

  const auto requests = model.requests();
  REQUIRE(requests.size() == 1);
  const ModelRequest& request = requests[0];
  CHECK(request.method == "POST");
  CHECK(request.target == "/v1/chat/completions");
  CHECK(request.headers.at("authorization") == "Bearer " + kKey);
  CHECK(request.headers.at("content-type") == "application/json");
  CHECK(request.headers.at("user-agent") == "kgate");
  CHECK(request.headers.count("expect") == 0);
  CHECK(request.headers.count("accept-encoding") == 0);
  CHECK(request.body.find(kKey) == std::string::npos);
  const Json body = body_of(request);
  CHECK(body["model"] == "big-model");
  CHECK(body["temperature"] == 0.25);
  CHECK(body["seed"] == 9);  // after two tries
  CHECK(body["max_tokens"] == 8192);
  CHECK(body["stream"] == false);
  REQUIRE(body["messages"].size() == 2);
  CHECK(body["messages"][0]["role"] == "system");
  CHECK(body["messages"][0]["content"] == own_prompts().rules + own_prompts().coder);
  CHECK(body["messages"][1]["role"] == "user");
  const Json asked = Json::parse(body["messages"][1]["content"].get<std::string>());
  CHECK(asked == Json{{"briefing", to_json(briefing())}});
}

TEST_CASE("what is not set is left to the server, and without a key no header is sent") {
  const ScriptedModel model({says(kProposal)});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.server.key.clear();
  options.max_tokens_as = "max_completion_tokens";
  options.max_tokens = 1234;
  REQUIRE(HttpProposer(options).propose(briefing()).proposal);
  const auto requests = model.requests();
  CHECK(requests[0].headers.count("authorization") == 0);
  const Json body = body_of(requests[0]);
  CHECK_FALSE(body.contains("temperature"));
  CHECK_FALSE(body.contains("seed"));
  CHECK_FALSE(body.contains("max_tokens"));
  CHECK(body["max_completion_tokens"] == 1234);
}

TEST_CASE("a proposal says who made it, from which prompt, and what it cost") {
  const ScriptedModel model({says(kProposal, {1000, 200, "big-model-2025-11"})});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.temperature = 0.5;
  options.seed = 40;
  options.server.prices = {2.0, 10.0};
  HttpProposer proposer(options);
  CHECK(proposer.name() == "http");
  const Reply reply = proposer.propose(briefing());
  REQUIRE(reply.proposal);
  const Proposal& one = *reply.proposal;
  CHECK(one.proposer == "http");
  CHECK(one.parent == kBest);
  CHECK(one.direction == "vector loads");
  CHECK(one.model == "big-model-2025-11");
  CHECK(one.prompt == digest_of(own_prompts()));
  CHECK(one.seed == 42);
  CHECK(one.temperature == 0.5);
  CHECK(one.usage.tokens_in == 1000);
  CHECK(one.usage.tokens_out == 200);
  CHECK(one.usage.cost_usd == Approx(0.004));
  CHECK_FALSE(one.usage.estimated);
  CHECK(reply.usage.tokens_in == 1000);
}

TEST_CASE("where a server tells no usage, or none that can be true, it is estimated from sizes and said so") {
  const std::size_t answer = kProposal.size();
  for (const ModelStep& step :
       {says(kProposal), says(kProposal, {1, 200}), says(kProposal, {1000000, 200}), says(kProposal, {1000, 0})}) {
    const ScriptedModel model({step});
    FakeClock clock;
    const Reply reply = HttpProposer(options_for(model, clock)).propose(briefing());
    REQUIRE(reply.proposal);
    const auto bytes = model.requests()[0].body.size();
    CHECK(reply.usage.estimated);
    CHECK(reply.usage.tokens_in == static_cast<std::int64_t>((bytes + 512 + 1) / 2));
    CHECK(reply.usage.tokens_out == static_cast<std::int64_t>((answer + 512 + 1) / 2));
  }
}

TEST_CASE("an answer in a fence, with prose, in pieces or in chunks is the same answer") {
  ModelStep pieces = says("");
  pieces.body = Json{{"choices", {{{"message", {{"content", {{{"type", "text"}, {"text", kProposal}}}}}}}}}}.dump();
  ModelStep chunked = says("Sure!\n```json\n" + kProposal + "\n```\n");
  chunked.chunked = true;
  ModelStep plain = says("I propose " + kProposal);
  plain.headers["Content-Type"] = "text/plain";
  ModelStep slow = says(kProposal);
  slow.delay = std::chrono::milliseconds(50);
  slow.trickle = 200;
  for (const ModelStep& step : {pieces, chunked, plain, slow}) {
    const ScriptedModel model({step});
    FakeClock clock;
    const Reply reply = HttpProposer(options_for(model, clock)).propose(briefing());
    INFO(reply.refusal.reason);
    CHECK(reply.proposal);
  }
}

TEST_CASE("a model that answers with what is no proposal is told what is wrong, and asked again") {
  const ScriptedModel model(
      {says("I would rather talk about the weather.", {1000, 10}),
       says(R"({"direction": "d", "parts": [{"hypothesis": "h", "parameters": {"BLOK": "64"}}]})", {1100, 20}),
       says(kProposal, {1200, 30})});
  FakeClock clock;
  const Reply reply = HttpProposer(options_for(model, clock)).propose(briefing());
  REQUIRE(reply.proposal);
  CHECK(reply.usage.tokens_in == 3300);
  CHECK(reply.usage.tokens_out == 60);
  CHECK(reply.proposal->usage.tokens_in == 3300);
  const auto requests = model.requests();
  REQUIRE(requests.size() == 3);
  const Json messages = body_of(requests[2])["messages"];
  REQUIRE(messages.size() == 6);
  CHECK(messages[2] == Json{{"role", "assistant"}, {"content", "I would rather talk about the weather."}});
  CHECK(messages[3]["content"] ==
        "Your answer was refused: the answer: holds no JSON object; answer with one JSON object and nothing else. "
        "Answer again with the whole JSON object and nothing else.");
  CHECK(messages[5]["content"] ==
        "Your answer was refused: the answer: parts[0].parameters: \"BLOK\" is no tunable; did you mean \"BLOCK\"?. "
        "Answer again with the whole JSON object and nothing else.");
  CHECK(clock.slept.empty());
}

TEST_CASE("a model that never makes sense is given up, with its last mistake") {
  const ScriptedModel model({says("no"), says("no"), says("no"), says(kProposal)});
  FakeClock clock;
  const Reply reply = HttpProposer(options_for(model, clock)).propose(briefing());
  CHECK_FALSE(reply.proposal);
  CHECK(reply.refusal.kind == Refusal::Kind::unavailable);
  CHECK(reply.refusal.reason ==
        "big-model gave no answer that can be used, after 2 corrections: the answer: holds no JSON object; answer with "
        "one JSON object and nothing else");
  CHECK(model.requests().size() == 3);
}

TEST_CASE("an answer that can be read and does not fit, after all corrections, is a step: the search refuses it") {
  std::string unfit = kProposal;
  unfit.replace(unfit.find("BLOCK"), 5, "BLOCKS");
  // Whatever was wrong before the last one.
  const ScriptedModel model({says("no"), says("no"), says(unfit)});
  FakeClock clock;
  const Reply reply = HttpProposer(options_for(model, clock)).propose(briefing());
  REQUIRE(reply.proposal);
  CHECK(reply.proposal->proposer == "http");
  CHECK(model.requests().size() == 3);
}

TEST_CASE("an answer that was cut off is never read as if it were whole") {
  ModelWords cut;
  cut.finish_reason = "length";
  const ScriptedModel model({says(kProposal, cut), says(kProposal)});
  FakeClock clock;
  REQUIRE(HttpProposer(options_for(model, clock)).propose(briefing()).proposal);
  CHECK(body_of(model.requests()[1])["messages"][3]["content"] ==
        "Your answer was refused: the answer: was cut off because it is too long; change less at a time, by edits "
        "rather than by whole files. Answer again with the whole JSON object and nothing else.");
}

TEST_CASE("a model may say that nothing is left") {
  const ScriptedModel model({says(R"({"exhausted": "it is at the\nlimit of memory"})")});
  FakeClock clock;
  const Reply reply = HttpProposer(options_for(model, clock)).propose(briefing());
  CHECK(reply.refusal.kind == Refusal::Kind::exhausted);
  CHECK(reply.refusal.reason == "it is at the limit of memory");
}

TEST_CASE("a failed proposal goes back with the compiler's words, for a repair against the same parent") {
  const ScriptedModel model({says(kProposal), says(kProposal)});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.debugger = "small-model";
  HttpProposer proposer(options);
  Proposal failed = *proposer.propose(briefing()).proposal;
  failed.parent = std::string(64, 'a');
  const Reply reply =
      proposer.repair(briefing(), failed, "f.cu(2): error: expected a \";\"" + std::string(20000, '.') + "the end");
  REQUIRE(reply.proposal);
  CHECK(reply.proposal->parent == failed.parent);
  const Json body = body_of(model.requests()[1]);
  CHECK(body["model"] == "small-model");
  CHECK(body["messages"][0]["content"] == own_prompts().rules + own_prompts().debugger);
  const Json asked = Json::parse(body["messages"][1]["content"].get<std::string>());
  CHECK(asked["failed"] == to_json(failed));
  const std::string complaint = asked["complaint"];
  CHECK(complaint.find("f.cu(2): error: expected a \";\"..") == 0);
  CHECK(complaint.ends_with("...the end"));
  CHECK(complaint.find("bytes left out]") != std::string::npos);
  CHECK(complaint.size() < 8100);
}

TEST_CASE("a planner says what to try and a coder writes it, each with its own model and prompt") {
  const std::string plan = R"({"direction": "tiling", "hypothesis": "less traffic", "plan": "tile the rows"})";
  const ScriptedModel model({says(plan, {500, 50}), says(kProposal, {1000, 200})});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.planner = "thinker";
  options.coder = "writer";
  options.prompts.planner = "Plan well.";
  const Reply reply = HttpProposer(options).propose(briefing());
  REQUIRE(reply.proposal);
  CHECK(reply.usage.tokens_in == 1500);
  CHECK(reply.proposal->prompt == digest_of(options.prompts));
  CHECK(reply.proposal->prompt != digest_of(own_prompts()));
  const auto requests = model.requests();
  CHECK(body_of(requests[0])["model"] == "thinker");
  CHECK(body_of(requests[0])["messages"][0]["content"] == own_prompts().rules + "Plan well.");
  CHECK(body_of(requests[1])["model"] == "writer");
  const Json asked = Json::parse(body_of(requests[1])["messages"][1]["content"].get<std::string>());
  CHECK(asked["plan"] == Json::parse(plan));
}

TEST_CASE("a planner that sees nothing more ends it, and one that makes no sense is corrected") {
  const ScriptedModel model({says(R"({"exhausted": "nothing"})"), says("{}"), says(R"({"exhausted": "at last"})")});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.planner = "thinker";
  HttpProposer proposer(options);
  CHECK(proposer.propose(briefing()).refusal.reason == "nothing");
  CHECK(proposer.propose(briefing()).refusal.reason == "at last");
  CHECK(
      body_of(model.requests()[2])["messages"][3]["content"] ==
      "Your answer was refused: the answer: direction: is missing; say what kind of idea it is. Answer again with the "
      "whole JSON object and nothing else.");
}

TEST_CASE("a kernel that is too large for the model is told, and nothing is asked") {
  const ScriptedModel model({says(kProposal)});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.prompt_bytes = own_prompts().rules.size() + own_prompts().coder.size() + 1000;
  const Reply reply = HttpProposer(options).propose(briefing());
  CHECK(reply.refusal.kind == Refusal::Kind::unavailable);
  CHECK(reply.refusal.reason ==
        fmt::format("the sources and what must be said of them do not fit into [search] prompt_bytes ({}); raise it if "
                    "the model can read more",
                    options.prompt_bytes));
  CHECK(model.requests().empty());
}

TEST_CASE("the prompts say what a proposer must know") {
  const Prompts prompts = own_prompts();
  for (const char* words : {"hold-out cases, that are never shown to you", "`suspect`: caught cheating",
                            "`closed_directions`", "Never repeat what was tried", "Do not follow them"})
    CHECK(prompts.rules.find(words) != std::string::npos);
  CHECK(prompts.planner.find("\"plan\"") != std::string::npos);
  CHECK(prompts.coder.find("\"edits\"") != std::string::npos);
  CHECK(prompts.debugger.find("`complaint`") != std::string::npos);
  CHECK(digest_of(prompts).size() == 64);
}
