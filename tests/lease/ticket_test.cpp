#include "gate/lease/ticket.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/lease/lease_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::lease;

namespace {

TicketState seen(const LeaseFixture& fixture, const std::string& name) {
  const UniqueFd fd(::open((fixture.folder() / name).c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(fd);
  return state_of(fd.get());
}

Ticket drawn(const LeaseFixture& fixture, std::uint64_t number = 1) {
  return Ticket::draw(std::make_shared<const Folder>(Folder::open(fixture.folder())),
                      {"GPU-1", Priority::nightly, number}, own_claim("job"));
}

}  // namespace

TEST_CASE("a ticket's name says device, priority and number, and there is one way to write each") {
  const TicketName name{"GPU-3f6b0c1e-0000-1111-2222-333344445555", Priority::nightly, 12};
  CHECK(text_of(name) == "GPU-3f6b0c1e-0000-1111-2222-333344445555.2.12");
  CHECK(ticket_name_from(text_of(name)) == name);
  const TicketName inner{text_of(name), Priority::release, 1};
  CHECK(ticket_name_from(text_of(inner)) == inner);
  for (const char* other : {"",
                            ".",
                            "..",
                            "host",
                            "host.1",
                            "host.1.",
                            "host..1",
                            "host.4.1",
                            "host.1.0",
                            "host.1.01",
                            "host.1.+1",
                            "host.1.1x",
                            "host.11.1",
                            ".1.1",
                            "-x.1.1",
                            "a b.1.1",
                            "a.b.1.1",
                            "host.1.1000000000000000000",
                            "host.1.99999999999999999999999",
                            "host.1.1\n",
                            "README.md"}) {
    INFO(other);
    CHECK(!ticket_name_from(other));
  }
  CHECK(!ticket_name_from(std::string(65, 'x') + ".1.1"));
}

TEST_CASE("others see by its lock alone whether a ticket's owner waits, holds or is gone") {
  const LeaseFixture fixture;
  Ticket ticket = drawn(fixture);
  CHECK(seen(fixture, "GPU-1.2.1") == TicketState::waits);
  ticket.hold(own_claim("job"));
  CHECK(seen(fixture, "GPU-1.2.1") == TicketState::holds);
  const UniqueFd looking(::open((fixture.folder() / "GPU-1.2.1").c_str(), O_RDONLY | O_CLOEXEC));
  ticket.remove();
  CHECK(state_of(looking.get()) == TicketState::dead);
  CHECK(fixture.files().empty());
}

TEST_CASE("who may only read a ticket cannot make it look alive") {
  const LeaseFixture fixture;
  fixture.write("GPU-1.2.1", "");
  const UniqueFd reader(::open((fixture.folder() / "GPU-1.2.1").c_str(), O_RDONLY | O_CLOEXEC));
  struct flock lock {};
  lock.l_type = F_RDLCK;
  REQUIRE(::fcntl(reader.get(), F_OFD_SETLK, &lock) == 0);
  CHECK(seen(fixture, "GPU-1.2.1") == TicketState::dead);
}

TEST_CASE("a ticket can be read by all, whatever the umask") {
  const LeaseFixture fixture;
  const mode_t before = ::umask(0077);
  const Ticket ticket = drawn(fixture);
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat((fixture.folder() / "GPU-1.2.1").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0644);
}

TEST_CASE("a number whose file is there already is passed over") {
  const LeaseFixture fixture;
  fixture.write("GPU-1.2.1", "of somebody dead");
  CHECK(drawn(fixture).name().number == 2);
}

TEST_CASE("a ticket whose file was replaced leaves the other one alone") {
  const LeaseFixture fixture;
  Ticket ticket = drawn(fixture);
  std::filesystem::remove(fixture.folder() / "GPU-1.2.1");
  fixture.write("GPU-1.2.1", "another's");
  CHECK(!ticket.is_there());
  ticket.remove();
  CHECK(fixture.files() == std::vector<std::string>{"GPU-1.2.1"});
}
