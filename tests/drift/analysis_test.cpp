#include "gate/drift/analysis.h"

#include <cmath>

#include <fmt/format.h>

#include "bench/history.h"
#include "gate/drift/events.h"
#include "gate/report/drift.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::drift;
using bench::SimulatedHistory;

namespace {

std::int64_t day_of(const SimulatedHistory& history, std::int64_t night) {
  return *day_from(history.first_night) + night;
}

History history_of(const SimulatedHistory& simulated) {
  History history;
  for (std::int64_t i = 0; i < simulated.nights; ++i) {
    const auto night = simulated.night(i);
    if (!night.kernels.empty())
      history.add(night, history.shared(simulated.fingerprint_of(i)), fmt::format("record {}", i + 1));
  }
  return history;
}

// Kernel number k was accepted by record 1 + k before the first night.
std::map<std::string, KernelFacts> facts_of(const SimulatedHistory& simulated) {
  std::map<std::string, KernelFacts> facts;
  for (std::int64_t k = 0; k < simulated.kernels; ++k) {
    KernelFacts& known = facts[SimulatedHistory::kernel_name(k)];
    known.records.push_back({1 + k, "2025-12-31T12:00:00Z", "", {{"case_0", 10}}});
    if (const auto bound = SimulatedHistory::bound_of(k); !bound.empty()) known.bounds["case_0"] = bound;
  }
  return facts;
}

AnalysisOptions nightly() {
  AnalysisOptions options;
  options.backend = "cuda";
  options.profile.compare = {"accepted"};
  return options;
}

Analysis analysed(const SimulatedHistory& simulated) {
  return analyse(history_of(simulated), facts_of(simulated), nightly());
}

}  // namespace

TEST_CASE("a driver that makes memory-bound kernels slower is told with its night, its size and its versions") {
  SimulatedHistory simulated;
  simulated.kernels = 24;
  simulated.changes = {{60, 1.042, "memory", "580.95", "", 0}};
  const Analysis found = analysed(simulated);
  REQUIRE(found.events.size() == 1);
  const Event& event = found.events[0];
  CHECK(event.day == day_of(simulated, 60));
  CHECK(event.last_before == day_of(simulated, 59));
  CHECK(event.cause == Cause::machine);
  CHECK(event.kernels.size() == 6);
  CHECK(event.of_kernels == 24);
  CHECK(event.bound == "memory");
  CHECK(event.ratio == Approx(1.042).epsilon(0.003));
  CHECK(why_of(event) == "driver 580.82.07 -> 580.95");
  const Kernel& slower = found.kernels[4];
  CHECK(slower.verdict == verdict::Verdict::regressed);
  CHECK(slower.cause == Cause::machine);
  CHECK(slower.reason.find(" since 2026-03-02, driver 580.82.07 -> 580.95") != std::string::npos);
  CHECK(found.kernels[1].verdict == verdict::Verdict::pass);
}

TEST_CASE("a series goes on where a driver makes another class of the machine") {
  SimulatedHistory simulated;
  simulated.kernels = 1;
  simulated.changes = {{50, 1, "", "580.95", "", 0}};
  const Analysis found = analysed(simulated);
  CHECK(found.events.empty());
  REQUIRE(found.kernels[0].cases.size() == 1);
  CHECK(found.kernels[0].cases[0].points.size() == 100);
  CHECK(found.nights.front().device_class != found.nights.back().device_class);
}

TEST_CASE("what nothing recorded explains is the machine's, and one event though kernels date it a night apart") {
  SimulatedHistory simulated;
  simulated.kernels = 12;
  simulated.noise = 0.01;
  simulated.changes = {{40, 1.03, "", "", "", 0}};
  const Analysis found = analysed(simulated);
  REQUIRE(found.events.size() == 1);
  CHECK(found.events[0].kernels.size() == 12);
  CHECK(found.events[0].differences.empty());
  CHECK(why_of(found.events[0]) == "nothing that kgate records changed: the machine");
  CHECK(std::abs(found.events[0].day - day_of(simulated, 40)) <= 2);
}

TEST_CASE("a version that was accepted is no drift, however slow it is") {
  SimulatedHistory simulated;
  simulated.kernels = 2;
  simulated.changes = {{50, 1.2, "", "", "kernel_000", 9}};
  auto facts = facts_of(simulated);
  facts["kernel_000"].records.insert(facts["kernel_000"].records.begin(), {9, "2026-02-19T12:00:00Z", "", {}});
  const Analysis found = analyse(history_of(simulated), facts, nightly());
  REQUIRE(found.events.size() == 1);
  CHECK(found.events[0].cause == Cause::version);
  CHECK(why_of(found.events[0]) == "record 9 accepted");
  CHECK(found.kernels[0].verdict == verdict::Verdict::pass);
  const Against& accepted = found.kernels[0].cases[0].against.at(0);
  CHECK(accepted.sequence == 9);
  CHECK(accepted.ratio == Approx(1).epsilon(0.01));
}

