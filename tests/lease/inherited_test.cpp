#include "gate/lease/inherited.h"

#include <unistd.h>

#include "gate/lease/lease.h"
#include "gate/lease/lease_variable.h"
#include "gate/lease/status.h"
#include "tests/base/in_child.h"
#include "tests/lease/lease_fixture.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::lease;
using namespace std::chrono_literals;

TEST_CASE("the variable names tickets, and rubbish in it names none") {
  CHECK(lease::variable_of(tickets_in("GPU-1.1.1,GPU-2.0.7")) == "GPU-1.1.1,GPU-2.0.7");
  CHECK(tickets_in("").empty());
  CHECK(tickets_in(",,../x,GPU-1.9.1,\n").empty());
}

TEST_CASE(
    "a process does not wait for the lease that its parent holds, and its own children come one after the other") {
  const LeaseFixture fixture;
  const Lease outer = acquire(fixture.request("outer"));
  const std::string answer = in_child([&] {
    auto request = fixture.request("inner");
    request.inherited = text_of(outer.ticket());
    const Lease inner = acquire(request);
    const auto seen = read_status(fixture.folder());
    std::string text = text_of(inner.ticket());
    for (const auto& device : seen.devices) text += " " + device.device + "/" + device.within;
    return text + (try_acquire(request) ? " twice" : " once");
  });
  CHECK(answer == "GPU-1.1.1.1.1 GPU-1/ GPU-1/GPU-1.1.1 once");
}

TEST_CASE("who is no child of the holder waits as everybody, and is told why the variable does not count") {
  const LeaseFixture fixture;
  OtherProcess holder([&] { return acquire(fixture.request("stranger")); });
  REQUIRE(holder.answer() == "ready");
  auto request = fixture.request("liar");
  request.inherited = "GPU-1.1.1";
  CHECK(!try_acquire(request));
  request.wait = 0s;
  const std::string message = error_of([&] { acquire(request); });
  CHECK(message.find("; the lease GPU-1.1.1 that KGATE_LEASE names is not held by a process that started this one; see "
                     "\"kgate lease status\"") != std::string::npos);
}

TEST_CASE("a lease that is over, waits only, is another device's or another container's does not count") {
  const LeaseFixture fixture;
  const Folder folder = Folder::open(fixture.folder());
  const Claim self = own_claim("inner");
  const ProcessTree tree = read_process_tree();
  const auto found = [&](const std::string& variable, const std::string& device) {
    const Inherited inherited = find_inherited(folder, variable, device, tree, self);
    return inherited.queue ? "yes: " + *inherited.queue : inherited.why_not;
  };
  CHECK(found("GPU-1.1.1", "GPU-1") == "the lease GPU-1.1.1 that KGATE_LEASE names is over");
  auto elsewhere = fixture.request("in a container");
  elsewhere.who.pid_namespace += 1;
  Lease held = acquire(elsewhere);
  CHECK(found("GPU-1.1.1", "GPU-1") ==
        "the lease GPU-1.1.1 that KGATE_LEASE names was taken outside of this container, where process numbers differ");
  CHECK(found("GPU-1.1.1", "GPU-2").empty());
  CHECK(found("", "GPU-1").empty());
  Ticket waits = Ticket::draw(std::make_shared<const Folder>(Folder::open(fixture.folder())),
                              {"GPU-1", Priority::pull_request, 2}, self);
  CHECK(found("GPU-1.1.2", "GPU-1") == "the lease GPU-1.1.2 that KGATE_LEASE names is over");
  held.release();
  waits.remove();
  const Lease own = acquire(fixture.request("own"));
  CHECK(found(text_of(own.ticket()), "GPU-1") == "yes: " + text_of(own.ticket()));
}

TEST_CASE("a lease within a lease within a lease is found, in whatever order the variable names them") {
  const LeaseFixture fixture;
  const Lease outer = acquire(fixture.request("outer"));
  auto request = fixture.request("middle");
  request.inherited = text_of(outer.ticket());
  const Lease middle = acquire(request);
  for (const std::string& variable : {text_of(outer.ticket()) + "," + text_of(middle.ticket()),
                                      text_of(middle.ticket()) + "," + text_of(outer.ticket())}) {
    request.inherited = variable;
    const auto inner = try_acquire(request);
    REQUIRE(inner);
    CHECK(text_of(inner->ticket()) == "GPU-1.1.1.1.1.1.1");
  }
}
