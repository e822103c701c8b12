#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "gate/report/report.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using kgate::Json;
using kgate::verdict::result_from_json;
using kgate::verdict::to_json;

namespace {

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a result survives being written and read") {
  for (const Sample& sample : samples()) {
    INFO(sample.name);
    const Json json = to_json(sample.result);
    CHECK(to_json(result_from_json(json, "result.json")) == json);
    const std::string text = kgate::report::write_json(sample.result);
    CHECK(text.back() == '\n');
    CHECK(kgate::parse_json(text, "result.json") == json);
    CHECK(kgate::report::write_json(result_from_json(kgate::parse_json(text, "result.json"), "result.json")) == text);
    CHECK_NOTHROW(kgate::canonical_json(json));
  }
}

TEST_CASE("the keys that others rely on are there, and absent values are left out") {
  const Json json = to_json(sample("regressed"));
  CHECK(json["schema"] == "kgate.result/1");
  CHECK(keys_of(json) == Keys{"backend",     "class",   "command", "device",  "environment", "exit_code",
                              "fingerprint", "kernels", "ledger",  "policy",  "profile",     "reason",
                              "sandbox",     "schema",  "seconds", "seed",    "shard",       "source",
                              "started",     "timings", "tool",    "verdict", "warnings"});
  CHECK(keys_of(json["tool"]) == Keys{"commit", "name", "version"});
  CHECK(keys_of(json["source"]) == Keys{"base", "commit", "dirty"});
  CHECK(keys_of(json["policy"]) == Keys{"commit", "digest", "ref"});
  CHECK(keys_of(json["device"]) == Keys{"name", "uuid"});
  CHECK(json["sandbox"] == Json::parse(R"({"level": "landlock"})"));
  CHECK(keys_of(json["shard"]) == Keys{"index", "planned", "total"});
  CHECK(keys_of(json["timings"]) == Keys{"check_s", "compile_s", "idle_s", "time_s", "total_s", "wait_s"});
  const Json& kernel = json["kernels"][1];
  CHECK(keys_of(kernel) == Keys{"candidate", "cases", "code", "comparisons", "compiler_log", "diff", "name", "path",
                                "reason", "resources", "verdict", "warnings"});
  CHECK(keys_of(kernel["candidate"]) == Keys{"cases", "cases_revision", "cases_signers", "code", "sources"});
  CHECK(keys_of(kernel["comparisons"][0]) == Keys{"against", "artifact", "commit", "high", "low", "ratio", "verdict"});
  CHECK(keys_of(kernel["resources"]) == Keys{"base", "candidate"});
  CHECK(keys_of(kernel["resources"]["base"]) == Keys{"code_bytes", "registers", "shared_bytes", "spill_bytes"});
  CHECK(keys_of(kernel["diff"]) == Keys{"error_growth", "launch", "machine_code", "options", "source"});
  CHECK(keys_of(json["kernels"][0]["diff"]) == Keys{"launch", "options", "source"});
  CHECK(keys_of(kernel["cases"][0]) == Keys{"name", "numerics", "reason", "role", "sizes", "verdict"});
  CHECK(keys_of(kernel["cases"][1]["time"]) == Keys{"base_us", "blocks", "candidate_us", "checked", "dropped", "gbps",
                                                    "high", "launches_per_sample", "low", "p95_ratio", "ratio",
                                                    "regime", "rounds", "trace"});
  CHECK(keys_of(kernel["cases"][0]["numerics"]["y"]) ==
        Keys{"base_rms", "bias", "elements", "first_mismatch", "max_abs", "max_rel", "mismatched", "rms"});
  CHECK_FALSE(to_json(sample("missing"))["kernels"][1].contains("code"));
  CHECK_FALSE(to_json(sample("missing"))["kernels"][1].contains("resources"));
}

TEST_CASE("machine code is told by instructions of each kind, and what changed of them, or why it was not counted") {
  CHECK(to_json(sample("regressed"))["kernels"][1]["diff"]["machine_code"] == Json::parse(R"({
      "before": {"fp32": 190, "global_load": 8, "other": 214, "total": 412},
      "after": {"fp32": 152, "fp64": 38, "global_load": 8, "local_load": 12, "local_store": 12, "other": 264,
                "total": 486},
      "changes": {"fp32": -38, "fp64": 38, "local_load": 12, "local_store": 12, "other": 50}})"));
  CHECK(to_json(sample("creep"))["kernels"][0]["diff"]["machine_code"] ==
        Json{{"not_counted", "nvdisasm, which cuobjdump needs too, is not installed"}});
}

TEST_CASE("what differs from an accepted version has a place of its own, with the times of every case beside it") {
  const Json json = to_json(sample("creep"));
  const Json& kernel = json["kernels"][0];
  REQUIRE(kernel["accepted_diffs"].size() == 1);
  const Json& diff = kernel["accepted_diffs"][0];
  CHECK(keys_of(diff) == Keys{"against", "error_growth", "fingerprint", "launch", "machine_code", "options",
                              "resources", "sequence", "source"});
  CHECK(diff["sequence"] == 11);
  CHECK(diff["resources"]["registers"] == 32);
  CHECK(diff["error_growth"] == Json{{"y", 0.5}});
  CHECK(diff["fingerprint"][0] == Json{{"axis", "driver"},
                                       {"field", "version"},
                                       {"before", "570.133.20"},
                                       {"after", "580.65.06"},
                                       {"timing", "times may change either way"}});
  const Json& beside = kernel["cases"][1]["comparisons"];
  REQUIRE(beside.size() == 3);
  CHECK(keys_of(beside[1]) == Keys{"against", "reason", "time", "verdict"});
  CHECK(keys_of(beside[1]["time"]) == Keys{"before_us", "candidate_us", "high", "low", "ratio", "zone"});
  CHECK(beside[2] == Json{{"against", "last-release"}, {"reason", ""}, {"verdict", "unchanged"}});
  CHECK_FALSE(kernel["cases"][0].contains("comparisons"));
  CHECK_FALSE(to_json(sample("regressed"))["kernels"][1].contains("accepted_diffs"));
}

