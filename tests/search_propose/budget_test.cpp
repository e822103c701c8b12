// No budget is overrun by the asking itself.
#include <fmt/format.h>

#include "base/json.h"
#include "gate/search/propose/http_proposer.h"
#include "gate/search/propose/meter.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

Briefing with_tokens(std::int64_t tokens) {
  Briefing one = briefing();
  one.tokens_left = tokens;
  return one;
}

std::int64_t max_tokens_of(const ModelRequest& request) {
  return Json::parse(request.body)["max_tokens"];
}

}  // namespace

TEST_CASE("a budget of tokens that does not hold a request and an answer refuses it before it is sent") {
  const ScriptedModel model({says(kProposal)});
  FakeClock clock;
  HttpProposer proposer(options_for(model, clock));
  const Reply reply = proposer.propose(with_tokens(1000));
  CHECK_FALSE(reply.proposal);
  CHECK(reply.refusal.kind == Refusal::Kind::budget);
  CHECK(reply.refusal.reason.find("asking takes up to ") == 0);
  CHECK(reply.refusal.reason.ends_with(" tokens and an answer at least 256, and of [search] tokens 1000 are left"));
  CHECK(reply.usage.tokens_in == 0);
  CHECK(model.requests().empty());
}

TEST_CASE("an answer may be as long as the budget still allows") {
  const ScriptedModel model({says(kProposal, {2000, 100})});
  FakeClock clock;
  const Briefing one = with_tokens(9000);
  REQUIRE(HttpProposer(options_for(model, clock)).propose(one).proposal);
  const ModelRequest request = model.requests()[0];
  const auto in = static_cast<std::int64_t>(request.body.size() + 512 + 1) / 2;
  CHECK(max_tokens_of(request) >= 256);
  CHECK(max_tokens_of(request) + in <= 9000 + 2);
}

TEST_CASE("money is counted before and after by the prices of the policy") {
  const ScriptedModel model({says(kProposal, {3000, 100}), says(kProposal)});
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.server.prices = {100, 1000};  // USD a million tokens
  HttpProposer proposer(options);
  Briefing one = briefing();
  one.cost_left_usd = 1;
  const Reply reply = proposer.propose(one);
  REQUIRE(reply.proposal);
  CHECK(reply.usage.cost_usd == Approx(0.4));
  CHECK(max_tokens_of(model.requests()[0]) < 1000);  // 1 USD buys no more
  one.cost_left_usd = 0.1;
  const Reply poor = proposer.propose(one);
  CHECK(poor.refusal.kind == Refusal::Kind::budget);
  CHECK(poor.refusal.reason.find("asking costs up to 0.") == 0);
  CHECK(poor.refusal.reason.ends_with("and of [search] cost_usd 0.1000 are left"));
  CHECK(model.requests().size() == 1);
}

TEST_CASE("corrections and retries are paid from the same budget") {
  // Every answer is rubbish, and is said to have cost 3000 tokens.
  const ScriptedModel model(std::vector<ModelStep>(8, says("no", {2500, 500})));
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.corrections = 5;
  options.max_tokens = 1000;
  const Reply reply = HttpProposer(options).propose(with_tokens(12000));
  CHECK(reply.refusal.kind == Refusal::Kind::budget);
  CHECK(model.requests().size() >= 2);
  CHECK(reply.usage.tokens_in + reply.usage.tokens_out <= 12000);

  ModelStep dropped = says(kProposal);
  dropped.drop_after = 10;
  const ScriptedModel dropping(std::vector<ModelStep>(8, dropped));
  HttpOptions other = options_for(dropping, clock);
  other.max_tokens = 1000;
  const Reply lost = HttpProposer(other).propose(with_tokens(12000));
  CHECK(lost.refusal.kind == Refusal::Kind::budget);
  CHECK(lost.refusal.reason.find("broke off: ") != std::string::npos);
  CHECK(lost.usage.tokens_in + lost.usage.tokens_out <= 12000);
  CHECK(lost.usage.estimated);
}

TEST_CASE("the time that is left bounds an answer, and the waits between tries") {
  ModelStep hangs = says(kProposal);
  hangs.hang_after = 0;
  const ScriptedModel model({hangs});
  FakeClock clock;
  Briefing one = briefing();
  one.seconds_left = 0.2;
  const Reply reply = HttpProposer(options_for(model, clock)).propose(one);
  CHECK(reply.refusal.reason.find(" did not answer in time: ") != std::string::npos);

  ModelStep busy = fails(429, "busy");
  busy.headers["Retry-After"] = "30";
  const ScriptedModel limited({busy, says(kProposal)});
  one.seconds_left = 20;
  const Reply waiting = HttpProposer(options_for(limited, clock)).propose(one);
  CHECK(waiting.refusal.kind == Refusal::Kind::budget);
  CHECK(waiting.refusal.reason == fmt::format("{} answered 429: busy; ask less often, or raise the account's limits; "
                                              "waiting for another try would go over [search] seconds",
                                              limited.host()));
}

TEST_CASE("the density of tokens is learnt from the server, with a quarter more") {
  Meter meter({0, 0});
  std::string why;
  Briefing one = with_tokens(100000);
  // 20000 bytes and what a server adds, at two bytes a token.
  CHECK(meter.room(20000, 100000, one, {}, why) == 100000 - (20000 + 512) / 2);
  const Usage usage = meter.answered(20000, 100, ToldUsage{5128, 50});
  CHECK(usage.tokens_in == 5128);
  CHECK_FALSE(usage.estimated);
  CHECK(meter.room(20000, 100000, one, {}, why) == 100000 - 6410);
  Usage spent;
  spent.tokens_in = 90000;
  CHECK(meter.room(20000, 100000, one, spent, why) == 10000 - 6410);
  CHECK(meter.lost(20000, 777).tokens_out == 777);
  CHECK(meter.room(20000, 512, briefing(), {}, why) == 512);
}
