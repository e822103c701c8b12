#include "gate/verdict/timing/company.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/verdict/experiment_bench.h"

using namespace kgate::verdict;

TEST_CASE(
    "a version that is slower beside the candidate than alone, surely and by more than the room for it, was slowed") {
  const std::vector<double> alone{10, 10.1, 9.9, 10, 10.05, 9.95}, close{10.2, 10.3, 10.1, 10.2, 10.25, 10.15},
      far{11, 11.1, 10.9, 11, 11.05, 10.95}, wild{8, 15, 11, 7, 16, 11};
  CHECK_FALSE(compare_company(close, alone).slowed);
  CHECK(compare_company(far, alone).slowed);
  CHECK(compare_company(far, alone).ratio == Approx(1.1).epsilon(0.001));
  CHECK_FALSE(compare_company(alone, far).slowed);
  CHECK_FALSE(compare_company(wild, alone).slowed);
  CHECK_FALSE(compare_company({11, 11, 11}, alone).slowed);
}

TEST_CASE("a candidate that slows down what runs beside it is suspect, after a second look") {
  ExperimentBench bench;
  bench.alone = true;
  bench.fields = ":beside=1.2";
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::suspect);
  CHECK(one.reason ==
        "the base version takes 100 us alone and 20.0 % more beside this one: this one slows down what runs beside it, "
        "so the ratio says too little");
  const auto asked = bench.asked();
  CHECK(std::count(asked.begin(), asked.end(), "batch 16 stretch 0") == 3);
}

TEST_CASE("an honest candidate is timed without company once, and one that is slower not at all") {
  ExperimentBench bench, slower;
  bench.alone = slower.alone = true;
  slower.ratio = 1.1;
  CHECK(bench.time().cases.front().verdict == Verdict::pass);
  CHECK(slower.time().cases.front().verdict == Verdict::regressed);
  const auto asked = bench.asked(), of_slower = slower.asked();
  CHECK(std::count(asked.begin(), asked.end(), "batch 16 stretch 0") == 1);
  CHECK(std::count(of_slower.begin(), of_slower.end(), "batch 16 stretch 0") == 0);
}

TEST_CASE("an earlier version that fails without the candidate is not the candidate's fault") {
  ExperimentBench bench;
  bench.alone = true;
  bench.fields = ":alone=fails";
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::environment);
  CHECK(one.reason == "an earlier version, timed alone: a fault of its own");
}
