#include "bench/lease_fight.h"
#include "tests/lease/lease_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;

TEST_CASE(
    "processes that fight for two leases while some are killed never hold one twice, keep the order and leave "
    "nothing") {
  const LeaseFixture fixture;
  bench::FightOptions options;
  options.folder = fixture.folder();
  options.processes = 10;
  options.acquisitions = 200;
  const auto report = bench::fight(options);
  CHECK(report.breaches == std::vector<std::string>{});
  CHECK(report.acquisitions >= 200);
  CHECK(report.killed_holding + report.killed_waiting + report.killed_otherwise >= 20);
}
