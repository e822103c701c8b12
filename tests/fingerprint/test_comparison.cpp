#include "fingerprint/comparison.h"
#include "fingerprint/fingerprint.h"
#include "fingerprint/timing_effects.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::fingerprint;

namespace {

Json recorded() {
  return Json::parse(R"({
    "schema": "kgate.fingerprint/1",
    "driver": {"version": "580.65.06", "cuda": "13.0"},
    "toolkit": {"nvrtc": "13.0", "ptxas": "13.0.48", "root": "/usr/local/cuda"},
    "device": {"kind": "cuda", "name": "NVIDIA H200", "architecture": "sm_90", "memory_bytes": 150, "mig": "disabled",
               "mig_profile": "none", "power_limit_mw": 700000, "uuid": "GPU-1"},
    "state": {"throttle_reasons": [], "processes": [], "temperature_c": 31},
    "host": {"kernel": "Linux 6.1", "governor": "performance"},
    "environment": {"CUDA_HOME": "/a"}})");
}

std::string text(const Comparison& comparison) {
  std::string all;
  for (const auto& line : lines_of(comparison)) all += line + "\n";
  return all;
}

}  // namespace

TEST_CASE("two equal fingerprints have no differences and one class") {
  const auto same = compare(recorded(), recorded());
  CHECK(same.differences.empty());
  CHECK(same.times_compare());
  CHECK(text(same) == "no differences\nclass: " + class_of(recorded()) + " on both sides; stored times compare\n");
}

TEST_CASE("differences are told axis by axis, with what each may do to times, and the class last") {
  Json after = recorded();
  after["driver"]["version"] = "590.2";
  after["toolkit"]["ptxas"] = "13.0.88";
  after["toolkit"]["root"] = "/opt/cuda";
  after["device"]["power_limit_mw"] = 500000;
  after["state"]["throttle_reasons"] = {"sw_power_cap", "hw_slowdown"};
  after["state"]["processes"] =
      Json::parse(R"([{"pid": 7, "name": "python3", "memory_bytes": 1}, {"pid": 8, "name": ""}])");
  after["state"]["temperature_c"] = "unknown, because GPU 0: lost";
  after["host"].erase("governor");
  after["host"]["colour"] = "green";
  after["environment"] = {{"CUDA_LAUNCH_BLOCKING", "1"}, {"CUDA_CACHE_PATH", ""}};
  const auto comparison = compare(recorded(), after);
  CHECK(text(comparison) ==
        "driver.version: 580.65.06 -> 590.2; the driver schedules launches, sets clocks and compiles PTX: times may "
        "change either way\n"
        "toolkit.ptxas: 13.0.48 -> 13.0.88; other machine code is possible: times may change either way\n"
        "toolkit.root: /usr/local/cuda -> /opt/cuda; a path alone changes no times\n"
        "device.power_limit_mw: 700000 -> 500000; kernels that reach the limit run at lower clocks\n"
        "state.processes: none -> python3 (pid 7), a process (pid 8); others on the GPU take time and bandwidth while "
        "they run\n"
        "state.temperature_c: 31 -> unknown, because GPU 0: lost; nobody can tell, one side is unknown\n"
        "state.throttle_reasons: none -> sw_power_cap, hw_slowdown; what holds the clock down makes kernels slower "
        "while it lasts\n"
        "host.colour: not recorded -> green; nobody can tell, one side is not recorded\n"
        "host.governor: performance -> not recorded; nobody can tell, one side is not recorded\n"
        "environment.CUDA_CACHE_PATH: not set -> empty; kgate's kernels run without it; times of other programs may "
        "change\n"
        "environment.CUDA_HOME: /a -> not set; another toolkit may be found: then other machine code, and times change "
        "either way\n"
        "environment.CUDA_LAUNCH_BLOCKING: not set -> 1; kgate's kernels run without it; times of other programs may "
        "change\n"
        "class: " +
            class_of(recorded()) + " -> " + class_of(after) + "; stored times do not compare\n");
  CHECK(!comparison.times_compare());
}

