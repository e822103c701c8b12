#include "gate/search/propose/briefing.h"

#include "gate/search/propose/proposer.h"
#include "gate/search/propose/request.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;
using kgate::test::briefing;

TEST_CASE("a briefing tells all that a proposer may know, and leaves out what was not measured or is not limited") {
  const Json json = to_json(briefing());
  CHECK(json["cases"][0] == Json{{"name", "wide"},
                                 {"role", "performance"},
                                 {"sizes", {{"rows", 8192}, {"cols", 4096}}},
                                 {"weight", 1.0},
                                 {"baseline_us", 120.5},
                                 {"best_us", 100.25},
                                 {"tolerance", {{"y", {{"rtol", 1e-5}}}}}});
  CHECK_FALSE(json["cases"][1].contains("best_us"));
  CHECK(json["tried"][0]["outcome"] == "better");
  CHECK(json["tried"][0]["score"] == 0.9);
  CHECK(json["tried"][0]["case_us"]["wide"] == 100.25);
  CHECK_FALSE(json["tried"][1].contains("score"));
  CHECK(json["tried"][1]["reason"] == "expected a ';'");
  CHECK(json["left"] == Json{{"repairs", 3}});
  CHECK(json["hardware"]["limits"]["registers_per_block"] == 65536);
  CHECK(json["sources"]["k/f.cu"] == kgate::test::kSource);
  Briefing limited = briefing();
  limited.tokens_left = 1000;
  limited.cost_left_usd = 0.25;
  limited.seconds_left = 60;
  CHECK(to_json(limited)["left"] == Json{{"tokens", 1000}, {"cost_usd", 0.25}, {"seconds", 60.0}, {"repairs", 3}});
}

TEST_CASE("every outcome has a name, and is known by it") {
  for (const Outcome outcome :
       {Outcome::open, Outcome::refused, Outcome::duplicate, Outcome::infeasible, Outcome::does_not_compile,
        Outcome::wrong, Outcome::suspect, Outcome::slower, Outcome::better, Outcome::environment})
    CHECK(outcome_of(name_of(outcome)) == outcome);
  CHECK(name_of(Outcome::does_not_compile) == "does_not_compile");
  CHECK_FALSE(outcome_of("faster"));
}

TEST_CASE("where a request is too long, the oldest tries are counted, as few as must be") {
  Briefing one = briefing();
  for (int i = 0; i < 200; ++i) {
    Tried tried = one.tried[1];
    tried.direction = i % 2 == 0 ? "tiling" : "unrolling";
    tried.reason = "attempt " + std::to_string(i) + std::string(200, '.');
    one.tried.push_back(tried);
  }
  const std::string whole = *request_text(one, Json::object(), std::string::npos);
  CHECK_FALSE(Json::parse(whole)["briefing"].contains("tried_before"));
  CHECK(*request_text(one, Json::object(), whole.size()) == whole);

  const std::string shorter = *request_text(one, {{"plan", "p"}}, 30000);
  CHECK(shorter.size() <= 30000);
  const Json told = Json::parse(shorter);
  CHECK(told["plan"] == "p");
  const Json& tried = told["briefing"]["tried"];
  const Json& before = told["briefing"]["tried_before"];
  REQUIRE(tried.size() + before["count"].get<std::size_t>() == 202);
  REQUIRE(tried.size() > 10);
  CHECK(tried.back()["reason"] == one.tried.back().reason);
  CHECK(before["directions"]["tuning"] == Json{{"better", 1}, {"does_not_compile", 1}});
  // One more of them would not fit.
  CHECK(shorter.size() + tried[0].dump().size() > 30000);

  CHECK_FALSE(request_text(one, Json::object(), 500));
}

TEST_CASE("a source that is not UTF-8 is told all the same") {
  Briefing one = briefing();
  one.sources["k/f.cu"] = "// \xE9\nint a;\n";
  const Json told = Json::parse(*request_text(one, Json::object(), std::string::npos));
  CHECK(told["briefing"]["sources"]["k/f.cu"] == "// \xEF\xBF\xBD\nint a;\n");
}

TEST_CASE("a proposer that does not repair says so") {
  class Silent : public Proposer {
    std::string name() const override { return "silent"; }
    Reply propose(const Briefing&) override { return {}; }
  } silent;
  Proposer& proposer = silent;
  CHECK(proposer.ahead() == 1);
  const Reply reply = proposer.repair(briefing(), {}, "error");
  CHECK_FALSE(reply.proposal);
  CHECK(reply.refusal.kind == Refusal::Kind::exhausted);
  CHECK(reply.refusal.reason == "silent does not repair its proposals");
}
