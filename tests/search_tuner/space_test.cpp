#include "gate/search/tuner/space.h"

#include "base/error.h"
#include "gate/search/tuner/distance.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::tuner;
using Tunables = std::map<std::string, std::vector<std::string>>;

namespace {

template <typename Act>
std::string complaint_of(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no complaint";
}

double distance_between(const std::vector<Distance>& distances, std::size_t which, int a, int b) {
  return distances.at(which).squared(a, b);
}

}  // namespace

TEST_CASE("values come back from a configuration as they were written") {
  const Space space(Tunables{{"BLOCK", {"128", "64"}}, {"LAYOUT", {"row", "column"}}});
  const std::map<std::string, std::string> values{{"BLOCK", "64"}, {"LAYOUT", "row"}};
  const Configuration configuration = space.configuration(values);
  CHECK(configuration == Configuration{1, 0});
  CHECK(space.values(configuration) == values);
  CHECK(space.words(configuration) == "BLOCK=64 LAYOUT=row");
  CHECK(space.size() == 4u);
  CHECK(space.parameters()[0].numbers == std::vector<double>{128, 64});
  CHECK(space.parameters()[1].numbers.empty());
}

TEST_CASE("a space refuses lists that are none") {
  CHECK(complaint_of([] { Space(Tunables{{"BLOCK", {}}}); }) == "BLOCK: has no values; list at least one");
  CHECK(complaint_of([] {
          Space(Tunables{{"BLOCK", {"64", "32", "64"}}});
        }) == "BLOCK: has the value \"64\" twice; list it once");
  const std::vector<std::string> many(65536, "x");
  CHECK(complaint_of([&] { Space(Tunables{{"BLOCK", many}}); }) == "BLOCK: has more than 65535 values; list fewer");
}

TEST_CASE("values that a space does not have are told with those that it has") {
  const Space space(Tunables{{"BLOCK", {"64", "128"}}, {"N", {"1", "2", "3", "4", "5", "6", "7", "8", "9"}}});
  CHECK(complaint_of([&] {
          space.configuration({{"BLOCK", "64"}});
        }) == "N: has no value; give one of \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", ...");
  CHECK(complaint_of([&] {
          space.configuration({{"BLOCK", "65"}, {"N", "1"}});
        }) == "BLOCK: has no value \"65\"; give one of \"64\", \"128\"");
  CHECK(complaint_of([&] {
          space.configuration({{"BLOCK", "64"}, {"N", "1"}, {"TILE", "2"}});
        }) == "TILE: is no parameter of the space; leave it out");
}

TEST_CASE("a product of more than 2^63 has no size") {
  Tunables tunables;
  for (int i = 0; i < 64; ++i) tunables["P" + std::to_string(i)] = {"0", "1"};
  CHECK_FALSE(Space(tunables).size());
  tunables.erase("P0");
  CHECK(Space(tunables).size() == std::uint64_t{1} << 63);
}

TEST_CASE("numbers are near by rank, by identity and by alignment") {
  const auto distances = distances_of(Space(Tunables{{"BLOCK", {"96", "32", "80", "64"}}}));
  REQUIRE(distances.size() == 3);
  // Ranks 3, 0, 2, 1.
  CHECK(distance_between(distances, 0, 0, 1) == Approx(1));
  CHECK(distance_between(distances, 0, 0, 2) == Approx(1.0 / 9));
  CHECK(distance_between(distances, 1, 0, 1) == 1);
  CHECK(distance_between(distances, 1, 0, 0) == 0);
  // 96 and 32 have five zero bits, 80 four, 64 six.
  CHECK(distance_between(distances, 2, 0, 1) == 0);
  CHECK(distance_between(distances, 2, 2, 3) == 1);
  CHECK(distance_between(distances, 2, 0, 2) == Approx(0.25));
}

TEST_CASE("categories are near by identity alone, two values by one distance, one value by none") {
  CHECK(distances_of(Space(Tunables{{"LAYOUT", {"row", "column", "tiled"}}})).size() == 1);
  CHECK(distances_of(Space(Tunables{{"SHARED", {"0", "1"}}})).size() == 1);
  CHECK(distances_of(Space(Tunables{{"MODE", {"fast", "slow"}}})).size() == 1);
  CHECK(distances_of(Space(Tunables{{"ONE", {"7"}}})).empty());
  // No alignment of what is not whole; where values double it is the rank.
  CHECK(distances_of(Space(Tunables{{"FACTOR", {"0.5", "1.5", "3"}}})).size() == 2);
  CHECK(distances_of(Space(Tunables{{"TILE", {"1", "2", "4", "8"}}})).size() == 2);
}
