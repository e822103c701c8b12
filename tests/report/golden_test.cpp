#include <algorithm>
#include <set>

#include "base/file.h"
#include "gate/report/writers.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"

namespace {

const std::filesystem::path kFolder = std::filesystem::path(KGATE_TEST_DATA) / "report" / "golden";

std::string golden(const std::string& file) {
  return std::string(kgate::text_of(kgate::read_file(kFolder / file, 1 << 20)));
}

}  // namespace

// To accept a change: build write_golden_reports, run it on tests/report/golden, and read the difference.
TEST_CASE("the reports of every situation are as agreed, to the letter") {
  for (const Sample& sample : samples()) {
    INFO(sample.name);
    for (const auto& writer : kgate::report::writers()) {
      const std::string suffix = golden_suffix(writer.name);
      if (!suffix.empty()) CHECK(writer.write(sample.result, {}) == golden(sample.name + suffix));
    }
  }
}

TEST_CASE("every golden file belongs to a situation") {
  std::set<std::string> expected, found;
  for (const Sample& sample : samples()) {
    for (const auto& writer : kgate::report::writers()) {
      const std::string suffix = golden_suffix(writer.name);
      if (!suffix.empty()) expected.insert(sample.name + suffix);
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) found.insert(entry.path().filename().string());
  CHECK(found == expected);
}
