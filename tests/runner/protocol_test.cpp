#include "runner/protocol.h"

#include <limits>

#include "base/philox.h"
#include "runner/plausible.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

TimeJob time_job() {
  Launch launch;
  launch.entry = "softmax<256>";
  launch.grid = {7, 8, 9};
  launch.block = {256, 1, 1};
  launch.shared_bytes = 1024;
  launch.cluster = std::array<std::uint32_t, 3>{2, 1, 1};
  launch.arguments = {{0, {}}, {std::nullopt, bytes_of("abcd")}};
  Launch delay;
  delay.entry = "delay";
  delay.code = 9;
  TimeJob job;
  job.arms = {{0, {launch}}, {1, {launch, launch}, {delay}}};
  job.regime = Regime::fresh;
  job.stretch_ms = 200.5;
  job.blocks = 12;
  job.seed = ~0ull;
  job.cache = CacheState::cold;
  job.checked = {0, 3, 11};
  job.looks = ~0ull - 1;
  job.keep = 1;
  job.whole = 1;
  return job;
}

CompileJob compile_job() {
  CompileJob job;
  job.backend = "host";
  job.files = {{"a.cu", bytes_of("text")}, {"b.cuh", {}}};
  job.sources = {"a.cu"};
  job.defines = {{"BLOCK", "256"}};
  job.entries = {"a<1>"};
  job.toolkit.host_compiler = "/usr/bin/g++";
  return job;
}

}  // namespace

TEST_CASE("every body survives the way there and back") {
  CHECK(encode(decode_time_job(encode(time_job()))) == encode(time_job()));
  const TimeJob decoded = decode_time_job(encode(time_job()));
  CHECK(decoded.regime == Regime::fresh);
  CHECK(decoded.stretch_ms == 200.5);
  CHECK(decoded.arms[1].tail.at(0).code == 9u);
  CHECK(decoded.arms[1].launches.at(0).code == std::nullopt);
  CHECK(encode(decode_write_job(encode(WriteJob{3, 7}))) == encode(WriteJob{3, 7}));
  CHECK(decode_write_job({{"buffer", 2}}).variant == 0);
  CHECK(encode(decode_compile_job(encode(compile_job()))) == encode(compile_job()));
  Compiled compiled{Compiled::Status::ok, "log", bytes_of(std::string_view("\0\xff", 2)), {{"a", "_Za"}}, 3};
  CHECK(encode(decode_compiled(encode(compiled))) == encode(compiled));
  const Disassembly disassembly{"text \xff", "trouble"};
  CHECK(encode(decode_disassembly(encode(disassembly))) == encode(disassembly));
  Loaded loaded;
  loaded.resources["a"] = {32, 1024, 8, 5000};
  loaded.parameter_bytes["a"] = {8, 4};
  CHECK(encode(decode_loaded(encode(loaded))) == encode(loaded));
  Allocation allocation{{{"y", BufferRole::inout, DType::bf16, 64, true}}, 1u << 30};
  CHECK(encode(decode_allocation(encode(allocation))) == encode(allocation));
  TimeOutcome outcome;
  outcome.launches_per_sample = 40;
  outcome.regime = "graph";
  outcome.moved = false;
  outcome.us = {{1.5, 2.5}, {3.5, 4.5}};
  outcome.checked = {{1, 3, 2, true, {{0, "ab"}, {4, "cd"}}, {{0, "wrote out of bounds"}}}};
  CHECK(encode(decode_time_outcome(encode(outcome))) == encode(outcome));
  DeviceInfo info{"cuda", "NVIDIA H200", "GPU-1", "sm_90", 132, 1, 2, 3, 13000, 4};
  CHECK(encode(decode_device_info(encode(info))) == encode(info));
  const Error error(ErrorKind::environment, "s", "f", "h");
  CHECK(decode_error(encode(error)).what() == std::string("s: f; h"));
}

TEST_CASE("a body with a missing key, a wrong type or a number out of range is refused with its name") {
  Json job = encode(time_job());
  job.erase("blocks");
  CHECK(error_of([&] { decode_time_job(job); }) == "internal: runner protocol: \"blocks\" is missing");
  job["blocks"] = 1ull << 40;
  CHECK(error_of([&] { decode_time_job(job); }) ==
        "internal: runner protocol: \"blocks\" has the wrong type or is out of range");
  job["blocks"] = "many";
  CHECK(error_of([&] { decode_time_job(job); }) ==
        "internal: runner protocol: \"blocks\" has the wrong type or is out of range");
  job["blocks"] = -1;
  CHECK(error_of([&] { decode_time_job(job); }) ==
        "internal: runner protocol: \"blocks\" has the wrong type or is out of range");
  job["blocks"] = 12;
  job["cache"] = 7;
  CHECK(error_of([&] { decode_time_job(job); }) == "internal: runner protocol: \"cache\" is out of range");
}

TEST_CASE("a regime, a length, a variant or a code out of range is refused") {
  const std::string refused = "internal: runner protocol: ";
  const auto with = [](const char* key, const Json& value) {
    Json job = encode(time_job());
    job[key] = value;
    return error_of([&] { decode_time_job(job); });
  };
  CHECK(with("regime", 2) == refused + "\"regime\" is out of range");
  CHECK(with("stretch_ms", 10000) == "no error");
  for (const Json& length : {Json(-1.0), Json(10000.5), Json(std::numeric_limits<double>::infinity()),
                             Json(std::numeric_limits<double>::quiet_NaN())}) {
    CHECK(with("stretch_ms", length) == refused + "\"stretch_ms\" is out of range");
  }
  CHECK(with("stretch_ms", "long") == refused + "\"stretch_ms\" has the wrong type or is out of range");
  CHECK(with("sample_us", -1.0) == refused + "\"sample_us\" is out of range");
  Json job = encode(time_job());
  job["arms"][1]["tail"][0]["code"] = -1;
  CHECK(error_of([&] { decode_time_job(job); }) == refused + "\"code\" has the wrong type or is out of range");
  job["arms"][1].erase("tail");
  CHECK(error_of([&] { decode_time_job(job); }) == refused + "\"tail\" is missing");
  CHECK(error_of([] { decode_write_job({{"buffer", 0}, {"variant", 8}}); }) == refused + "\"variant\" is out of range");
  CHECK(error_of([] {
          decode_write_job({{"buffer", 0}, {"variant", -1}});
        }) == refused + "\"variant\" has the wrong type or is out of range");
}

