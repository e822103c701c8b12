#include "base/json.h"
#include "base/philox.h"
#include "gate/cases/job.h"
#include "tests/cases/fixtures.h"
#include "tests/support/catch.h"

// Mutations of good files: whatever comes out is either a file that is read whole or an Error that begins with its
// path. Anything else (another exception, a crash, a sanitizer's report) ends the test. The seed is fixed; a longer run
// needs only a larger count.
namespace {

using kgate::RandomStream;

const std::vector<std::string> kPieces{"[",
                                       "]",
                                       "{",
                                       "}",
                                       "=",
                                       "\"",
                                       "\n",
                                       "'",
                                       ".",
                                       ",",
                                       "[[case]]",
                                       "-1",
                                       "1e400",
                                       "nan",
                                       "inf",
                                       "true",
                                       "\"\"",
                                       "9223372036854775807",
                                       "0x7f",
                                       "1979-05-27",
                                       "\x80",
                                       "\xff",
                                       std::string(1, '\0'),
                                       "\"\"\"",
                                       "rows",
                                       "2 * ",
                                       "ceil_div(",
                                       ")",
                                       "[[launch]]",
                                       "[reference]",
                                       "\\u0000",
                                       "a.b.c",
                                       "= {",
                                       "#"};

std::string mutated(std::string text, RandomStream& random) {
  for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(random.below(random.below(2) == 0 ? 4 : 40), text.size() - at);
    switch (random.below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      case 2:
        text.insert(random.below(text.size() + 1), text.substr(at, length));
        break;
      default:
        text.replace(at, length, kPieces[random.below(kPieces.size())]);
    }
  }
  return text;
}

// Runs `action` on a mutant; false where it complained.
template <typename Action>
bool survives(const std::string& path, Action&& action) {
  try {
    action();
    return true;
  } catch (const kgate::Error& error) {
    const std::string message = error.what();
    INFO(message);
    REQUIRE(error.kind() == kgate::ErrorKind::usage);
    REQUIRE(message.compare(0, path.size(), path) == 0);
    REQUIRE(message.find('\n') == std::string::npos);
    kgate::canonical_json(message);  // a report must be able to hold it: UTF-8
  }
  return false;
}

}  // namespace

TEST_CASE("mutated kernel.toml files are read or refused with their path, and bound or refused") {
  RandomStream random(20240601, 0);
  const auto cases = kgate::cases::parse_cases(kgate::test::kCases, "k/cases.toml");
  int read = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = mutated(kgate::test::kKernel, random);
    survives("k/kernel.toml", [&] {
      const auto kernel = kgate::cases::parse_kernel(text, "k/kernel.toml");
      ++read;
      kgate::cases::bind(cases, cases.cases[0], version_of(kernel));
      kgate::cases::entries_of(version_of(kernel));
    });
  }
  CHECK(read > 100);
}

TEST_CASE("mutated cases.toml files are read or refused with their path, and bound or refused") {
  RandomStream random(20240601, 1);
  int read = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = mutated(kgate::test::kCases, random);
    survives("k/cases.toml", [&] {
      const auto cases = kgate::cases::parse_cases(text, "k/cases.toml");
      ++read;
      if (!cases.reference) return;
      for (const auto& one : cases.cases) kgate::cases::bind(cases, one, version_of(*cases.reference));
    });
  }
  CHECK(read > 100);
}

TEST_CASE("deep nesting and long runs of one character end in an error, not in the process's end") {
  const std::string head = "schema = \"kgate.kernel/1\"\nsources = ";
  for (const char* piece : {"[", "{a=", "[{a=", "{a.b.c=", "a.", "\"", "'''", "\\", "#", "\n", "[[a]]\n", "[a.b]\n"}) {
    std::string text = head;
    while (text.size() < 200000) text += piece;
    CHECK_FALSE(survives("k/kernel.toml", [&] { kgate::cases::parse_kernel(text, "k/kernel.toml"); }));
  }
}
