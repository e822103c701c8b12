// Catch2 2 is compiled here, with its session and without its main().
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include <cstdio>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "tests/adversarial/outcome.h"
#include "tests/adversarial/setting.h"
#include "tests/support/catch.h"

//   test_adversarial [--kgate PATH] [--work FOLDER] [--only NAME ...] [what Catch2 takes]     "[gpu]": on a GPU
//   test_adversarial --table
int main(int argc, char** argv) {
  setting().kgate = KGATE_BINARY;
  std::vector<char*> rest{argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--table") {
      std::printf("%s", adversarial_table().c_str());
      return 0;
    }
    if (word == "--kgate" && i + 1 < argc) {
      setting().kgate = argv[++i];
    } else if (word == "--work" && i + 1 < argc) {
      setting().work = argv[++i];
    } else if (word == "--only" && i + 1 < argc) {
      setting().only.insert(argv[++i]);
    } else {
      rest.push_back(argv[i]);
    }
  }
  return Catch::Session().run(static_cast<int>(rest.size()), rest.data());
}

Setting& setting() {
  static Setting one;
  return one;
}

TEST_CASE("the table of cheats has at least thirty, and docs/adversarial.md has it", "[table]") {
  std::size_t cheats = 0;
  for (const auto& chapter : chapters()) cheats += chapter.cheats().size();
  CHECK(cheats >= 35);
  CHECK(honest_kernels().size() >= 5);
  INFO("write it anew: test_adversarial --table > docs/adversarial.md");
  const auto written = kgate::read_file(KGATE_SOURCE_DIR "/docs/adversarial.md", 1 << 20);
  const bool is_current = kgate::text_of(written) == adversarial_table();
  CHECK(is_current);
}
