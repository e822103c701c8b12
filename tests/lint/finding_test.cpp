#include "gate/lint/finding.h"

#include "tests/support/catch.h"

using namespace kgate::lint;

TEST_CASE("what the base has already is marked wherever it stands, once for each that the base has") {
  Findings candidate{{kDeviceVariables, ".nv.global", "counter, 4 bytes", false},
                     {kDeviceVariables, ".nv.global", "memory, 64 bytes", false},
                     {kDeviceLaunches, "k.cu:12", "f<<<1, 1>>>();", false},
                     {kDeviceLaunches, "k.cu:13", "f<<<1, 1>>>();", false}};
  mark_known(candidate, {{kDeviceVariables, ".nv.global.init", "counter, 4 bytes", false},
                         {kDeviceVariables, ".nv.global", "memory, 32 bytes", false},
                         {kDeviceLaunches, "k.cu:3", "f<<<1, 1>>>();", false}});
  CHECK(candidate[0].in_base);
  CHECK_FALSE(candidate[1].in_base);  // it grew
  CHECK(candidate[2].in_base);
  CHECK_FALSE(candidate[3].in_base);  // the base has one
}