TEST_CASE("a GPU that takes turns with another one explains no change") {
  SimulatedHistory simulated;
  simulated.kernels = 1;
  simulated.changes = {{50, 1.05, "", "", "", 0}};
  History history;
  for (std::int64_t i = 0; i < simulated.nights; ++i) {
    Json print = simulated.fingerprint_of(i);
    print["device"]["uuid"] = i % 2 == 0 ? "GPU-a" : "GPU-b";
    history.add(simulated.night(i), history.shared(print), "record");
  }
  const Analysis found = analyse(std::move(history), facts_of(simulated), nightly());
  REQUIRE(found.events.size() == 1);
  CHECK(found.events[0].differences.empty());
}

TEST_CASE("a toolkit explains what was compiled here, and nothing that runs as it was recorded") {
  for (const bool compiled : {false, true}) {
    SimulatedHistory simulated;
    simulated.kernels = 1;
    simulated.changes = {{50, 1.05, "", "", "", 0}};
    History history;
    for (std::int64_t i = 0; i < simulated.nights; ++i) {
      auto night = simulated.night(i);
      night.kernels.at("kernel_000").compiled_here = compiled;
      Json print = simulated.fingerprint_of(i);
      if (i >= 50) print["toolkit"]["nvrtc"] = "13.1";
      history.add(night, history.shared(print), "record");
    }
    const Analysis found = analyse(std::move(history), facts_of(simulated), nightly());
    REQUIRE(found.events.size() == 1);
    CHECK(found.events[0].cause == (compiled ? Cause::toolkit : Cause::machine));
    CHECK(found.events[0].differences.size() == (compiled ? 1U : 0U));
  }
}

TEST_CASE("gaps and single bad nights are no changes") {
  SimulatedHistory simulated;
  simulated.kernels = 8;
  simulated.missing = 0.3;
  simulated.bad = 0.05;
  const Analysis found = analysed(simulated);
  CHECK(found.events.empty());
  CHECK(found.nights.size() < 90);
  for (const Kernel& kernel : found.kernels) CHECK(kernel.verdict == verdict::Verdict::pass);
}

TEST_CASE("of two records of one night each case's later figure counts, whatever order they come in") {
  SimulatedHistory simulated;
  simulated.kernels = 2;
  simulated.nights = 20;
  for (const bool later_first : {false, true}) {
    History history = history_of(simulated);
    NightFigures again = simulated.night(10);
    again.time.replace(11, 2, "09");
    again.kernels.erase("kernel_001");
    again.kernels.at("kernel_000").cases.at("case_0").us = 77;
    if (later_first) {
      History first;
      first.add(again, first.shared(simulated.fingerprint_of(10)), "again");
      for (std::int64_t i = 0; i < simulated.nights; ++i)
        first.add(simulated.night(i), first.shared(simulated.fingerprint_of(i)), "record");
      history = std::move(first);
    } else {
      history.add(again, history.shared(simulated.fingerprint_of(10)), "again");
    }
    const Analysis found = analyse(std::move(history), facts_of(simulated), nightly());
    CHECK(found.merged == 1);
    CHECK(found.nights.size() == 21);
    REQUIRE(found.kernels[0].cases[0].points.size() == 20);
    CHECK(found.kernels[0].cases[0].points[10].us == 77);
    CHECK(found.kernels[1].cases[0].points[10].us ==
          simulated.night(10).kernels.at("kernel_001").cases.at("case_0").us);
  }
}

TEST_CASE("a slow creep that no night shows is told by what it adds up to, with its interval") {
  SimulatedHistory simulated;
  simulated.kernels = 1;
  simulated.nights = 200;
  simulated.noise = 0.012;
  for (std::int64_t night = 1; night < 200; ++night)
    simulated.changes.push_back({night, std::exp(0.05 / 200), "", "", "", 0});
  const Analysis found = analysed(simulated);
  const Against& accepted = found.kernels[0].cases[0].against.at(0);
  CHECK(accepted.what == "accepted");
  CHECK(accepted.ratio > 1.02);
  CHECK(accepted.low > 1.01);
  CHECK(accepted.high < 1.08);
  CHECK(accepted.recorded_us == 10);
}

TEST_CASE("what crept beyond its limit is told, though something else made it faster meanwhile") {
  SimulatedHistory simulated;
  simulated.kernels = 1;
  simulated.nights = 380;
  simulated.noise = 0.001;
  simulated.changes.push_back({30, 0.985, "", "", "", 0});
  for (const std::int64_t night : {110, 160, 210, 260, 310, 360})
    simulated.changes.push_back({night, 1.0085, "", "", "", 0});
  const Analysis found = analysed(simulated);
  const Kernel& kernel = found.kernels.at(0);
  REQUIRE(kernel.cases[0].against.at(0).low > 1.03);
  REQUIRE(kernel.cases[0].against.at(0).changed != 1);
  REQUIRE(kernel.cases[0].against.at(0).changed < 1.02);
  CHECK(kernel.verdict == verdict::Verdict::regressed);
  CHECK(kernel.reason.find("since record 1 was accepted, in steps that are each within the zone") != std::string::npos);
}

