#include "runner/child/session.h"

#include <cstring>
#include <functional>
#include <set>

#include "base/digest.h"
#include "runner/marks.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

// A device made of plain memory, whose only kernel is a function.
class FakeBackend : public Backend {
 public:
  std::function<void(std::vector<Bytes>&)> kernel = [](auto&) {};
  std::vector<std::pair<Region, std::string>> variants;  // as they were written

  DeviceInfo probe() override { return {}; }
  Compiled compile(const CompileJob&) override { return {}; }
  Loaded load(const LoadJob&) override { return {}; }
  std::uint64_t allocate(const Allocation& allocation) override {
    rooms_.clear();
    for (const auto& buffer : allocation.buffers) rooms_.emplace_back(buffer.bytes + 2 * kGuardBytes);
    return 0;
  }
  void write(const Region& region, ByteView data) override {
    if (region.variant > 0) {
      variants.push_back({region, std::string(text_of(data))});
      return;
    }
    ++writes;
    for (std::uint64_t i = 0; i < region.length; ++i) rooms_[region.buffer][region.offset + i] = data[i % data.size()];
  }
  void read(const Region& region, std::span<std::byte> data) override {
    std::memcpy(data.data(), rooms_[region.buffer].data() + region.offset, region.length);
  }
  RunOutcome run(const TimedArm&) override {
    kernel(rooms_);
    return {};
  }
  TimeOutcome time(const TimeJob& job, const SampleVisitor& visit) override {
    for (const auto block : job.checked) {
      for (auto& room : rooms_) {
        std::fill_n(room.begin(), kGuardBytes, marks_of(job, block).guard);
        std::fill_n(room.end() - static_cast<std::ptrdiff_t>(kGuardBytes), kGuardBytes, marks_of(job, block).guard);
      }
      kernel(rooms_);
      visit({0, block, 3, [this](const Region& region, std::span<std::byte> data) { read(region, data); }});
    }
    TimeOutcome outcome;
    outcome.moved = moves;
    return outcome;
  }
  bool moves = true;
  int writes = 0;  // of variant 0

 private:
  std::vector<Bytes> rooms_;
};

SharedMemory content(const std::string& text) {
  auto memory = SharedMemory::create("test", text.size());
  std::memcpy(memory.writable().data(), text.data(), text.size());
  memory.seal();
  return memory;
}

struct Bench {
  FakeBackend backend;
  Session session{backend};
  std::vector<GuardReport> guards;

  Bench() {
    session.allocate(
        {{{"x", BufferRole::input, DType::u8, 8, false}, {"y", BufferRole::output, DType::u8, 8, false}}, 0});
    session.write({0}, content("abcdefgh"));
  }
  std::string run(std::uint8_t poison = 0xff) {
    guards.clear();
    session.run({}, poison, guards);
    return guards.empty() ? "" : guards.front().finding;
  }
};

std::byte& payload(std::vector<Bytes>& rooms, std::size_t buffer, std::ptrdiff_t index) {
  return rooms[buffer][static_cast<std::size_t>(static_cast<std::ptrdiff_t>(kGuardBytes) + index)];
}

}  // namespace

TEST_CASE("inputs hold their content and outputs the poison before each run") {
  Bench bench;
  std::string seen;
  bench.backend.kernel = [&](auto& rooms) {
    seen.clear();
    for (int i = 0; i < 8; ++i) seen += static_cast<char>(payload(rooms, 0, i));
    for (int i = 0; i < 8; ++i) {
      CHECK(payload(rooms, 1, i) == std::byte{0xa5});
      payload(rooms, 1, i) = std::byte{1};
    }
  };
  CHECK(bench.run(0xa5).empty());
  CHECK(bench.run(0xa5).empty());
  CHECK(seen == "abcdefgh");
  CHECK(bench.session.read(1).bytes()[3] == std::byte{1});
}

TEST_CASE("writing past the end, or before the start, is found with the place") {
  Bench bench;
  bench.backend.kernel = [](auto& rooms) { payload(rooms, 1, 10) = std::byte{7}; };
  CHECK(bench.run() == "wrote out of bounds: 1 bytes past the end of \"y\", the first 2 bytes past it");
  bench.backend.kernel = [](auto& rooms) {
    payload(rooms, 1, -4) = std::byte{7};
    payload(rooms, 1, -9) = std::byte{7};
  };
  CHECK(bench.run() == "wrote out of bounds: 2 bytes before the start of \"y\", the nearest 4 bytes before it");
}

