#include <csignal>

#include <sys/stat.h>
#include <unistd.h>

#include "gate/lease/lease.h"
#include "gate/lease/queue.h"
#include "gate/lease/status.h"
#include "tests/lease/lease_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::lease;
using namespace std::chrono_literals;

namespace {

constexpr uid_t kNobody = 65534;

std::vector<std::string> remarks(const LeaseFixture& fixture) {
  return read_status(fixture.folder()).remarks;
}

}  // namespace

TEST_CASE("files that nobody alive has locked hold nobody up, whatever they are called and contain") {
  const LeaseFixture fixture;
  fixture.write("GPU-1.0.1", "");
  fixture.write("GPU-1.1.999999999999999999", "{\"pid\":1}");
  fixture.write("GPU-1.2.7", std::string(1 << 20, '\xff'));
  fixture.write("GPU-1.3", "half a name");
  fixture.write("README", "a team's own note");
  const auto lease = try_acquire(fixture.request());
  REQUIRE(lease);
  CHECK(lease->ticket().number == 1);
  CHECK(fixture.files() == std::vector<std::string>{"GPU-1.1.1", "GPU-1.3", "README"});
}

TEST_CASE("links, folders and pipes with a ticket's name are neither followed nor waited for, and are named") {
  const LeaseFixture fixture;
  fixture.write("README", "not to be touched");
  const auto outside = fixture.folder().parent_path() / "outside";
  write_file_atomic(outside, "not to be touched");
  std::filesystem::create_symlink(outside, fixture.folder() / "GPU-1.0.1");
  std::filesystem::create_directory(fixture.folder() / "GPU-1.0.2");
  REQUIRE(::mkfifo((fixture.folder() / "GPU-1.0.3").c_str(), 0666) == 0);
  CHECK(try_acquire(fixture.request()));
  CHECK(text_of(read_file(outside, 100)) == "not to be touched");
  CHECK(remarks(fixture) ==
        std::vector<std::string>{"GPU-1.0.1 is no plain file and holds no place in the queue: remove it",
                                 "GPU-1.0.2 is no plain file and holds no place in the queue: remove it",
                                 "GPU-1.0.3 is no plain file and holds no place in the queue: remove it"});
}

TEST_CASE("a link to the next ticket's name is not written through") {
  const LeaseFixture fixture;
  const auto outside = fixture.folder().parent_path() / "outside";
  Folder::open(fixture.folder());
  std::filesystem::create_symlink(outside, fixture.folder() / "GPU-1.1.1");
  const auto lease = try_acquire(fixture.request());
  REQUIRE(lease);
  CHECK(text_of(lease->ticket()) == "GPU-1.1.2");
  CHECK(!std::filesystem::exists(outside));
}

TEST_CASE("a ticket that cannot be read is an error with a remedy, never a second holder") {
  if (::geteuid() != 0) KGATE_SKIP("only root can become somebody else");
  const LeaseFixture fixture;
  std::filesystem::permissions(fixture.folder().parent_path(), std::filesystem::perms::all);
  OtherProcess holder([&] { return acquire(fixture.request("root's")); });
  REQUIRE(holder.answer() == "ready");
  std::filesystem::permissions(fixture.folder() / "GPU-1.1.1", std::filesystem::perms::owner_read);
  OtherProcess other([&] { return acquire(fixture.request("nobody's")); }, kNobody);
  CHECK(other.answer() == (fixture.folder() / "GPU-1.1.1").string() +
                              ": cannot be read (it belongs to root), so it cannot be told whether its owner holds the "
                              "GPU; let its owner or root remove it where that process is gone, or \"chmod 644\" it");
}

TEST_CASE("users wait for each other, and what one user's dead left holds no other up") {
  if (::geteuid() != 0) KGATE_SKIP("only root can become somebody else");
  const LeaseFixture fixture;
  std::filesystem::permissions(fixture.folder().parent_path(), std::filesystem::perms::all);
  OtherProcess holder([&] { return acquire(fixture.request("root's")); });
  REQUIRE(holder.answer() == "ready");
  OtherProcess other([&] { return acquire(fixture.request("nobody's")); }, kNobody);
  REQUIRE(becomes_true([&] { return read_status(fixture.folder()).devices.at(0).waiting.size() == 1; }));
  CHECK(read_status(fixture.folder()).devices.at(0).waiting[0].owner == kNobody);
  holder.kill();
  CHECK(other.answer() == "ready");
  // The dead one's file is root's: it stays, until root comes again.
  CHECK(fixture.files() == std::vector<std::string>{"GPU-1.1.1", "GPU-1.1.2"});
  other.kill();
  CHECK(try_acquire(fixture.request()));
  CHECK(fixture.files().empty());
}

TEST_CASE("a waiting list with more places than anybody needs is an error") {
  const LeaseFixture fixture;
  fixture.write("GPU-1.1.1", "");
  for (std::size_t i = 2; i <= kMostTickets + 1; ++i)
    std::filesystem::create_hard_link(fixture.folder() / "GPU-1.1.1",
                                      fixture.folder() / ("GPU-1.1." + std::to_string(i)));
  CHECK(
      error_of([&] { try_acquire(fixture.request()); }) ==
      "environment: " + fixture.folder().string() +
          ": has more than 4096 places in the queue; somebody fills it: see whose files they are, and remove those of "
          "dead processes");
}

TEST_CASE("somebody who took the last number there is makes others fail, with a remedy") {
  const LeaseFixture fixture;
  const Ticket last = Ticket::draw(std::make_shared<const Folder>(Folder::open(fixture.folder())),
                                   {"GPU-1", Priority::search, kLastNumber}, own_claim("greedy"));
  CHECK(
      error_of([&] { try_acquire(fixture.request()); }) ==
      "environment: " + fixture.folder().string() +
          ": no number is left for GPU-1; see kgate lease status: somebody there does not keep the rules of the queue");
}

TEST_CASE("a place that somebody removed while its owner waits is an error of that one") {
  const LeaseFixture fixture;
  Lease held = acquire(fixture.request("holder"));
  auto request = fixture.request("waits");
  request.on_wait = [&](const Waiting&) { std::filesystem::remove(fixture.folder() / "GPU-1.1.2"); };
  CHECK(error_of([&] { acquire(request); }) ==
        "environment: " + (fixture.folder() / "GPU-1.1.2").string() +
            ": was removed while it was this process's place in the queue; leave the files in that folder alone; kgate "
            "removes its own");
}

TEST_CASE("a second name for a holder's ticket makes others wait, and no second holder") {
  const LeaseFixture fixture;
  const Lease held = acquire(fixture.request("holder"));
  std::filesystem::create_hard_link(fixture.folder() / "GPU-1.1.1", fixture.folder() / "GPU-1.0.9");
  CHECK(!try_acquire(fixture.request("other", Priority::release)));
  CHECK(remarks(fixture).size() == 1);
  CHECK(remarks(fixture)[0].starts_with("GPU-1 is held twice, also by \"holder\" of "));
}