TEST_CASE("checked blocks are those of the job, each once and in order") {
  const auto with = [](const Json& checked) {
    Json job = encode(time_job());
    job["checked"] = checked;
    return error_of([&] { decode_time_job(job); });
  };
  CHECK(with(Json::array()) == "no error");
  CHECK(with({0, 12}) == "internal: runner protocol: \"checked\" names a block that is not in the job");
  CHECK(with({3, 3}) == "internal: runner protocol: \"checked\" is not ascending");
  CHECK(with({4, 3}) == "internal: runner protocol: \"checked\" is not ascending");
}

TEST_CASE("times that cannot be are refused: as no times, or as a failure of the machine") {
  TimeOutcome outcome;
  outcome.us = {{1.0}};
  for (const Json& time : {Json(nullptr), Json("1")}) {
    Json body = encode(outcome);
    body["us"][0][0] = time;
    CHECK(error_of([&] { decode_time_outcome(body); }).starts_with("internal: runner protocol:"));
  }
  TimeJob job;
  job.arms.resize(1);
  job.blocks = 1;
  for (const double time : {0.0, -1.0, std::numeric_limits<double>::infinity(), 3e6}) {
    Json body = encode(outcome);
    body["us"][0][0] = time;
    CHECK(error_of([&] {
            require_plausible(job, decode_time_outcome(body), 1);
          }).starts_with("environment: measured times:"));
  }
  require_plausible(job, outcome, 1);
}

TEST_CASE("mutated bodies only ever give an error of the protocol") {
  RandomStream random(9, 0);
  const std::vector<Json> bodies{encode(time_job()), encode(compile_job())};
  const std::vector<Json> values{
      nullptr, true, -1, 1u << 31, 1.5, "x", Json::array(), Json::object(), Json::array({1, 2, 3})};
  for (int trial = 0; trial < 4000; ++trial) {
    Json body = bodies[trial % 2];
    Json* place = &body;
    while (place->is_structured() && !place->empty()) {
      auto item = place->begin();
      for (auto skip = random.below(place->size()); skip > 0; --skip) ++item;
      place = &*item;
      if (random.below(3) == 0) break;
    }
    *place = values[random.below(values.size())];
    const auto outcome =
        error_of([&] { trial % 2 == 0 ? void(decode_time_job(body)) : void(decode_compile_job(body)); });
    CHECK((outcome == "no error" || outcome.starts_with("internal: runner protocol:")));
  }
}

TEST_CASE("what a child says of its sandbox comes back as it was; a reply that says nothing means none") {
  SandboxReport report;
  report.level = SandboxLevel::seccomp;
  report.landlock_abi = 3;
  report.note = "this kernel has no Landlock";
  report.relaxed = "everything";
  const SandboxReport back = decode_sandbox_report({{"sandbox", encode(report)}});
  CHECK(back.level == SandboxLevel::seccomp);
  CHECK(back.landlock_abi == 3);
  CHECK(back.note == report.note);
  CHECK(back.relaxed == report.relaxed);
  CHECK(decode_sandbox_report(Json::object()).level == SandboxLevel::none);
  CHECK(decode_sandbox_report(Json::array()).level == SandboxLevel::none);
  Json broken = {{"sandbox", encode(report)}};
  broken["sandbox"]["level"] = 3;
  CHECK(error_of([&] { decode_sandbox_report(broken); }) == "internal: runner protocol: \"level\" is out of range");
  CHECK(error_of([] {
          decode_sandbox_report({{"sandbox", 1}});
        }) == "internal: runner protocol: no map where \"level\" is looked for");
}

TEST_CASE("what was tried in a sandbox comes back as it was") {
  SandboxTrial trial;
  trial.probes = {{"read /etc/passwd", 13, {}}, {"open the GPU", kNotThere, {}}, {"start", 0, "it compiles"}};
  trial.limits = {"open files: 1024"};
  trial.used_device = true;
  trial.trouble = "no device";
  const SandboxTrial back = decode_sandbox_trial(encode(trial));
  REQUIRE(back.probes.size() == 3);
  CHECK(back.probes[0].what == "read /etc/passwd");
  CHECK(back.probes[0].error == 13);
  CHECK(back.probes[1].error == kNotThere);
  CHECK(back.probes[2].needed == "it compiles");
  CHECK(back.limits == trial.limits);
  CHECK(back.used_device);
  CHECK(back.trouble == "no device");
  CHECK(error_of([] { decode_sandbox_trial(Json::object()); }) == "internal: runner protocol: \"probes\" is missing");
}

TEST_CASE("levels have the policy's names, and no others") {
  for (const SandboxLevel level : {SandboxLevel::none, SandboxLevel::seccomp, SandboxLevel::landlock})
    CHECK(sandbox_level_from_name(name_of(level)) == level);
  CHECK(error_of([] { sandbox_level_from_name("best"); }) ==
        "usage: sandbox \"best\": is no level; use none, seccomp or landlock");
}