TEST_CASE("writing the guard's own pattern of one run is found in the next") {
  Bench bench;
  bench.backend.kernel = [](auto& rooms) { payload(rooms, 1, 8) = std::byte{0x00}; };
  CHECK(bench.run(0xff).empty());
  CHECK_FALSE(bench.run(0xa5).empty());
}

TEST_CASE("a changed input is found with its element, and is whole again in the next run") {
  Bench bench;
  bench.backend.kernel = [](auto& rooms) { payload(rooms, 0, 5) = std::byte{0}; };
  CHECK(bench.run() == "changed its input \"x\", first at element 5");
  bench.backend.kernel = [](auto& rooms) { CHECK(payload(rooms, 0, 5) == std::byte{'f'}); };
  CHECK(bench.run().empty());
}

TEST_CASE("requests about buffers that are not there, or of another size, are refused") {
  Bench bench;
  CHECK(error_of([&] { bench.session.read(9); }) == "internal: kgate-runner: buffer 9 of 2 was named");
  CHECK(error_of([&] { bench.session.write({0}, content("short")); }) ==
        "internal: kgate-runner: \"x\" holds 8 bytes, 5 came");
  Launch launch;
  launch.arguments = {{7, {}}};
  std::vector<GuardReport> guards;
  CHECK(error_of([&] {
          bench.session.run({0, {launch}}, 0, guards);
        }) == "internal: kgate-runner: buffer 7 of 2 was named");
}

TEST_CASE("variants reach the device once, when the fresh regime first needs them, and never a run") {
  Bench bench;
  bench.session.write({0, 2}, content("ijklmnop"));
  bench.session.write({0, 1}, content("qrstuvwx"));
  CHECK(bench.run().empty());
  TimeJob job;
  bench.session.time(job);
  CHECK(bench.backend.variants.empty());
  job.regime = Regime::fresh;
  bench.session.time(job);
  bench.session.time(job);
  REQUIRE(bench.backend.variants.size() == 2);
  const auto& [region, text] = bench.backend.variants.front();
  CHECK(region.buffer == 0);
  CHECK(region.offset == kGuardBytes);
  CHECK(region.length == 8);
  CHECK(region.variant == 1);
  CHECK(text == "qrstuvwx");
  // Another content for the same variant goes there again.
  bench.session.write({0, 2}, content("yzyzyzyz"));
  bench.session.time(job);
  REQUIRE(bench.backend.variants.size() == 3);
  CHECK(bench.backend.variants.back().second == "yzyzyzyz");
}

TEST_CASE("variants end with the allocation that they are for") {
  Bench bench;
  bench.session.write({0, 1}, content("ijklmnop"));
  bench.session.allocate({{{"x", BufferRole::input, DType::u8, 8, false}}, 0});
  bench.session.write({0}, content("abcdefgh"));
  TimeJob job;
  job.regime = Regime::fresh;
  bench.session.time(job);
  CHECK(bench.backend.variants.empty());
}

TEST_CASE("variants of outputs, of another size, and tails that name buffers that are not there are refused") {
  Bench bench;
  CHECK(error_of([&] {
          bench.session.write({1, 1}, content("abcdefgh"));
        }) == "internal: kgate-runner: \"y\" is no input, so it has no variants");
  CHECK(error_of([&] {
          bench.session.write({0, 1}, content("short"));
        }) == "internal: kgate-runner: \"x\" holds 8 bytes, 5 came");
  Launch launch;
  launch.arguments = {{7, {}}};
  TimeJob job;
  job.arms = {{0, {}, {launch}}};
  CHECK(error_of([&] { bench.session.time(job); }) == "internal: kgate-runner: buffer 7 of 2 was named");
}

TEST_CASE("timing again at places of the pool fills no buffer again; a run, a new content or no pool do") {
  Bench bench;
  const auto writes_of = [&](const std::function<void()>& act) {
    bench.backend.writes = 0;
    act();
    return bench.backend.writes;
  };
  const auto time = [&] { bench.session.time({}); };
  CHECK(writes_of(time) == 2);
  CHECK(writes_of(time) == 0);
  bench.session.write({0}, content("hgfedcba"));
  CHECK(writes_of(time) == 2);
  bench.run();
  CHECK(writes_of(time) == 2);
  bench.backend.moves = false;
  CHECK(writes_of(time) == 0);
  CHECK(writes_of(time) == 2);
}