TEST_CASE("the last nights are held against the last release's, whatever was accepted since") {
  SimulatedHistory simulated;
  simulated.kernels = 1;
  simulated.changes = {{30, 0.9, "", "", "kernel_000", 5}, {60, 1.05, "", "580.95", "", 0}};
  auto facts = facts_of(simulated);
  facts["kernel_000"].records = {{5, "2026-01-30T12:00:00Z", "", {}}, {1, "2025-12-31T12:00:00Z", "v1.4", {}}};
  auto options = nightly();
  options.profile.compare = {"last-release"};
  const Analysis found = analyse(history_of(simulated), facts, options);
  const auto& against = found.kernels[0].cases[0].against;
  REQUIRE(against.size() == 2);
  CHECK(against[0].changed == Approx(1.05).epsilon(0.01));
  CHECK(against[1].what == "last-release");
  CHECK(against[1].release == "v1.4");
  CHECK(against[1].ratio == Approx(0.9 * 1.05).epsilon(0.01));
  CHECK(against[1].changed == Approx(1.05).epsilon(0.01));
  CHECK(found.kernels[0].verdict == verdict::Verdict::regressed);
}

TEST_CASE("a history without nights, and kernels without figures, are told as such") {
  const Analysis found = analyse(History{}, {{"softmax", {}}}, nightly());
  CHECK(found.events.empty());
  REQUIRE(found.kernels.size() == 1);
  CHECK(found.kernels[0].cases.empty());
  CHECK(found.kernels[0].verdict == verdict::Verdict::pass);
}

TEST_CASE("a kernel that was renamed goes on with the nights of its earlier name") {
  SimulatedHistory simulated;
  simulated.kernels = 2;
  std::map<std::string, KernelFacts> facts;
  facts["sum"].earlier_names = {"kernel_001"};
  const Analysis found = analyse(history_of(simulated), facts, nightly());
  REQUIRE(found.kernels.size() == 1);
  CHECK(found.kernels[0].cases.at(0).points.size() == 100);
}

TEST_CASE("what blocks is the profile's to say: machine, toolkit, environment, missing") {
  Drift drift;
  Kernel slower;
  slower.name = "a";
  slower.verdict = verdict::Verdict::regressed;
  slower.cause = Cause::machine;
  slower.reason = "wide: +4.2 % since 2026-03-03, a driver";
  Kernel lost;
  lost.name = "b";
  lost.verdict = verdict::Verdict::environment;
  drift.kernels = {slower, lost};
  trust::Profile profile;
  conclude(drift, profile);
  CHECK(drift.exit_code == 0);
  CHECK(drift.verdict == verdict::Verdict::regressed);
  CHECK(drift.reason == "a: wide: +4.2 % since 2026-03-03, a driver");
  profile.block_on = {"environment", "missing"};
  conclude(drift, profile);
  CHECK(drift.exit_code == 5);
  profile.block_on = {"toolkit"};
  conclude(drift, profile);
  CHECK(drift.exit_code == 0);
  profile.block_on = {"machine"};
  conclude(drift, profile);
  CHECK(drift.exit_code == 1);
  CHECK(drift.kernels[0].blocks);
  CHECK_FALSE(drift.kernels[1].blocks);
}

TEST_CASE("the report for people tells events, kernels and what is missing") {
  SimulatedHistory simulated;
  simulated.kernels = 8;
  simulated.changes = {{60, 1.042, "memory", "580.95", "", 0}};
  auto found = analysed(simulated);
  Drift drift;
  drift.profile = "nightly";
  drift.hardware = {"0123456789abcdef", "NVIDIA H200", "sm_90", "cuda", ""};
  drift.nights = std::move(found.nights);
  drift.events = std::move(found.events);
  drift.kernels = std::move(found.kernels);
  conclude(drift, {{"accepted"}, {"environment", "missing"}});
  const std::string text = report::write_drift(drift, {false, 200, false});
  CHECK(text.find("regressed: kernel_00") == 0);
  CHECK(text.find("(the profile nightly does not block on it)\n"
                  "NVIDIA H200 (sm_90): 100 nights, 2026-01-01 to 2026-04-10; driver 580.95; toolkit 13.0\n") !=
        std::string::npos);
  CHECK(text.find("since the night of 2026-03-02, with driver 580.82.07 -> 580.95: +4.") != std::string::npos);
  CHECK(text.find(" on 2 of 8 kernels, memory-bound ones (") != std::string::npos);
  CHECK(text.find("    kernel_000, kernel_004\n") != std::string::npos);
  const Json json = to_json(drift);
  CHECK(json["schema"] == "kgate.drift/1");
  CHECK(json["events"][0]["differences"][0]["after"] == "580.95");
  CHECK(json["kernels"][0]["cases"][0]["points"]["us"].size() == 100);
}

TEST_CASE("days are written and read as dates") {
  CHECK(day_from("1970-01-01") == 0);
  CHECK(day_text(0) == "1970-01-01");
  CHECK(day_text(*day_from("2028-02-29T10:00:00Z")) == "2028-02-29");
  CHECK_FALSE(day_from("2026-02-29"));
  CHECK_FALSE(day_from("2026-2-01"));
  CHECK_FALSE(day_from("soon"));
}
