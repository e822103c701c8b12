#include "gate/search/propose/tuner_proposer.h"

#include <cmath>
#include <set>

#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;
using Values = std::map<std::string, std::string>;

namespace {

std::string digest(int number) {
  return std::string(63, '0') + static_cast<char>('a' + number % 26) + std::to_string(number);
}

// The baseline alone, with BLOCK 64 and TILE 1.
Briefing briefing() {
  Briefing one;
  one.kernel = "softmax";
  one.tunables = {{"BLOCK", {"32", "64", "128", "256", "512"}}, {"TILE", {"1", "2", "4", "8"}}};
  one.parameters = {{"BLOCK", "64"}, {"TILE", "1"}};
  one.best = digest(0);
  Tried baseline;
  baseline.digest = digest(0);
  baseline.proposer = "baseline";
  baseline.parameters = one.parameters;
  baseline.outcome = Outcome::better;
  baseline.score = 1;
  one.tried = {baseline};
  return one;
}

// As the loop would: the proposal's version, with this outcome.
void judge(Briefing& briefing, const Proposal& proposal, Outcome outcome, double score) {
  Tried tried;
  tried.digest = digest(static_cast<int>(briefing.tried.size()));
  tried.parent = proposal.parent;
  tried.proposer = proposal.proposer;
  tried.parameters = briefing.parameters;
  for (const auto& [name, value] : proposal.parts.at(0).parameters) tried.parameters[name] = value;
  tried.outcome = outcome;
  tried.score = score;
  briefing.tried.push_back(tried);
  if (outcome != Outcome::better) return;
  briefing.best = tried.digest;
  briefing.parameters = tried.parameters;
}

// Fastest at BLOCK 256 and TILE 4.
double score_of(const Values& parameters) {
  const double block = std::log2(std::stod(parameters.at("BLOCK"))) - 8,
               tile = std::log2(std::stod(parameters.at("TILE"))) - 2;
  return 0.5 * std::exp(0.15 * (block * block + tile * tile));
}

Values applied(const Briefing& briefing, const Proposal& proposal) {
  Values values = briefing.parameters;
  for (const auto& [name, value] : proposal.parts.at(0).parameters) values[name] = value;
  return values;
}

}  // namespace

TEST_CASE(
    "the tuner proposes settings of [tunables] that were not tried, until all were, and finds the best on the way") {
  Briefing now = briefing();
  TunerProposer proposer;
  CHECK(proposer.name() == "tuner");
  std::set<Values> tried{now.parameters};
  int until_best = 0;
  for (int i = 1; i < 20; ++i) {
    const Reply reply = proposer.propose(now);
    REQUIRE(reply.proposal);
    const Proposal& proposal = *reply.proposal;
    CHECK(proposal.proposer == "tuner");
    CHECK(proposal.parent == now.best);
    CHECK(proposal.direction.empty());
    REQUIRE(proposal.parts.size() == 1);
    CHECK(proposal.parts[0].files.empty());
    CHECK(proposal.parts[0].edits.empty());
    const Values values = applied(now, proposal);
    CHECK(tried.insert(values).second);
    const double score = score_of(values), best = score_of(now.parameters);
    if (score == 0.5) until_best = i;
    judge(now, proposal, score < best ? Outcome::better : Outcome::slower, score);
  }
  CHECK(until_best > 0);
  CHECK(until_best <= 12);
  const Reply last = proposer.propose(now);
  CHECK_FALSE(last.proposal);
  CHECK(last.refusal.kind == Refusal::Kind::exhausted);
  CHECK(last.refusal.reason == "every setting that [tunables] allows was tried");
}

TEST_CASE("the tuner names several settings ahead, none of them twice") {
  Briefing now = briefing();
  TunerProposer proposer;
  CHECK(proposer.ahead() == 4);
  std::set<Values> open;
  for (int i = 0; i < 10; ++i) {
    const Reply reply = proposer.propose(now);
    REQUIRE(reply.proposal);
    CHECK(open.insert(applied(now, *reply.proposal)).second);
    judge(now, *reply.proposal, Outcome::open, 0);
  }
}

TEST_CASE("the same briefing makes the same proposal, in another process too") {
  Briefing now = briefing();
  TunerProposerOptions options;
  options.seed = 7;
  for (int i = 0; i < 8; ++i) {
    const Reply one = TunerProposer(options).propose(now), other = TunerProposer(options).propose(now);
    REQUIRE(one.proposal);
    CHECK(to_json(*one.proposal) == to_json(*other.proposal));
    CHECK(one.proposal->seed == 7);
    judge(now, *one.proposal, Outcome::slower, score_of(applied(now, *one.proposal)));
  }
}

