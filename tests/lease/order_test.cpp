#include <csignal>
#include <mutex>
#include <thread>

#include "gate/lease/lease.h"
#include "gate/lease/status.h"
#include "tests/lease/lease_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::lease;
using namespace std::chrono_literals;

namespace {

// Jobs that wait, each in a thread of its own, and in which order they held.
class Jobs {
 public:
  explicit Jobs(const LeaseFixture& fixture) : fixture_(fixture) {}
  ~Jobs() { join(); }

  // Returns once the job surely waits.
  void wait(const std::string& job, Priority priority) {
    const std::size_t before = waiting();
    threads_.emplace_back([this, job, priority] {
      const Lease lease = acquire(fixture_.request(job, priority));
      const std::lock_guard guard(mutex_);
      order_.push_back(job);
    });
    REQUIRE(becomes_true([&] { return waiting() > before; }));
  }
  std::size_t waiting() const {
    const auto devices = read_status(fixture_.folder()).devices;
    return devices.empty() ? 0 : devices[0].waiting.size();
  }
  std::vector<std::string> join() {
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    return order_;
  }

 private:
  const LeaseFixture& fixture_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::vector<std::string> order_;
};

}  // namespace

TEST_CASE("first come, first served within a priority; release before pull request before nightly before search") {
  const LeaseFixture fixture;
  Lease held = acquire(fixture.request("holder", Priority::search));
  Jobs jobs(fixture);
  jobs.wait("search 1", Priority::search);
  jobs.wait("nightly 1", Priority::nightly);
  jobs.wait("pull request 1", Priority::pull_request);
  jobs.wait("nightly 2", Priority::nightly);
  jobs.wait("release 1", Priority::release);
  jobs.wait("pull request 2", Priority::pull_request);
  jobs.wait("search 2", Priority::search);
  held.release();
  CHECK(jobs.join() == std::vector<std::string>{"release 1", "pull request 1", "pull request 2", "nightly 1",
                                                "nightly 2", "search 1", "search 2"});
  CHECK(fixture.files().empty());
}

TEST_CASE("one that dies while it waits leaves no gap in the queue") {
  const LeaseFixture fixture;
  Lease held = acquire(fixture.request("holder"));
  Jobs jobs(fixture);
  jobs.wait("first", Priority::pull_request);
  OtherProcess second([&] { return acquire(fixture.request("second")); });
  REQUIRE(becomes_true([&] { return jobs.waiting() == 2; }));
  jobs.wait("third", Priority::pull_request);
  second.kill();
  held.release();
  CHECK(jobs.join() == std::vector<std::string>{"first", "third"});
}

TEST_CASE("one that is stopped when its turn comes is passed over, and comes when it goes on") {
  const LeaseFixture fixture;
  Lease held = acquire(fixture.request("holder"));
  OtherProcess stopped([&] { return acquire(fixture.request("stopped")); });
  REQUIRE(becomes_true([&] { return read_status(fixture.folder()).devices.at(0).waiting.size() == 1; }));
  stopped.signal(SIGSTOP);
  held.release();
  auto request = fixture.request("next");
  request.patience = 50ms;
  Lease next = acquire(request);
  CHECK(next);
  next.release();
  stopped.signal(SIGCONT);
  CHECK(stopped.answer() == "ready");
}

TEST_CASE("a holder of low priority learns that it is wanted, lets the others go first, and holds again") {
  const LeaseFixture fixture;
  Lease search = acquire(fixture.request("search", Priority::search));
  CHECK(!search.wanted());
  Jobs jobs(fixture);
  jobs.wait("pull request", Priority::pull_request);
  CHECK(search.wanted());
  jobs.wait("another search", Priority::search);
  search.yield();
  CHECK(search);
  CHECK(jobs.join() == std::vector<std::string>{"pull request", "another search"});
  CHECK(!search.wanted());
}

TEST_CASE("a lower priority that waits is no reason to yield, the same one is") {
  const LeaseFixture fixture;
  Lease held = acquire(fixture.request("pull request", Priority::pull_request));
  Jobs jobs(fixture);
  jobs.wait("nightly", Priority::nightly);
  CHECK(!held.wanted());
  jobs.wait("pull request 2", Priority::pull_request);
  CHECK(held.wanted());
  held.release();
}
