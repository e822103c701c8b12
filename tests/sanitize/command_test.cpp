#include "gate/sanitize/command.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace kgate::sanitize;
using Words = std::vector<std::string>;

TEST_CASE("all four tools are run") {
  Words all = tools();
  std::sort(all.begin(), all.end());
  CHECK(all == Words{"initcheck", "memcheck", "racecheck", "synccheck"});
}

TEST_CASE("a program is put behind the tool's own options, which end visibly") {
  const Words command = launcher("/opt/compute-sanitizer", "racecheck", "/scratch/report");
  REQUIRE(command.size() > 5);
  CHECK(Words(command.begin(), command.begin() + 5) ==
        Words{"/opt/compute-sanitizer", "--tool", "racecheck", "--log-file", "/scratch/report"});
  CHECK(command.back() == "--");
  CHECK(std::find(command.begin(), command.end(), "--padding") == command.end());
  const Words memcheck = launcher("/opt/compute-sanitizer", "memcheck", "/scratch/report");
  CHECK(std::find(memcheck.begin(), memcheck.end(), "--padding") != memcheck.end());
}
