#include "gate/verdict/compile/arms.h"

#include "tests/support/errors.h"

using namespace kgate;
using verdict::Contender;

namespace {

runner::Buffer buffer(const std::string& name, runner::BufferRole role, std::uint64_t bytes) {
  runner::Buffer made;
  made.name = name;
  made.role = role;
  made.bytes = bytes;
  return made;
}

runner::Argument pointer(std::uint32_t index) {
  runner::Argument argument;
  argument.buffer = index;
  return argument;
}

// A version with two parameters (y, x) and scratch memory of the given sizes, whose one launch takes them all.
Contender version(char code, const std::vector<std::uint64_t>& scratch) {
  runner::Compiled compiled;
  compiled.status = runner::Compiled::Status::ok;
  compiled.code = Bytes(1, static_cast<std::byte>(code));
  compiled.symbols = {{"k", "k"}};
  Contender made;
  made.artifact = std::make_shared<runner::Compiled>(compiled);
  made.binding.buffers = {buffer("y", runner::BufferRole::output, 400), buffer("x", runner::BufferRole::input, 400)};
  for (const auto bytes : scratch) made.binding.buffers.push_back(buffer("w", runner::BufferRole::workspace, bytes));
  runner::Launch launch;
  launch.entry = "k";
  for (std::uint32_t i = 0; i < made.binding.buffers.size(); ++i) launch.arguments.push_back(pointer(i));
  runner::Argument n;
  n.scalar = Bytes(4, std::byte{7});
  launch.arguments.push_back(n);
  made.binding.launches = {launch};
  return made;
}

// The buffers that an arm's first launch takes, by their places.
std::vector<std::uint32_t> taken(const runner::TimedArm& arm) {
  std::vector<std::uint32_t> places;
  for (const auto& argument : arm.launches.front().arguments) {
    if (argument.buffer) places.push_back(*argument.buffer);
  }
  return places;
}

std::vector<std::uint64_t> sizes(const std::vector<runner::Buffer>& buffers) {
  std::vector<std::uint64_t> bytes;
  bytes.reserve(buffers.size());
  for (const auto& one : buffers) bytes.push_back(one.bytes);
  return bytes;
}

using Places = std::vector<std::uint32_t>;
using Sizes = std::vector<std::uint64_t>;
using Arms = std::vector<std::size_t>;

}  // namespace

TEST_CASE("versions share the parameters, and their scratch memory lies side by side") {
  const auto arms = verdict::merge({version('c', {10, 20}), version('b', {30}), version('a', {})}, 2);
  CHECK(sizes(arms.buffers) == Sizes{400, 400, 10, 20, 30});
  REQUIRE(arms.arms.size() == 3);
  CHECK(taken(arms.arms[0]) == Places{0, 1, 2, 3});
  CHECK(taken(arms.arms[1]) == Places{0, 1, 4});
  CHECK(taken(arms.arms[2]) == Places{0, 1});
  CHECK(arms.arms[1].launches.front().arguments.back().scalar == Bytes(4, std::byte{7}));
  CHECK(arms.arm_of == Arms{0, 1, 2});
}

TEST_CASE("what is left without the candidate's scratch memory is what the others need") {
  CHECK(sizes(verdict::merge({version('c', {10, 20}), version('b', {30})}, 2).without_first) == Sizes{400, 400, 30});
  CHECK(sizes(verdict::merge({version('c', {10})}, 2).without_first) == Sizes{400, 400});
  const auto none = verdict::merge({version('c', {}), version('b', {30})}, 2);
  CHECK(sizes(none.without_first) == sizes(none.buffers));
}

TEST_CASE("versions of equal code, scratch memory and launches are one arm, timed once") {
  const auto arms = verdict::merge(
      {version('c', {10}), version('b', {30}), version('c', {10}), version('a', {5}), version('b', {30})}, 2);
  CHECK(arms.arm_of == Arms{0, 1, 0, 2, 1});
  REQUIRE(arms.arms.size() == 3);
  // An arm has the number of the first version that it stands for: by it the code was loaded.
  CHECK(arms.arms[0].arm == 0);
  CHECK(arms.arms[1].arm == 1);
  CHECK(arms.arms[2].arm == 3);
  CHECK(sizes(arms.buffers) == Sizes{400, 400, 10, 30, 5});
  CHECK(taken(arms.arms[2]) == Places{0, 1, 4});
}

TEST_CASE("equal code that is launched differently is another arm") {
  const auto two_arms = [](const auto& change) {
    Contender other = version('c', {10});
    change(other);
    return verdict::merge({version('c', {10}), other}, 2).arms.size() == 2;
  };
  CHECK_FALSE(two_arms([](Contender&) {}));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().grid[0] = 2; }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().block[2] = 2; }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().shared_bytes = 48; }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().cluster = {2, 1, 1}; }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().cooperative = true; }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().entry = "other"; }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.push_back(one.binding.launches.front()); }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().arguments.back().scalar[0] = std::byte{8}; }));
  CHECK(two_arms([](Contender& one) { one.binding.launches.front().arguments.pop_back(); }));
  CHECK(two_arms([](Contender& one) {
    std::swap(one.binding.launches[0].arguments[0].buffer, one.binding.launches[0].arguments[1].buffer);
  }));
}

TEST_CASE("equal code with other scratch memory is another arm") {
  const auto two_arms = [](const Contender& other) {
    return verdict::merge({version('c', {10}), other}, 2).arms.size() == 2;
  };
  CHECK(two_arms(version('c', {11})));
  CHECK(two_arms(version('c', {})));
  Contender zeroed = version('c', {10});
  zeroed.binding.buffers.back().zeroed = true;
  CHECK(two_arms(zeroed));
  Contender renamed = version('c', {10});
  renamed.binding.buffers.back().name = "other";
  CHECK_FALSE(two_arms(renamed));
}

TEST_CASE("nothing to time is a defect") {
  CHECK(error_of([] { verdict::merge({}, 0); }) == "internal: arms: there is nothing to time");
}
