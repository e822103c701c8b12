#include "gate/search/summary.h"

#include <cstdlib>
#include <filesystem>

#include "base/utf8.h"
#include "tests/search/bench.h"
#include "tests/search/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
  return std::string(text_of(read_file(path, 1 << 20)));
}

Scripted paid(Scripted one) {
  one.usage = {1000, 200, 0.25, 3};
  return one;
}

}  // namespace

TEST_CASE("a summary says what was tried, what is the best and what it cost") {
  Bench bench;
  bench.options.budgets.tokens = 100000;
  bench.add({paid(says({"M(wide,80)", "M(tall,120)"}, "fusing")), paid(says({"FAIL(infeasible)"})),
             paid(refuses(Refusal::Kind::unavailable, "the server hangs"))},
            1, "http");
  const History history = bench.run();
  const Summary summary = summarise(history, bench.header(), {}, 3.6);
  CHECK(summary.best == 3);
  CHECK(summary.winner().ablation_of == 1);
  REQUIRE(summary.rows.size() == 5);
  CHECK(summary.rows[0].proposer == "baseline");
  CHECK(summary.rows[4].outcome == "infeasible");
  CHECK(summary.rows[1].tokens == 1200);
  CHECK(summary.rows[3].tokens == 0);  // parts of what was paid for
  CHECK(summary.costs.proposers.at("http").proposals == 2);
  CHECK(summary.costs.proposers.at("http").unanswered == 2);  // a repair among them
  CHECK(summary.costs.tokens == 4 * 1200);
  CHECK(summary.costs.cost_usd == Approx(1));
  // Five evaluations of 2 s of GPU time at 0.001 USD a second; the mean of 2 us and 0 us saved at 1e-9 USD a us.
  CHECK(summary.pay_back.usd == Approx(1.01));
  CHECK(summary.pay_back.saved_us == Approx(1));
  CHECK(*summary.pay_back.launches_a_month == Approx(1.01e9));
  CHECK_FALSE(summarise(history, bench.header()).pay_back.launches_a_month);
  const Json json = journal::to_json(summary);
  CHECK(json["schema"] == "kgate.search-summary/1");
  CHECK(json["gain"].get<double>() == Approx(1 - std::sqrt(0.8)));
  CHECK(json["gain_low"].get<double>() < json["gain_high"].get<double>());
  CHECK(json["stopped"]["why"] == "unanswered");
  CHECK(json["confirmation"].is_null());
  CHECK(json["tried"].size() == 5);
}

TEST_CASE(
    "where the best does not hold, the summary's best is the one before it that does, and what was passed over is "
    "told") {
  Bench bench;
  bench.add({says({"M(wide,80)M(tall,80)"}), says({"M(wide,50)M(tall,50)"})});
  const History history = bench.run();
  REQUIRE(history.best().number == 2);
  Confirmation bad, good;
  bad.verdict = "suspect";
  bad.reason = "an advantage exists only where inputs repeat";
  good.verdict = "faster";
  good.better = true;
  const Summary summary = summarise(history, bench.header(), {{2, bad}, {1, good}});
  CHECK(summary.best == 1);
  CHECK(summary.confirmation->better);
  REQUIRE(summary.passed_over.size() == 1);
  const Json json = journal::to_json(summary);
  CHECK(json["best"] == 1);
  CHECK(json["passed_over"] ==
        Json::parse(
            R"([{"number": 2, "verdict": "suspect", "reason": "an advantage exists only where inputs repeat"}])"));
  write_files(bench.folder.path(), summary, history, history.baseline());
  CHECK(std::string(text_of(read_file(bench.folder.path() / "best.patch", 1 << 20))) ==
        patch_of(history.baseline(), history.version(history.step(1).candidate)));
  // Where none holds, the best is told with what is wrong with it.
  const Summary none = summarise(history, bench.header(), {{2, bad}, {1, bad}});
  CHECK(none.best == 2);
  CHECK(none.confirmation->verdict == "suspect");
  CHECK(none.passed_over.empty());
  // What is known to be wrong or a cheat is nobody's to take.
  write_files(bench.folder.path(), none, history, history.baseline());
  CHECK_FALSE(fs::exists(bench.folder.path() / "best.patch"));
  CHECK_FALSE(fs::exists(bench.folder.path() / "best.cu"));
}

