#include "gate/sanitize/command.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace kgate::sanitize;
using Words = std::vector<std::string>;

namespace {
const kgate::fingerprint::ComputeSanitizer kProgram{"/opt/compute-sanitizer", "2025.3.1.0", true, ""};
}

TEST_CASE("all four tools are run") {
  Words all = tools();
  std::sort(all.begin(), all.end());
  CHECK(all == Words{"initcheck", "memcheck", "racecheck", "synccheck"});
}

TEST_CASE("a program is put behind the tool's own options, each with its value") {
  const Words command = launcher(kProgram, "racecheck", "/scratch/report");
  REQUIRE(command.size() > 5);
  CHECK(Words(command.begin(), command.begin() + 5) ==
        Words{"/opt/compute-sanitizer", "--tool", "racecheck", "--log-file", "/scratch/report"});
  // The tool takes every option's value from the next word, and the first word that is none for the program: "--" is an
  // error to it.
  CHECK(command.size() % 2 == 1);
  for (std::size_t i = 1; i < command.size(); i += 2) CHECK(command[i].size() > 2);
  CHECK(std::find(command.begin(), command.end(), "--padding") == command.end());
  const Words memcheck = launcher(kProgram, "memcheck", "/scratch/report");
  CHECK(std::find(memcheck.begin(), memcheck.end(), "--padding") != memcheck.end());
}

TEST_CASE("an option that older versions do not know is left out for them") {
  auto program = kProgram;
  const Words newer = launcher(program, "memcheck", "/scratch/report");
  CHECK(std::find(newer.begin(), newer.end(), "--strip-paths") != newer.end());
  program.strips_paths = false;
  const Words older = launcher(program, "memcheck", "/scratch/report");
  CHECK(std::find(older.begin(), older.end(), "--strip-paths") == older.end());
}
