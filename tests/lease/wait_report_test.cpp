#include "gate/lease/wait_report.h"

#include "tests/support/catch.h"

using namespace kgate::lease;
using namespace std::chrono_literals;

namespace {

// The seconds at which who looks every tenth of a second is told something.
template <typename Place>
std::vector<int> told(int seconds, Place&& place) {
  WaitRhythm rhythm;
  std::vector<int> at;
  for (auto waited = 0ms; waited < std::chrono::seconds(seconds); waited += 100ms) {
    if (rhythm.due(waited, place(waited), "GPU-1.1.1")) at.push_back(static_cast<int>(waited / 1s));
  }
  return at;
}

}  // namespace

TEST_CASE("a waiting job is told its place at once, after 10 s, after 30 s and then every minute") {
  CHECK(told(250, [](auto) { return 2; }) == std::vector<int>{0, 10, 30, 60, 120, 180, 240});
}

TEST_CASE("a change of place is told at once, but for changes within 5 s of what was told") {
  CHECK(told(70, [](auto waited) { return waited < 40s ? 2 : 1; }) == std::vector<int>{0, 10, 30, 40, 60});
  CHECK(told(12, [](auto waited) { return waited < 1s ? 3 : waited < 2s ? 2 : 1; }) == std::vector<int>{0, 5, 10});
}

TEST_CASE("another holder is a change too") {
  WaitRhythm rhythm;
  CHECK(rhythm.due(0ms, 1, "GPU-1.1.1"));
  CHECK(!rhythm.due(4999ms, 1, "GPU-1.1.2"));
  CHECK(rhythm.due(5000ms, 1, "GPU-1.1.2"));
  CHECK(!rhythm.due(9999ms, 1, "GPU-1.1.2"));
}

TEST_CASE("what is told names place, holder, job and how long") {
  Waiting waiting;
  waiting.device = "GPU-1";
  waiting.place = 2;
  waiting.length = 3;
  CHECK(in_words(waiting) == "waiting for GPU-1: place 2 of 3");
  waiting.waited_s = 40;
  waiting.holder = own_claim("make bench");
  waiting.holder->user = "anna";
  waiting.holder->host = "gpu-3";
  waiting.holder->pid = 71;
  waiting.holder->since_boot_ms -= std::min<std::int64_t>(waiting.holder->since_boot_ms, 0);
  CHECK(in_words(waiting) ==
        "waiting for GPU-1: place 2 of 3, after 40 s; held by \"make bench\" of anna (process 71 on gpu-3) for 0 s");
  waiting.holds = false;
  waiting.remark = "the lease X that KGATE_LEASE names is over";
  CHECK(in_words(waiting) ==
        "waiting for GPU-1: place 2 of 3, after 40 s; after \"make bench\" of anna (process 71 on gpu-3) for 0 s; the "
        "lease X that KGATE_LEASE names is over");
}
