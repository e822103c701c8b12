#include "gate/search/evaluate/memory_floor.h"

#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;

namespace {

constexpr const char* kCases = R"(schema = "kgate.cases/1"
kernel = "copy"
revision = 1
[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]
[reference]
sources = ["reference.cu"]
entry = "copy_reference"
grid = ["1", "1", "1"]
block = [1, 1, 1]
WORK
[[case]]
name = "large"
role = "performance"
sizes = { n = 100000000 }
inputs = { x = { uniform = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 0.0 } }
)";

cases::CasesSpec cases_with(const std::string& work) {
  std::string text = kCases;
  text.replace(text.find("WORK"), 4, work);
  return cases::parse_cases(text, "kernels/copy/cases.toml");
}

}  // namespace

TEST_CASE("no version can move a case's bytes, less what the cache may hold, faster than the memory does") {
  runner::DeviceInfo device;
  device.backend = "cuda";
  device.l2_bytes = 50000000;
  const auto cases = cases_with("[work]\nbytes = \"8 * n\"");
  CHECK(memory_floor_us(cases, cases.cases[0], device, 1e12) == Approx(750));
  device.l2_bytes = 800000000;  // all of it
  CHECK(memory_floor_us(cases, cases.cases[0], device, 1e12) == 0);
  device.l2_bytes = 2000000000;
  CHECK(memory_floor_us(cases, cases.cases[0], device, 1e12) == 0);
}

TEST_CASE("there is no floor where the work or the memory's speed is not known") {
  runner::DeviceInfo device;
  device.backend = "cuda";
  const auto silent = cases_with("");
  CHECK(memory_floor_us(silent, silent.cases[0], device, 1e12) == 0);
  const auto cases = cases_with("[work]\nbytes = \"8 * n\"");
  CHECK(memory_floor_us(cases, cases.cases[0], device, 0) == 0);
}
