// A short run of every target with a fixed seed; scripts/fuzz.sh makes the long ones.
#include <string>

#include "tests/fuzz/hammer.h"
#include "tests/fuzz/targets.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

// Files of TOML and bodies with a device behind them take a hundred times as long as a few bytes of JSON.
std::uint64_t executions(const std::string& name) {
  return name == "npy" || name == "safetensors" || name == "json" || name == "envelope" || name == "statement" ? 10000
                                                                                                               : 1500;
}

}  // namespace

TEST_CASE("whatever is done to a good file or message, its reader answers or refuses, and never more") {
  for (const auto& target : fuzz_targets()) {
    INFO(target.name);
    const auto files = corpus(std::string(KGATE_TEST_DATA) + "/fuzz/corpus/" + target.name);
    REQUIRE(files.size() >= 3);
    Hammer options;
    options.executions = executions(target.name);
    options.words = target.words;
    REQUIRE_NOTHROW(hammer(target.call, files, options));
  }
}

TEST_CASE("the files of the corpora are read as they are, before anything is done to them") {
  for (const auto& target : fuzz_targets()) {
    INFO(target.name);
    for (const auto& file : corpus(std::string(KGATE_TEST_DATA) + "/fuzz/corpus/" + target.name))
      REQUIRE_NOTHROW(target.call(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
  }
}
