#include "bench/edges.h"

#include <chrono>

#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>

namespace kgate::bench {
namespace {

constexpr double kTarget = 1e-5;  // error / cases of kgate_options

}  // namespace

double rate_upper_bound(std::int64_t errors, std::int64_t trials) {
  if (errors >= trials) return 1;
  return boost::math::binomial_distribution<double>::find_upper_bound_on_p(static_cast<double>(trials),
                                                                           static_cast<double>(errors), 0.025);
}

std::vector<Cell> run_edges(const std::vector<NoiseModel>& models, const Study& study) {
  std::vector<Cell> all;
  fmt::print("{:40} {:>6} {:>8} {:>9} {:>9} {:>9} {:>7} {:>10} {:>7} {:>6} {:>8}\n", "model", "effect", "errors",
             "trials", "rate", "95% up to", "<=1e-5", "undecided", "median", "p99", "us/trial");
  const RuleSet rule = kgate_rule();
  for (const auto& model : models) {
    const stats::Zone zone = kgate_options(model).decision.zone;
    for (const double effect : {zone.tolerate, zone.block}) {
      const auto start = std::chrono::steady_clock::now();
      const Cell cell = run_cells(rule, model, effect, study).front();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const Tally& tally = cell.tally;
      const std::int64_t errors = effect == zone.tolerate ? tally.blocked : tally.passed;
      const double rate = tally.share(errors);
      fmt::print("{:40} {:>4.2g} % {:>8} {:>9} {:>9.2g} {:>9.2g} {:>7} {:>8.3f} % {:>7} {:>6} {:>8.2f}\n",
                 model.name + (model.stated ? "" : " (beyond)"), 100 * effect, errors, tally.trials(), rate,
                 rate_upper_bound(errors, tally.trials()), rate <= kTarget ? "yes" : "NO",
                 100 * tally.share(tally.undecided), tally.samples(0.5), tally.samples(0.99),
                 1e6 * seconds / static_cast<double>(tally.trials()));
      std::fflush(stdout);
      all.push_back(cell);
    }
  }
  return all;
}

}  // namespace kgate::bench
