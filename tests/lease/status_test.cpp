#include "gate/lease/status.h"

#include <thread>

#include <unistd.h>

#include "gate/lease/lease.h"
#include "tests/lease/lease_fixture.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::lease;

TEST_CASE("a folder that is not there holds nobody, and is not made by looking") {
  const LeaseFixture fixture;
  const auto seen = read_status(fixture.folder());
  CHECK(seen.devices.empty());
  CHECK(seen.remarks.empty());
  CHECK(!std::filesystem::exists(fixture.folder()));
}

TEST_CASE("the state of the queue is each device's holder and who waits, in order") {
  const LeaseFixture fixture;
  auto host = fixture.request("on the host", Priority::nightly);
  host.device = "host";
  const Lease first = acquire(host);
  Lease second = acquire(fixture.request("on the GPU"));
  std::thread waiting([&] { const Lease lease = acquire(fixture.request("a release", Priority::release)); });
  REQUIRE(becomes_true([&] { return read_status(fixture.folder()).devices.at(0).waiting.size() == 1; }));
  const auto seen = read_status(fixture.folder());
  second.release();
  waiting.join();
  REQUIRE(seen.devices.size() == 2);
  CHECK(seen.devices[0].device == "GPU-1");
  REQUIRE(seen.devices[0].holder);
  CHECK(seen.devices[0].holder->claim.job == "on the GPU");
  CHECK(seen.devices[0].holder->owner == ::geteuid());
  CHECK(seen.devices[0].holder->for_s >= 0);
  CHECK(seen.devices[0].waiting[0].claim.job == "a release");
  CHECK(seen.devices[0].waiting[0].priority == Priority::release);
  CHECK(seen.devices[0].waiting[0].ticket == "GPU-1.0.2");
  CHECK(seen.devices[1].device == "host");
  CHECK(seen.devices[1].waiting.empty());
}

TEST_CASE("looking removes what dead processes left") {
  const LeaseFixture fixture;
  OtherProcess other([&] { return acquire(fixture.request()); });
  REQUIRE(other.answer() == "ready");
  other.kill();
  CHECK(read_status(fixture.folder()).devices.empty());
  CHECK(fixture.files().empty());
}
