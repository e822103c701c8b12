#include "gate/verdict/timing/device_differences.h"

#include "tests/support/catch.h"

using namespace kgate;
using verdict::DeviceTimes;

namespace {

DeviceTimes device(const std::string& name, double memory_factor, double compute_factor) {
  DeviceTimes times{name, {}};
  int i = 0;
  for (const double us : {12.0, 40.0, 88.0})
    times.cases["row" + std::to_string(i++) + ": wide"] = {us * memory_factor, "memory"};
  for (const double us : {230.0, 410.0})
    times.cases["gemm" + std::to_string(i++) + ": big"] = {us * compute_factor, "compute"};
  return times;
}

}  // namespace

TEST_CASE("a GPU whose memory is slower than the others' is named with what it is slower at") {
  const auto found = verdict::compare_devices(
      {device("GPU 0", 1, 1), device("GPU 1", 1.002, 0.999), device("GPU 2", 0.999, 1.001), device("GPU 3", 1.024, 1)});
  REQUIRE(found.size() == 1);
  CHECK(verdict::words_of(found.front()) == "GPU 3 is 2.4 % slower (+- 1.0 %) on memory-bound kernels than the others");
  CHECK(found.front().cases == 3);
}

TEST_CASE("of two GPUs that differ the slower one is told") {
  const auto found = verdict::compare_devices({device("GPU 0", 1, 1), device("GPU 1", 1.05, 1.05)});
  REQUIRE(found.size() == 2);
  CHECK(found[0].device == "GPU 1");
  CHECK(found[1].device == "GPU 1");
}

TEST_CASE("GPUs that agree within what processes of one GPU differ by are not told apart") {
  CHECK(verdict::compare_devices({device("GPU 0", 1, 1), device("GPU 1", 1.009, 0.992)}).empty());
}

TEST_CASE("a difference in one kernel of several is no difference of the GPU") {
  auto other = device("GPU 1", 1, 1);
  other.cases["row1: wide"].us *= 1.3;
  CHECK(verdict::compare_devices({device("GPU 0", 1, 1), other}).empty());
}

TEST_CASE("one GPU alone, and GPUs without a case in common, are not compared") {
  CHECK(verdict::compare_devices({}).empty());
  CHECK(verdict::compare_devices({device("GPU 0", 1, 1)}).empty());
  CHECK(verdict::compare_devices({device("GPU 0", 1, 1), {"GPU 1", {{"other: wide", {900, "memory"}}}}}).empty());
}

TEST_CASE("of a record that is damaged only what can be read as a time counts") {
  const Json record{{"schema", "kgate.noise/1"},
                    {"cases", Json::array({{{"kernel", "a"}, {"case", "x"}, {"us", 12.5}, {"bound", "memory"}},
                                           {{"kernel", "b"}, {"case", "x"}, {"us", -1}},
                                           {{"kernel", "c"}, {"case", "x"}, {"us", "12"}},
                                           {{"kernel", "d"}, {"case", "x"}, {"failure", "hangs"}},
                                           "e",
                                           {{"kernel", 5}, {"us", 3}}})}};
  const auto times = verdict::times_of(record, "GPU 0");
  REQUIRE(times.cases.size() == 1);
  CHECK(times.cases.at("a: x").us == 12.5);
  CHECK(times.cases.at("a: x").bound == "memory");
  CHECK(verdict::times_of(Json::array(), "GPU 0").cases.empty());
  CHECK(verdict::times_of({{"schema", "other"}}, "GPU 0").cases.empty());
}
