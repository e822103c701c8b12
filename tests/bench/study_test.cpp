#include <cmath>
#include <string>
#include <vector>

#include "bench/edges.h"
#include "bench/noise.h"
#include "bench/rules.h"
#include "bench/table.h"
#include "bench/tally.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::bench;

namespace {

std::string csv_with(std::uint64_t seed, int threads) {
  std::vector<Cell> cells;
  for (const auto& model : noise_models()) {
    if (model.name != "normal 1 %" && model.name != "bursts") continue;
    for (const auto& rules : all_rules()) {
      for (auto& cell : run_cells(rules, model, 0.005, {seed, 600, threads})) {
        if (cell.rule.find("nvbench") == std::string::npos) cells.push_back(std::move(cell));
      }
    }
  }
  return csv_of(cells);
}

}  // namespace

TEST_CASE("the same seed gives the same figures, whatever the threads") {
  const std::string one = csv_with(5, 1);
  CHECK(csv_with(5, 3) == one);
  CHECK(csv_with(6, 1) != one);
}

TEST_CASE("a tally counts answers and samples, and two of them add up") {
  Tally first, second;
  for (int i = 1; i <= 90; ++i) first.add({Answer::pass, 20});
  for (int i = 1; i <= 9; ++i) second.add({Answer::block, 40});
  second.add({Answer::undecided, 3000});
  first.add(second);
  CHECK(first.trials() == 100);
  CHECK(first.passed == 90);
  CHECK(first.blocked == 9);
  CHECK(first.undecided == 1);
  CHECK(first.samples(0.5) == 20);
  CHECK(first.samples(0.99) == 40);
  CHECK(first.samples(1) == 3000);
}

TEST_CASE("the CSV has a row for a rule, model and effect, with errors where the zone says so") {
  Tally tally;
  tally.add({Answer::block, 14});
  tally.add({Answer::pass, 20});
  const auto row = [&](double effect) { return csv_of({{"kgate", "normal 1 %", true, effect, tally}}); };
  const std::string head =
      "rule,model,stated,effect,trials,blocked,passed,undecided,false_alarms,misses,samples_median,samples_p99\n";
  CHECK(row(0.005) == head + "\"kgate\",\"normal 1 %\",1,0.005,2,1,1,0,1,0,14,20\n");
  CHECK(row(0.01) == head + "\"kgate\",\"normal 1 %\",1,0.01,2,1,1,0,0,0,14,20\n");
  CHECK(row(0.02) == head + "\"kgate\",\"normal 1 %\",1,0.02,2,1,1,0,0,1,14,20\n");
}

TEST_CASE("the upper bound of a rate is Clopper and Pearson's") {
  // No errors in n trials: 1 - 0.025^(1 / n).
  CHECK(std::abs(rate_upper_bound(0, 100) - 0.036217) < 1e-6);
  // 5 of 50: the textbook interval is 0.0333 to 0.2181.
  CHECK(std::abs(rate_upper_bound(5, 50) - 0.2181) < 1e-4);
  CHECK(rate_upper_bound(3, 3) == 1);
}

TEST_CASE("kgate's rule makes no error at the edges of the zone under any stated model") {
  for (const auto& model : noise_models()) {
    if (!model.stated) continue;
    const stats::Zone zone = kgate_options(model).decision.zone;
    const Tally tolerated = run_cells(kgate_rule(), model, zone.tolerate, {1, 2000, 2}).front().tally;
    const Tally unacceptable = run_cells(kgate_rule(), model, zone.block, {1, 2000, 2}).front().tally;
    INFO(model.name);
    CHECK(tolerated.blocked == 0);
    CHECK(unacceptable.passed == 0);
    CHECK(tolerated.share(tolerated.undecided) < 0.02);
    CHECK(unacceptable.share(unacceptable.undecided) < 0.02);
  }
}
