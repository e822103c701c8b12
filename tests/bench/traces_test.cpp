#include "bench/traces.h"

#include <cmath>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "bench/subject.h"
#include "gate/stats/robust.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::bench;

TEST_CASE("a recorded process is replayed in its order, round and round, arms in step") {
  const NoiseModel model =
      trace_model("two", "", {{{10, 11, 12, 13}, {10, 11, 12, 13}}, {{20, 21, 22, 23}, {20, 21, 22, 23}}});
  bool saw_first = false, saw_second = false;
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    Random random(1, trial);
    Subject subject(model, 0, random);
    subject.start_process();
    double last = subject.block().base_us;
    const double floor = last < 15 ? 10 : 20;
    (last < 15 ? saw_first : saw_second) = true;
    for (int i = 0; i < 9; ++i) {
      const Block block = subject.block();
      const double next = std::round(last) - floor >= 3 ? floor : std::round(last) + 1;
      CHECK(std::abs(block.base_us - next) < 1e-9);
      CHECK(block.candidate_us == block.base_us);
      last = block.base_us;
    }
  }
  CHECK(saw_first);
  CHECK(saw_second);
}

TEST_CASE("a planted difference multiplies the recorded times of the candidate") {
  const NoiseModel model = trace_model("one", "", {{{10, 10}, {11, 11}}});
  Random random(1, 0);
  Subject subject(model, 0.02, random);
  const Block block = subject.block();
  CHECK(std::abs(block.base_us - 10) < 1e-9);
  CHECK(std::abs(block.candidate_us - 11 * 1.02) < 1e-9);
}

TEST_CASE("of a pair of kernels, their own ratio is taken out, and a skewed one counts as beyond the stated models") {
  const TemporaryFolder folder("kgate-test");
  const auto line = [](const char* kernel, const char* placement, int process, const char* arm, const char* us) {
    return std::string("{\"kernel\":\"") + kernel + "\",\"placement\":\"" + placement +
           "\",\"process\":" + std::to_string(process) + ",\"arm\":\"" + arm + "\",\"us\":[" + us + "]}\n";
  };
  const char* const placed = "new placement each block, 4 KiB grid";
  write_file_atomic(folder.path() / "h200-idle.jsonl",
                    line("k", "none", 1, "A", "10,10") + line("k", "none", 1, "A2", "10,10"));
  write_file_atomic(folder.path() / "h200-placement.jsonl",
                    line("even", placed, 1, "A", "10,10") + line("even", placed, 1, "B", "11,11") +
                        line("even", "one placement", 2, "A", "1") + line("even", "one placement", 2, "B", "1") +
                        line("skew", placed, 1, "A", "10,10,10,10,10,10,10,10,10,10") +
                        line("skew", placed, 1, "B", "10,10,10,10,10,10,10,10,10,20"));
  const auto models = trace_models(folder.path());
  REQUIRE(models.size() == 4);
  CHECK(models[0].name == "idle k");
  CHECK(models[1].name == "placed even, 4 KiB grid");
  CHECK(models[1].parameters == "recorded: a pair of kernels, mean ratio +10.00 % taken out, 1 processes");
  CHECK(models[1].stated);
  CHECK(models[2].name == "placed skew, 4 KiB grid, trimmed");
  CHECK(models[2].stated);
  CHECK(models[3].name == "placed skew, 4 KiB grid");
  CHECK_FALSE(models[3].stated);
  Random random(1, 0);
  Subject subject(models[1], 0, random);
  const Block block = subject.block();
  CHECK(std::abs(block.candidate_us - block.base_us) < 1e-9);
}

TEST_CASE("a folder without traces is an error that says what to do") {
  const TemporaryFolder folder("kgate-test");
  CHECK_THROWS_AS(trace_models(folder.path()), Error);
}

TEST_CASE("the recorded traces of an H200 become models") {
  const std::filesystem::path folder = KGATE_SOURCE_DIR "/../shared/traces";
  if (!std::filesystem::exists(folder / "h200-idle.jsonl")) KGATE_SKIP("no traces beside this checkout");
  CHECK(trace_models(folder).size() == 24);
}
