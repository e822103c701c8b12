#include "gate/drift/night.h"

#include <cmath>

#include "bench/history.h"
#include "gate/drift/import.h"
#include "gate/drift/measure.h"
#include "gate/drift/night_scan.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::drift;

namespace {

NightFigures a_night() {
  bench::SimulatedHistory simulated;
  simulated.kernels = 1;
  auto night = simulated.night(0);
  night.missing["softmax"] = "the GPU fell off the bus";
  return night;
}

std::string error_with(const std::string& pointer, const Json& value) {
  Json json = to_json(a_night());
  json[Json::json_pointer(pointer)] = value;
  return error_of([&] { night_from(json.dump(), "the figures of record 7"); });
}

constexpr const char* kRemedy =
    "; a newer kgate may have written it: use that; else the branch has to be restored, docs/ledger.md says how";

}  // namespace

TEST_CASE("a night's figures read back as they were written") {
  const auto night = a_night();
  const auto again = night_from(to_json(night).dump(), "a night");
  CHECK(to_json(again) == to_json(night));
  CHECK(again.kernels.at("kernel_000").cases.at("case_0").us == night.kernels.at("kernel_000").cases.at("case_0").us);
}

TEST_CASE("what kgate wrote is scanned, and whatever was done to it reads as by the whole reader, or not at all") {
  auto night = a_night();
  night.kernels["kernel_000"].cases["another"] = {1e-6, 0, 0, 0, 0, ""};
  night.environment = {{"clocks", {{"sm", Json::array({1980, "} \\\" {"})}}}, {"cause", "\u00b5s"}};
  const std::string text = canonical_json(to_json(night)) + "\n";
  const auto scanned = scan_night(text);
  REQUIRE(scanned);
  CHECK(to_json(*scanned) == to_json(night));
  // A space before it is for the whole reader.
  CHECK_FALSE(scan_night(" " + text));
  CHECK(to_json(night_from(" " + text, "a night")) == to_json(night));
  std::size_t scanned_too = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char* other : {"", "\"", "}", ",", "0", ".", "-", "e", "\\", "\xff", "a"}) {
      const std::string changed = text.substr(0, i) + other + text.substr(i + 1);
      const auto fast = scan_night(changed);
      if (!fast) continue;
      ++scanned_too;
      INFO(changed);
      REQUIRE(to_json(*fast) == to_json(night_from(" " + changed, "a night")));
    }
    REQUIRE_FALSE(scan_night(text.substr(0, std::min(i, text.size() - 2))));
  }
  CHECK(scanned_too > 1000);
}

TEST_CASE("figures that are none are not trusted, and the message names the place") {
  CHECK(error_with("/kernels/kernel_000/cases/case_0/us", 0) ==
        std::string("untrusted: the figures of record 7: is no night's figures: "
                    "\"kernels.kernel_000.cases.case_0.us\" is not a time") +
            kRemedy);
  for (const double us : {1e-300, 1e300}) {
    CHECK(error_with("/kernels/kernel_000/cases/case_0/us", us) ==
          std::string("untrusted: the figures of record 7: is no night's figures: "
                      "\"kernels.kernel_000.cases.case_0.us\" is no time that a kernel takes") +
              kRemedy);
  }
  for (const char* time : {"", "zzzz", "2026-13-01T00:00:00Z", "2026-06-05T00:00:00Z and more"}) {
    CHECK(error_with("/time", time) ==
          std::string("untrusted: the figures of record 7: is no night's figures: \"time\" is no date") + kRemedy);
  }
  CHECK(error_with("/kernels/kernel_000/cases/case_0/blocks", -1) ==
        std::string("untrusted: the figures of record 7: is no night's figures: "
                    "\"kernels.kernel_000.cases.case_0.blocks\" is not a whole number from 0") +
            kRemedy);
  CHECK(error_with("/more", 1) ==
        std::string("untrusted: the figures of record 7: is no night's figures: it has a key that is not known") +
            kRemedy);
  CHECK(error_with("/schema", "kgate.night/2") ==
        "untrusted: the figures of record 7: has the schema \"kgate.night/2\", not \"kgate.night/1\"; use a newer "
        "kgate");
  CHECK(error_of([] { night_from("{", "the figures of record 7"); }).rfind("untrusted: the figures of record 7: ", 0) ==
        0);
}

TEST_CASE("of an imported result the time of what was compared with counts, with its record where it is one") {
  verdict::Result result;
  result.started = "2026-05-01T01:00:00Z";
  bench::SimulatedHistory simulated;
  result.fingerprint = simulated.fingerprint_of(0);
  result.backend = "cuda";
  verdict::KernelResult kernel;
  kernel.name = "softmax";
  verdict::Comparison against;
  against.against = "accepted";
  against.sequence = 12;
  against.artifact = "recorded";
  kernel.comparisons.push_back(against);
  verdict::CaseResult timed;
  timed.name = "wide";
  timed.time.emplace();
  timed.time->base_us = 20;
  timed.time->candidate_us = 30;
  verdict::CaseResult untimed;
  untimed.name = "odd";
  kernel.cases = {timed, untimed};
  result.kernels.push_back(kernel);
  kernel.name = "not timed";
  kernel.cases = {untimed};
  result.kernels.push_back(kernel);
  const auto night = night_of(result);
  CHECK(night.hardware == simulated.night(0).hardware);
  CHECK(night.architecture == "sm_90");
  REQUIRE(night.kernels.size() == 1);
  CHECK(night.kernels.at("softmax").accepted == 12);
  CHECK_FALSE(night.kernels.at("softmax").compiled_here);
  REQUIRE(night.kernels.at("softmax").cases.size() == 1);
  CHECK(night.kernels.at("softmax").cases.at("wide").us == 20);
  result.kernels[0].cases[0].time->base_us = HUGE_VAL;
  result.fingerprint["device"] = "x";
  CHECK(night_of(result).kernels.empty());
  CHECK(night_of(result).architecture.empty());
}

TEST_CASE("a clock that went back is told before anything is measured") {
  constexpr std::int64_t kNow = 1767225600;  // 2026-01-01
  check_clock("", kNow);
  check_clock("2026-01-01T00:59:00Z", kNow);
  CHECK(error_of([] { check_clock("2026-03-01T02:00:00Z", kNow); }) ==
        "environment: this machine's clock: says 2026-01-01T00:00:00Z, and the newest night of the history is dated "
        "2026-03-01T02:00:00Z; set the clock; where it is right, that record has to go: docs/ledger.md says how");
}
