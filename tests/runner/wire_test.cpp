#include "runner/wire.h"

#include <array>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "base/philox.h"
#include "base/shared_memory.h"
#include "tests/support/errors.h"

using namespace kgate;
using runner::Message;
using runner::Received;

namespace {

struct Pair {
  UniqueFd ours, theirs;
  Pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    ours = UniqueFd(ends[0]);
    theirs = UniqueFd(ends[1]);
  }
};

runner::Deadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

void send_raw(int socket, const std::string& bytes) {
  REQUIRE(::write(socket, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

}  // namespace

TEST_CASE("a message arrives as it was sent, with its descriptor") {
  Pair pair;
  auto memory = SharedMemory::create("test", 5);
  memory.writable()[0] = std::byte{42};
  memory.seal();
  CHECK(runner::send_message(pair.ours.get(), {{"a", 1}, {"b", "text"}}, {memory.fd()}, soon(), nullptr));
  Message message;
  REQUIRE(runner::receive_message(pair.theirs.get(), message, soon(), nullptr) == Received::message);
  CHECK(message.body == Json{{"a", 1}, {"b", "text"}});
  REQUIRE(message.descriptors.size() == 1);
  const auto shared = SharedMemory::open_sealed(std::move(message.descriptors.front()));
  CHECK(shared.bytes()[0] == std::byte{42});
}

TEST_CASE("a message larger than the socket's buffer arrives whole") {
  Pair pair;
  const std::string large(8 << 20, 'x');
  std::thread sender([&] { runner::send_message(pair.ours.get(), {{"large", large}}, {}, soon(), nullptr); });
  Message message;
  CHECK(runner::receive_message(pair.theirs.get(), message, soon(), nullptr) == Received::message);
  sender.join();
  CHECK(message.body["large"].get<std::string>() == large);
}

TEST_CASE("a closed socket and a passed deadline are told apart") {
  Pair pair;
  Message message;
  CHECK(runner::receive_message(pair.ours.get(), message,
                                std::chrono::steady_clock::now() + std::chrono::milliseconds(20),
                                nullptr) == Received::late);
  pair.theirs.reset();
  CHECK(runner::receive_message(pair.ours.get(), message, soon(), nullptr) == Received::closed);
  CHECK_FALSE(runner::send_message(pair.ours.get(), {{"a", 1}}, {}, soon(), nullptr));
}

TEST_CASE("frames that break the protocol are refused") {
  Message message;
  const auto received = [&](const std::string& bytes) {
    Pair pair;
    send_raw(pair.theirs.get(), bytes);
    pair.theirs.reset();
    return error_of([&] { runner::receive_message(pair.ours.get(), message, soon(), nullptr); });
  };
  using namespace std::string_literals;
  CHECK(received("\0\0\0\0"s) == "internal: runner protocol: a frame of 0 bytes");
  CHECK(received("\xff\xff\xff\x7f"s) == "internal: runner protocol: a frame of 2147483647 bytes");
  CHECK(received("\x01\0\0\0\x01"s) == "internal: runner protocol: a frame that holds no CBOR map");
  CHECK(received("\x02\0\0\0\xa0\xa0"s) == "internal: runner protocol: a frame that holds no CBOR map");
}

TEST_CASE("a message that is nested too deep is refused") {
  Json deep = 1;
  for (int i = 0; i < 40; ++i) deep = Json::array({deep});
  Pair pair;
  CHECK(runner::send_message(pair.ours.get(), {{"deep", deep}}, {}, soon(), nullptr));
  Message message;
  CHECK(error_of([&] { runner::receive_message(pair.theirs.get(), message, soon(), nullptr); }) ==
        "internal: runner protocol: a message that is nested too deep");
}

TEST_CASE("random bytes never crash the reader") {
  RandomStream random(5, 0);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bytes;
    const auto length = random.below(60);
    for (std::uint64_t i = 0; i < length; ++i) bytes += static_cast<char>(random.below(256));
    // Mostly frames with a true length, so that the decoder sees them.
    if (trial % 4 != 0) bytes = std::string{static_cast<char>(bytes.size()), 0, 0, 0} + bytes;
    Pair pair;
    send_raw(pair.theirs.get(), bytes);
    pair.theirs.reset();
    Message message;
    const auto outcome = error_of([&] { runner::receive_message(pair.ours.get(), message, soon(), nullptr); });
    CHECK((outcome == "no error" || outcome.starts_with("internal: runner protocol")));
  }
}