TEST_CASE("under an observer outputs stay unwritten, and guard zones are neither written nor looked at") {
  FakeBackend backend;
  Session session(backend, true);
  session.allocate({{{"x", BufferRole::input, DType::u8, 8, false},
                     {"y", BufferRole::output, DType::u8, 8, false},
                     {"z", BufferRole::workspace, DType::u8, 8, true}},
                    0});
  session.write({0}, content("abcdefgh"));
  std::vector<GuardReport> guards;
  backend.kernel = [](auto& rooms) {
    CHECK(payload(rooms, 0, 0) == std::byte{'a'});
    CHECK(payload(rooms, 1, 0) == std::byte{0});  // as the device gave it
    payload(rooms, 1, 8) = std::byte{7};
    payload(rooms, 0, 0) = std::byte{'z'};
  };
  CHECK(session.run({}, 0xff, guards).ok);
  CHECK(guards.empty());
  CHECK(backend.writes == 2);  // the input and the zeroed workspace
}

TEST_CASE("a checked sample is told by what it left: digests of outputs, in the last one also of inputs, and guards") {
  Bench bench;
  int launches = 0;
  bench.backend.kernel = [&](auto& rooms) {
    for (std::ptrdiff_t i = 0; i < 8; ++i) payload(rooms, 1, i) = std::byte{'y'};
    if (++launches == 2) payload(rooms, 1, 8) = std::byte{'!'};
  };
  TimeJob job;
  job.blocks = 9;
  job.checked = {2, 5, 7};
  job.check_inputs = true;
  const auto outcome = bench.session.time(job);
  REQUIRE(outcome.checked.size() == 3);
  for (const auto& sample : outcome.checked) {
    CHECK(sample.variant == 3);
    CHECK_FALSE(sample.kept);
    CHECK(sample.digests.at(1) == sha256_hex("yyyyyyyy"));
    CHECK(sample.digests.contains(0) == (sample.block == 7));
  }
  CHECK(outcome.checked[2].digests.at(0) == sha256_hex("abcdefgh"));
  CHECK(outcome.checked[0].guards.empty());
  REQUIRE(outcome.checked[1].guards.size() == 1);
  CHECK(outcome.checked[1].guards.front().finding ==
        "wrote out of bounds: 1 bytes past the end of \"y\", the first 0 bytes past it");
}

TEST_CASE("one sample of the arm that is asked for is looked at whole, with its inputs") {
  Bench bench;
  bench.backend.kernel = [](auto& rooms) {
    for (std::ptrdiff_t i = 0; i < 8; ++i) payload(rooms, 1, i) = std::byte{'y'};
  };
  TimeJob job;
  job.blocks = 3;
  job.checked = {0, 1};
  job.whole = 0;
  const auto outcome = bench.session.time(job);
  REQUIRE(outcome.checked.size() == 2);
  CHECK(outcome.checked[0].wholes ==
        std::map<std::uint32_t, std::string>{{0, sha256_hex("abcdefgh")}, {1, sha256_hex("yyyyyyyy")}});
  CHECK(outcome.checked[1].wholes.empty());
  job.whole = 1;  // another arm came last
  CHECK(bench.session.time(job).checked[0].wholes.empty());
}

TEST_CASE("the outputs of the arm that is kept are read once, and then the home place again") {
  Bench bench;
  bench.backend.kernel = [](auto& rooms) { payload(rooms, 1, 0) = std::byte{'k'}; };
  TimeJob job;
  job.blocks = 2;
  job.checked = {0};
  job.keep = 0;
  CHECK(bench.session.time(job).checked.front().kept);
  CHECK(text_of(bench.session.read(1).bytes())[0] == 'k');
  bench.backend.kernel = [](auto&) {};
  CHECK(bench.run().empty());
  CHECK(bench.session.read(1).bytes()[0] == std::byte{0xff});
  job.keep = 1;  // another arm came last
  CHECK_FALSE(bench.session.time(job).checked.front().kept);
}

TEST_CASE("marks are others in every block, and a guard is never the poison") {
  TimeJob job;
  job.seed = 7;
  std::set<std::pair<std::byte, std::byte>> seen;
  for (std::uint32_t block = 0; block < 64; ++block) {
    const Marks marks = marks_of(job, block);
    CHECK(marks.poison != marks.guard);
    seen.insert({marks.poison, marks.guard});
  }
  CHECK(seen.size() > 60);
}
