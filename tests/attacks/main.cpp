// Catch2 2 is compiled here, with its session and without its main().
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "tests/attacks/rows.h"
#include "tests/support/catch.h"

// Every row is a test case of its own, by its name. Catch2 takes plain functions, so there is one for each number.
namespace {

constexpr std::size_t kMostRows = 256;

template <std::size_t n>
void play_one() {
  play_row(n);
}

template <std::size_t... n>
constexpr std::array<void (*)(), sizeof...(n)> players(std::index_sequence<n...>) {
  return {&play_one<n>...};
}

// The last of all: in the output of the tests, and in the documentation.
void print_table() {
  const std::string table = attack_table();
  std::printf("%s\n", table.c_str());
  CHECK(row_count() >= 40);
  INFO("write it anew: test_attacks --table > docs/attacks.md");
  const auto written = kgate::read_file(KGATE_SOURCE_DIR "/docs/attacks.md", 1 << 20);
  const bool is_current = kgate::text_of(written) == table;
  CHECK(is_current);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--table") {
    std::printf("%s", attack_table().c_str());
    return 0;
  }
  constexpr auto kPlayers = players(std::make_index_sequence<kMostRows>());
  for (std::size_t row = 0; row < row_count(); ++row)
    REGISTER_TEST_CASE(kPlayers.at(row), row_name(row).c_str(), "[attack]");
  REGISTER_TEST_CASE(&print_table, "the table of attacks is printed, and docs/attacks.md has it", "[table]");
  return Catch::Session().run(argc, argv);
}
