#include "gate/verdict/machine_part.h"

#include "tests/support/catch.h"

using namespace kgate;

namespace {

using Samples = std::vector<std::vector<double>>;

Samples around(double us) {
  std::vector<double> round;
  for (int i = 0; i < 30; ++i) round.push_back(us * (1 + 0.001 * (i % 3)));
  return {round, round};
}

cases::CasesSpec two_cases() {
  cases::CasesSpec spec;
  spec.cases.emplace_back().name = "wide";
  spec.cases.emplace_back().name = "tall";
  return spec;
}

verdict::Figure figure(double us, const char* regime = "graph") {
  verdict::Figure one;
  one.regime = regime;
  one.samples = around(us);
  return one;
}

}  // namespace

TEST_CASE("the machine's part is today's times over those of the record, over all cases") {
  const auto part =
      verdict::compare_figures(two_cases(), {{"wide", {"graph", around(10)}}, {"tall", {"graph", around(100)}}},
                               {{"wide", figure(10.4)}, {"tall", figure(104)}});
  REQUIRE(part.known());
  CHECK(part.ratio == Approx(1.04));
  CHECK(part.low > 1.03);
  CHECK(part.high < 1.05);
}

TEST_CASE("figures of another regime, of other cases or without samples say nothing of the machine") {
  const std::string nothing = "the ledger has no figures that were taken as today's are";
  const std::map<std::string, verdict::Figure> now{{"wide", figure(10)}};
  CHECK(verdict::compare_figures(two_cases(), {{"wide", {"single", around(10)}}}, now).unknown == nothing);
  CHECK(verdict::compare_figures(two_cases(), {{"narrow", {"graph", around(10)}}}, now).unknown == nothing);
  CHECK(verdict::compare_figures(two_cases(), {{"wide", {"graph", {}}}}, now).unknown == nothing);
  CHECK(verdict::compare_figures(two_cases(), {}, {}).unknown == nothing);
  CHECK(verdict::compare_figures(two_cases(), {{"wide", {"graph", around(10)}}}, now).known());
}
