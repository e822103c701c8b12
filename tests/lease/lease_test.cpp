#include "gate/lease/lease.h"

#include <csignal>
#include <thread>

#include <unistd.h>

#include "gate/lease/status.h"
#include "tests/base/in_child.h"
#include "tests/lease/lease_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::lease;
using namespace std::chrono_literals;

TEST_CASE("a GPU is leased once, and again when its holder gives it up") {
  const LeaseFixture fixture;
  Lease first = acquire(fixture.request());
  CHECK(first);
  CHECK(first.device() == "GPU-1");
  CHECK(!try_acquire(fixture.request()));
  first.release();
  CHECK(!first);
  CHECK(try_acquire(fixture.request()));
}

TEST_CASE("a lease ends with its object, and nothing is left in the folder") {
  const LeaseFixture fixture;
  { const Lease lease = acquire(fixture.request()); }
  CHECK(fixture.files().empty());
}

TEST_CASE("other devices are leased apart") {
  const LeaseFixture fixture;
  const Lease gpu = acquire(fixture.request());
  for (const char* device : {"GPU-2", "MIG-1", "host", "GPU-10"}) {
    auto other = fixture.request();
    other.device = device;
    CHECK(try_acquire(other));
  }
}

TEST_CASE("what is no device's name is refused") {
  const LeaseFixture fixture;
  for (const char* device : {"", "a.b", "../etc", "GPU 1"}) {
    auto request = fixture.request();
    request.device = device;
    CHECK(error_of([&] { acquire(request); }) ==
          "usage: \"" + std::string(device) +
              "\": is no device that can be leased; name a GPU's UUID as nvidia-smi -L shows it, or \"host\"");
  }
}

TEST_CASE("a wait has an end, which names the holder, its job, how long it has held, and the remedy") {
  const LeaseFixture fixture;
  auto holding = fixture.request("nightly drift");
  holding.who.user = "anna";
  holding.who.host = "gpu-3";
  holding.who.pid = 71;
  const Lease held = acquire(holding);
  auto request = fixture.request();
  request.wait = 0s;
  const std::string message = error_of([&] { acquire(request); });
  CHECK(reads(message,
              "environment: GPU-1: was not free within 0 s: it is held by \"nightly drift\" of anna (process 71 on "
              "gpu-3) for ",
              " s, and 0 others wait before this one; see \"kgate lease status\"; wait longer ([lease] wait_s in "
              "the policy; --wait of kgate lease run), or end that job"));
  CHECK(fixture.files().size() == 1);
}

TEST_CASE("who waits is told its place and whom it waits for, and holds when that one is done") {
  const LeaseFixture fixture;
  Lease held = acquire(fixture.request("first"));
  std::vector<Waiting> told;
  auto request = fixture.request("second");
  request.on_wait = [&](const Waiting& waiting) {
    told.push_back(waiting);
    held.release();
  };
  const Lease next = acquire(request);
  REQUIRE(told.size() == 1);
  CHECK(told[0].device == "GPU-1");
  CHECK(told[0].place == 1);
  CHECK(told[0].length == 1);
  CHECK(told[0].holds);
  CHECK(told[0].holder->job == "first");
  CHECK(told[0].holder->pid == ::getpid());
}

TEST_CASE("a holder that is killed gives the GPU up, and the next comer removes what it left") {
  const LeaseFixture fixture;
  OtherProcess other([&] { return acquire(fixture.request("to be killed")); });
  REQUIRE(other.answer() == "ready");
  CHECK(!try_acquire(fixture.request()));
  other.kill();
  CHECK(fixture.files().size() == 1);
  const auto lease = try_acquire(fixture.request());
  REQUIRE(lease);
  CHECK(fixture.files() == std::vector<std::string>{text_of(lease->ticket())});
}

namespace {

// A child of whoever starts it, that has all its descriptors (as a command has the one that is handed to it) and ends
// when the object goes.
class LongChild {
 public:
  LongChild() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~LongChild() { end(); }
  LongChild(const LongChild&) = delete;
  LongChild& operator=(const LongChild&) = delete;
  void start() const {
    if (::fork() != 0) return;
    ::close(ends_[1]);
    char byte = 0;
    ::_exit(::read(ends_[0], &byte, 1) < 0 ? 1 : 0);
  }
  void end() {
    for (int& descriptor : ends_) {
      if (descriptor >= 0) ::close(descriptor);
      descriptor = -1;
    }
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("a child that inherited the descriptor keeps the lease of a parent that was killed, until it ends too") {
  const LeaseFixture fixture;
  LongChild child;
  OtherProcess parent([&] {
    Lease lease = acquire(fixture.request("parent"));
    child.start();
    return lease;
  });
  REQUIRE(parent.answer() == "ready");
  parent.kill();
  CHECK(!try_acquire(fixture.request()));
  child.end();
  CHECK(becomes_true([&] { return try_acquire(fixture.request()).has_value(); }));
}

TEST_CASE("a lease that is released is free although a child still has the descriptor") {
  const LeaseFixture fixture;
  LongChild child;
  OtherProcess parent([&] {
    Lease lease = acquire(fixture.request("parent"));
    child.start();
    lease.release();
    return lease;
  });
  REQUIRE(parent.answer() == "ready");
  CHECK(try_acquire(fixture.request()));
}

TEST_CASE("a signal ends a wait, and the place is given up") {
  const LeaseFixture fixture;
  const Lease held = acquire(fixture.request());
  CHECK(in_child([&] {
          const Interrupt interrupt;
          auto request = fixture.request();
          request.interrupt = &interrupt;
          request.on_wait = [](const Waiting&) { ::kill(::getpid(), SIGINT); };
          return error_of([&] { acquire(request); });
        }) == "interrupted: interrupted by SIGINT");
  CHECK(fixture.files().size() == 1);
}

TEST_CASE("several devices are taken in one order, whatever order they are asked in, and once each") {
  const LeaseFixture fixture;
  const auto leases = acquire_all({"GPU-2", "GPU-1", "GPU-2"}, fixture.request());
  REQUIRE(leases.size() == 2);
  CHECK(leases[0].device() == "GPU-1");
  CHECK(leases[1].device() == "GPU-2");
  CHECK(lease::variable_of(leases) == "GPU-1.1.1,GPU-2.1.1");
}

TEST_CASE("of several devices none is kept where one cannot be had") {
  const LeaseFixture fixture;
  auto second = fixture.request();
  second.device = "GPU-2";
  const Lease held = acquire(second);
  auto request = fixture.request();
  request.wait = 0s;
  CHECK(error_of([&] { acquire_all({"GPU-1", "GPU-2"}, request); }).starts_with("environment: GPU-2: was not free"));
  CHECK(try_acquire(fixture.request()));
}

TEST_CASE("a lease whose file was removed is lost, and says so") {
  const LeaseFixture fixture;
  const Lease lease = acquire(fixture.request());
  CHECK_NOTHROW(lease.check());
  std::filesystem::remove(fixture.folder() / text_of(lease.ticket()));
  CHECK(
      error_of([&] { lease.check(); }) ==
      "environment: " + (fixture.folder() / text_of(lease.ticket())).string() +
          ": was removed while GPU-1 was leased, so another job may use it too; leave the files in that folder alone; "
          "kgate removes its own");
}