TEST_CASE("as JSON the same comparison has a schema, the classes and one object a difference") {
  Json after = recorded();
  after["host"]["kernel"] = "Linux 6.8";
  const std::string same = class_of(after);
  CHECK(json_of(compare(recorded(), after)) ==
        Json{{"schema", "kgate.fingerprint-comparison/1"},
             {"class", {{"before", same}, {"after", same}, {"unknown", Json::array()}}},
             {"times_compare", true},
             {"differences", Json::array({{{"axis", "host"},
                                           {"field", "kernel"},
                                           {"before", "Linux 6.1"},
                                           {"after", "Linux 6.8"},
                                           {"timing", timing_effect("host", "kernel")}}})}});
}

TEST_CASE("two GPUs that nobody could read are not of one class") {
  Json blind = recorded();
  blind["device"] = {{"kind", "cuda"}, {"name", "unknown, because libnvidia-ml.so.1 was not found"}};
  const auto comparison = compare(blind, blind);
  CHECK(comparison.class_before == comparison.class_after);
  CHECK(!comparison.times_compare());
  CHECK(text(comparison) ==
        "no differences\nclass: cannot be told, because device.architecture, device.memory_bytes, device.name are "
        "unknown; stored times do not compare\n");
}

TEST_CASE("comparing never fails, whatever the two values are") {
  for (const Json& one : {Json(), Json("nonsense"), Json::array(), Json{{"driver", 3}}}) {
    CHECK(compare(one, one).differences.empty());
    CHECK(!compare(one, recorded()).differences.empty());
    CHECK(!compare(one, recorded()).times_compare());
  }
}

TEST_CASE("a fingerprint is read from a file of its own and from a result, an old one without schema too") {
  Json old = recorded();
  old.erase("schema");
  old.erase("environment");
  CHECK(read_fingerprint(recorded().dump(), "a.json") == recorded());
  CHECK(read_fingerprint(old.dump(), "a.json") == old);
  const Json result{{"schema", "kgate.result/1"}, {"fingerprint", recorded()}};
  CHECK(read_fingerprint(result.dump(), "result.json") == recorded());
}

TEST_CASE("a file that is no fingerprint, of another schema or truncated is refused by its name") {
  const auto message = [](const std::string& text) { return error_of([&] { read_fingerprint(text, "a.json"); }); };
  const std::string remedy = "; give a fingerprint.json of a run, or what kgate fingerprint --format json printed";
  CHECK(message("[1]") == "usage: a.json: is no fingerprint: \"driver\" is missing" + remedy);
  CHECK(message(R"({"schema": "kgate.result/1"})") ==
        "usage: a.json: is no fingerprint: \"driver\" is missing" + remedy);
  CHECK(message(R"({"driver": {}, "toolkit": 3})") ==
        "usage: a.json: is no fingerprint: \"toolkit\" is missing" + remedy);
  CHECK(message(R"({"schema": "kgate.fingerprint/2", "driver": {}})") ==
        "usage: a.json: is no fingerprint that this kgate reads: its schema is \"kgate.fingerprint/2\", not "
        "\"kgate.fingerprint/1\"" +
            remedy);
  const std::string whole = recorded().dump();
  for (std::size_t length = 0; length < whole.size(); length += 37)
    CHECK(reads(message(whole.substr(0, length)), "usage: a.json: is not valid JSON at byte ", remedy));
}

TEST_CASE("every field that a fingerprint of this machine has is in the table of effects") {
  FingerprintOptions options;
  options.use_gpu = false;
  const Json taken = take_fingerprint(options, {});
  for (const auto& [axis, fields] : taken.items()) {
    if (!fields.is_object()) continue;
    for (const auto& [field, value] : fields.items()) {
      INFO(axis << '.' << field);
      CHECK(timing_effect(axis, field) != "nothing is known about it");
    }
  }
  CHECK(timing_effect("device", "colour") == "nothing is known about it");
}
