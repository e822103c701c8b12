#include "gate/lease/strangers.h"

#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::lease;
using fingerprint::GpuProcess;

namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30, kHere = 77, kThere = 78;

// 10 (kgate) has started 11 (runner), and that 12; 20 is somebody else's.
Viewpoint host() {
  return {{{10, {1, "kgate", 0}}, {11, {10, "kgate-runner", 0}}, {12, {11, "deep", 0}}, {20, {1, "python", 4000001}}},
          kHere,
          true};
}

Claim holder(std::int64_t pid, std::uint64_t pid_namespace = kHere) {
  Claim claim;
  claim.pid = pid;
  claim.pid_namespace = pid_namespace;
  return claim;
}

std::vector<std::string> told(const std::vector<GpuProcess>& processes, const std::optional<Claim>& who,
                              const Viewpoint& view) {
  return in_words(find_strangers(processes, who, view), "GPU-1");
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("what the holder has started may use the GPU, however indirectly") {
  CHECK(told({{10, 0}, {11, kGib}, {12, kGib}}, holder(10), host()).empty());
  CHECK(told({}, holder(10), host()).empty());
  CHECK(told({}, std::nullopt, host()).empty());
}

TEST_CASE("who uses a GPU that another holds is named with user, process and memory") {
  CHECK(told({{11, kGib}, {20, 3 * kGib + kGib / 10}}, holder(10), host()) ==
        Lines{"python of user 4000001 (process 20, 3.1 GiB) uses GPU-1 without its lease"});
  CHECK(told({{20, 0, "train\x1b[2J"}}, holder(10), host()) ==
        Lines{"train\\x1b[2J of user 4000001 (process 20) uses GPU-1 without its lease"});
}

TEST_CASE("where nobody holds the lease everybody is a stranger") {
  CHECK(told({{20, kGib}}, std::nullopt, host()) ==
        Lines{"python of user 4000001 (process 20, 1.0 GiB) uses GPU-1 without its lease"});
}

TEST_CASE("a parent of the holder is a stranger as all others") {
  CHECK(told({{10, kGib}}, holder(11), host()).size() == 1);
}

TEST_CASE("processes that are not visible here are counted, not named") {
  CHECK(told({{99, kGib}}, holder(10), host()) ==
        Lines{"a process that is not visible here uses GPU-1 without its lease"});
  CHECK(told({{98, kGib}, {99, kGib}}, std::nullopt, host()) ==
        Lines{"2 processes that are not visible here use GPU-1 without its lease"});
}

TEST_CASE(
    "where numbers differ nobody is accused: neither a holder's children in a container, nor from inside of one") {
  const Lines unsure{
      "2 processes that are not visible here use GPU-1; whether the holder of its lease started them cannot be told"};
  CHECK(told({{11, kGib}, {20, kGib}}, holder(10, kThere), host()) == unsure);
  auto inside = host();
  inside.numbers_are_nvmls = false;
  CHECK(told({{11, kGib}, {20, kGib}}, holder(10), inside) == unsure);
  CHECK(told({{11, kGib}}, std::nullopt, inside) ==
        Lines{"a process that is not visible here uses GPU-1 without its lease"});
}