TEST_CASE("a journal that calls better what could not be applied is refused") {
  History history(scripted_baseline(), Budgets{});
  journal::Judged baseline;
  baseline.outcome = "better";
  baseline.score = baseline.low = baseline.high = 1;
  history.take(baseline);
  journal::Proposed proposed;
  proposed.number = proposed.iteration = 1;
  proposed.parent = scripted_baseline().digest;
  proposed.proposer = "http";
  proposed.fault = "it does not fit";
  history.take(proposed);
  journal::Judged judged = baseline;
  judged.number = 1;
  CHECK(error_of([&] { history.take(judged); }) ==
        "usage: proposal 1: is said to be better and could not be applied: somebody edited this journal; give the "
        "search a folder of its own, or remove this one");
}

TEST_CASE("a search that found nothing has no winner, no gain and no files of one") {
  Bench bench;
  bench.add({says({"M(wide,120)"})});
  const History history = bench.run();
  const Summary summary = summarise(history, bench.header(), {}, 3.6);
  CHECK(summary.best == 0);
  CHECK(journal::to_json(summary)["gain"] == 0);
  for (const char* stale : {"best.patch", "best.cu", "best.kernel.toml"})
    write_file_atomic(bench.folder.path() / stale, std::string_view("of another search"));
  CHECK_FALSE(summary.pay_back.launches_a_month);
  write_files(bench.folder.path(), summary, history, history.baseline());
  CHECK(fs::exists(bench.folder.path() / "summary.json"));
  CHECK_FALSE(fs::exists(bench.folder.path() / "best.patch"));
}

TEST_CASE("the winner's patch is applied by git to the baseline and gives the winner") {
  Bench bench;
  bench.add({says({"M(wide,80)M(tall,90)"})});
  const History history = bench.run();
  write_files(bench.folder.path(), summarise(history, bench.header()), history, history.baseline());
  Candidate winner = history.version(history.best().candidate);
  CHECK(contents(bench.folder.path() / "best.cu") == winner.files.at("kernels/scale/scale.cu"));
  CHECK(contents(bench.folder.path() / "best.kernel.toml") == winner.files.at(kSearchPath));
  // With a header that is new, and kernel.toml without a newline at its end.
  winner.files["kernels/scale/new.cuh"] = "int added;\n";
  winner.files[kSearchPath] = "# another\nlast line";
  const TemporaryFolder tree("kgate-patch");
  for (const auto& [path, content] : history.baseline().files)
    write_file_atomic(tree.path() / path, std::string_view(content));
  write_file_atomic(tree.path() / "best.patch", std::string_view(patch_of(history.baseline(), winner)));
  const std::string command = "cd '" + tree.path().string() + "' && git init -q . && git apply best.patch";
  REQUIRE(std::system(command.c_str()) == 0);
  for (const auto& [path, content] : winner.files) CHECK(contents(tree.path() / path) == content);
}

TEST_CASE("a line about a step obeys nobody") {
  Bench bench;
  Scripted bad = says({"M(wide,80)M(tall,90)"}, "\x1b[31mred\n::error ::x");
  bench.add({bad, says({"FAIL(infeasible)"}, "tiling")});
  const History history = bench.run();
  CHECK(line_of_step(history, history.step(0)) == "the baseline: timed");
  CHECK(line_of_step(history, history.step(1)) ==
        "proposal 1, script, \"\\x1b[31mred\\x0a::error ::x\": better -15.1 %, the best so far");
  CHECK(line_of_step(history, history.step(2)) == "proposal 2, script, \"tiling\": infeasible, \"it is said to be\"");
}

TEST_CASE("files that cannot be written are told") {
  Bench bench;
  bench.add({says({"M(wide,80)"})});
  const History history = bench.run();
  const Summary summary = summarise(history, bench.header());
  const fs::path file = bench.folder.path() / "file";
  write_file_atomic(file, std::string_view("x"));
  CHECK(error_of([&] { write_files(file, summary, history, history.baseline()); }) ==
        "usage: " + file.string() + ": cannot be made a folder: Not a directory");
}