TEST_CASE("a proposal says what it changes, and what the tuner expects of it") {
  Briefing now = briefing();
  TunerProposer proposer;
  const Proposal first = *proposer.propose(now).proposal;
  CHECK(first.parts[0].hypothesis.find("tried to see where it is fast: too little is known for a prediction") !=
        std::string::npos);
  CHECK(first.parts[0].expected_gain == 0);
  for (int i = 0; i < 12; ++i) {
    const Proposal next = *proposer.propose(now).proposal;
    const double score = score_of(applied(now, next));
    judge(now, next, score < score_of(now.parameters) ? Outcome::better : Outcome::slower, score);
  }
  const Part part = proposer.propose(now).proposal->parts[0];
  for (const auto& [name, value] : part.parameters) {
    CHECK(part.hypothesis.find(name + " " + now.parameters.at(name) + " -> " + value) != std::string::npos);
    CHECK(now.parameters.at(name) != value);
  }
  CHECK(part.hypothesis.find(": predicted ") != std::string::npos);
  CHECK(part.hypothesis.find(" % ") != std::string::npos);
  CHECK(part.hypothesis.find(" time (±") != std::string::npos);
  CHECK(part.expected_gain >= 0);
  CHECK(part.expected_gain < 1);
}

TEST_CASE("what failed teaches the tuner, and what the machine spoilt may come again") {
  Briefing now = briefing();
  now.tunables = {{"BLOCK", {"64", "128"}}, {"TILE", {"1"}}};
  TunerProposer proposer;
  const Proposal only = *proposer.propose(now).proposal;
  CHECK(applied(now, only) == Values{{"BLOCK", "128"}, {"TILE", "1"}});
  for (const Outcome outcome : {Outcome::infeasible, Outcome::does_not_compile, Outcome::wrong, Outcome::suspect,
                                Outcome::refused, Outcome::duplicate, Outcome::open, Outcome::slower}) {
    Briefing then = now;
    judge(then, only, outcome, 0);
    CHECK(proposer.propose(then).refusal.kind == Refusal::Kind::exhausted);
    CHECK_FALSE(proposer.propose(then).proposal);
  }
  judge(now, only, Outcome::environment, 0);
  REQUIRE(proposer.propose(now).proposal);
  CHECK(applied(now, *proposer.propose(now).proposal) == applied(now, only));
}

TEST_CASE("times of another source do not count: a new best from elsewhere starts the tuning anew") {
  Briefing now = briefing();
  now.tunables = {{"BLOCK", {"64", "128"}}, {"TILE", {"1"}}};
  TunerProposer proposer;
  judge(now, *proposer.propose(now).proposal, Outcome::slower, 1.5);
  CHECK_FALSE(proposer.propose(now).proposal);
  Tried rewritten = now.tried[0];
  rewritten.digest = digest(9);
  rewritten.parent = digest(0);
  rewritten.proposer = "http";
  rewritten.score = 0.6;
  now.tried.push_back(rewritten);
  now.best = rewritten.digest;
  const Reply reply = proposer.propose(now);
  REQUIRE(reply.proposal);
  CHECK(reply.proposal->parent == digest(9));
  CHECK(applied(now, *reply.proposal) == Values{{"BLOCK", "128"}, {"TILE", "1"}});
}

TEST_CASE("a baseline whose values [tunables] does not list is no setting, and no obstacle") {
  Briefing now = briefing();
  now.parameters["BLOCK"] = "48";
  now.tried[0].parameters = now.parameters;
  const Reply reply = TunerProposer().propose(now);
  REQUIRE(reply.proposal);
  CHECK(reply.proposal->parts[0].parameters.contains("BLOCK"));
  CHECK(reply.proposal->parts[0].hypothesis.find("BLOCK 48 -> ") != std::string::npos);
}

TEST_CASE("without [tunables] there is nothing to tune, and lists that are none are told") {
  Briefing now = briefing();
  now.tunables.clear();
  const Reply none = TunerProposer().propose(now);
  CHECK(none.refusal.kind == Refusal::Kind::exhausted);
  CHECK(none.refusal.reason == "the kernel.toml of the best version lists no [tunables]");
  now.tunables = {{"BLOCK", {"64", "64"}}};
  const Reply twice = TunerProposer().propose(now);
  CHECK_FALSE(twice.proposal);
  CHECK(twice.refusal.kind == Refusal::Kind::unavailable);
  CHECK(twice.refusal.reason == "BLOCK: has the value \"64\" twice; list it once");
}

TEST_CASE("a setting that has no room on the device is never proposed, and asked about once") {
  Briefing now = briefing();
  int asked = 0;
  TunerProposerOptions options;
  options.feasible = [&](const Briefing& of, const Values& values) {
    ++asked;
    CHECK(of.best == now.best);
    return values.at("BLOCK") != "512" && values.at("TILE") != "8";
  };
  TunerProposer proposer(options);
  int proposed = 0;
  for (Reply reply = proposer.propose(now); reply.proposal; reply = proposer.propose(now)) {
    const Values values = applied(now, *reply.proposal);
    CHECK(values.at("BLOCK") != "512");
    CHECK(values.at("TILE") != "8");
    judge(now, *reply.proposal, Outcome::slower, score_of(values));
    REQUIRE(++proposed < 20);
  }
  CHECK(proposed == 11);  // of 4 times 3 the best one was there before
  CHECK(asked == 20);
  CHECK(proposer.propose(now).refusal.reason ==
        "every setting that [tunables] allows, and that has room on the device, was tried");
}