TEST_CASE("what the lint and the sanitizer found has keys of its own, where there is any") {
  const Json json = to_json(sample("sanitized"));
  CHECK(keys_of(json["sanitizer"]) == Keys{"available", "findings", "sandbox", "tools", "version"});
  CHECK(keys_of(json["sanitizer"]["findings"][0]) ==
        Keys{"case", "count", "file", "kernel", "kind", "line", "severity", "tool", "what"});
  CHECK(keys_of(json["kernels"][1]["lint"][0]) == Keys{"in_base", "rule", "what", "where"});
  CHECK_FALSE(json["kernels"][0].contains("lint"));
  CHECK_FALSE(to_json(sample("wrong")).contains("sanitizer"));
}

TEST_CASE("numbers that are not finite are words, and come back") {
  const Json json = to_json(sample("wrong"));
  const Json& y = json["kernels"][1]["cases"][1]["numerics"]["y"];
  CHECK(y["first_got"] == "nan");
  CHECK(y["max_rel"] == "inf");
  const auto back = result_from_json(json, "result.json");
  CHECK(std::isnan(back.kernels[1].cases[1].numerics.at("y").first_got));
  CHECK(std::isinf(back.kernels[1].cases[1].numerics.at("y").max_rel));
}

TEST_CASE("what is not a result is refused with the place") {
  const std::string remedy = "; it is not a result.json that kgate wrote, or it was changed since";
  const auto error = [](const auto& spoil) {
    Json json = to_json(sample("regressed"));
    spoil(json);
    return error_of([&] { result_from_json(json, "r.json"); });
  };
  CHECK(error([](Json& json) { json = Json::array(); }) == "usage: r.json: the result must be an object" + remedy);
  CHECK(error([](Json& json) { json.erase("schema"); }) == "usage: r.json: schema is missing" + remedy);
  CHECK(error([](Json& json) { json["schema"] = "kgate.result/2"; }) ==
        "usage: r.json: its schema is \"kgate.result/2\", and this kgate reads kgate.result/1; read it with the kgate "
        "that wrote it");
  CHECK(error([](Json& json) { json.erase("kernels"); }) == "usage: r.json: kernels is missing" + remedy);
  CHECK(error([](Json& json) { json["kernels"] = 3; }) == "usage: r.json: kernels must be an array" + remedy);
  CHECK(error([](Json& json) { json["kernels"][0] = 3; }) == "usage: r.json: kernels[0] must be an object" + remedy);
  CHECK(error([](Json& json) { json["kernels"][1]["cases"][1]["time"]["low"] = "much"; }) ==
        "usage: r.json: kernels[1].cases[1].time.low must be a number" + remedy);
  CHECK(error([](Json& json) { json["kernels"][1]["cases"][0]["sizes"]["rows"] = 1.5; }) ==
        "usage: r.json: kernels[1].cases[0].sizes must be an integer" + remedy);
  CHECK(error([](Json& json) { json["kernels"][1]["cases"][0]["numerics"]["y"]["first_mismatch"] = {-1}; }) ==
        "usage: r.json: kernels[1].cases[0].numerics.y.first_mismatch must not be negative" + remedy);
  CHECK(error([](Json& json) { json["kernels"][1]["diff"]["machine_code"]["after"]["fp64"] = -1; }) ==
        "usage: r.json: kernels[1].diff.machine_code.after.fp64 must not be negative" + remedy);
  CHECK(error([](Json& json) { json["kernels"][1]["diff"]["machine_code"].erase("before"); }) ==
        "usage: r.json: kernels[1].diff.machine_code.before is missing" + remedy);
  CHECK(error([](Json& json) { json["kernels"][1]["diff"]["error_growth"]["y"] = "more"; }) ==
        "usage: r.json: kernels[1].diff.error_growth.y must be a number" + remedy);
  CHECK(error([](Json& json) {
          json["kernels"][1]["accepted_diffs"] = Json::array({Json{{"against", "accepted"}}});
        }) == "usage: r.json: kernels[1].accepted_diffs[0].sequence is missing" + remedy);
  CHECK(error([](Json& json) { json["exit_code"] = 1ULL << 40; }) ==
        "usage: r.json: exit_code is out of range" + remedy);
  CHECK(error([](Json& json) { json["shard"]["total"] = ~0ULL; }) ==
        "usage: r.json: shard.total is out of range" + remedy);
  CHECK(error([](Json& json) { json["source"]["dirty"] = 0; }) ==
        "usage: r.json: source.dirty must be true or false" + remedy);
  CHECK(error([](Json& json) { json["warnings"] = {1}; }) ==
        "usage: r.json: warnings must be an array of strings" + remedy);
  CHECK(error([](Json& json) { json["kernels"][1]["verdict"] = "passed"; }) ==
        "usage: r.json: kernels[1].verdict: verdict \"passed\" is not known; did you mean \"pass\"?");
}

TEST_CASE("keys of a later kgate are skipped") {
  Json json = to_json(sample("regressed"));
  const Json before = json;
  json["future"] = {1, 2};
  json["kernels"][0]["forecast"] = Json::object();
  json["kernels"][1]["diff"]["machine_code"]["after"]["quantum"] = 7;
  CHECK(to_json(result_from_json(json, "r.json")) == before);
}
