#include "gate/report/search/text.h"

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "gate/report/format.h"
#include "tests/search_report/made_up.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::report;

namespace {

std::string golden(const std::string& file) {
  const auto folder = std::filesystem::path(KGATE_TEST_DATA) / "search_report" / "golden";
  return std::string(text_of(read_file(folder / file, 1 << 20)));
}

}  // namespace

TEST_CASE("a search's answer at a terminal is as agreed, to the letter") {
  CHECK(write_search_text(made_up::a_search(), 100) == golden("a_search.txt"));
  CHECK(write_search_text(made_up::begun(), 100) == golden("begun.txt"));
}

TEST_CASE("no line is wider than the terminal, and none obeys a proposer") {
  for (const int width : {60, 80, 140}) {
    std::istringstream lines(write_search_text(made_up::a_search(), width));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(columns(line) <= static_cast<std::size_t>(width) + 60);  // columns of words are never narrower than 20
      CHECK(line.find('\x1b') == std::string::npos);
      CHECK(line.find("::error") != 0);
    }
  }
}

TEST_CASE("a winner is called better only where the gate confirms it") {
  auto summary = made_up::a_search();
  summary.confirmation.reset();
  CHECK(search_headline(summary) ==
        "proposal 4 takes 81.5 % of the baseline's time as the search measured it; that was not confirmed");
  summary.confirmation.emplace();
  summary.confirmation->verdict = "wrong";
  summary.confirmation->reason = "case \"held out\": 12 elements differ";
  CHECK(search_headline(summary) ==
        "proposal 4 takes 81.5 % of the baseline's time as the search measured it, and the gate does not confirm it: "
        "case "
        "\"held out\": 12 elements differ");
  summary.best = 0;
  CHECK(search_headline(summary) == "nothing better was found");
}

TEST_CASE("what was passed over is told below the answer, and only a confirmed version is offered") {
  auto summary = made_up::a_search();
  CHECK(write_search_text(summary, 100).find("To take it: git apply") != std::string::npos);
  summary.passed_over.push_back({5, "suspect", "an advantage exists only where \x1b[2J inputs repeat"});
  CHECK(search_passed_over(summary) ==
        std::vector<std::string>{"proposal 5 seemed better, and the gate does not confirm it: an advantage exists only "
                                 "where \\x1b[2J inputs repeat"});
  CHECK(write_search_text(summary, 200).find("\nproposal 5 seemed better, and the gate") != std::string::npos);
  summary.confirmation->better = false;
  CHECK(write_search_text(summary, 100).find("To take it: git apply") == std::string::npos);
}

TEST_CASE("the pay-back is told where there is a price and something was saved") {
  const auto summary = made_up::a_search();
  CHECK(search_costs(summary) ==
        std::vector<std::string>{
            "540 s, of which 40.0 s on the GPU and 18.0 s of compiling", "27100 tokens, 0.42 USD to models",
            "a launch takes 18.4 us less, as the cases' weights have it",
            "at 2.5 USD a GPU hour it cost 0.4478 USD; 35000000 launches in a month pay that back"});
  auto without = summary;
  without.pay_back.launches_a_month.reset();
  CHECK(search_costs(without).size() == 3);
}
