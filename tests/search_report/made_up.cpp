#include "tests/search_report/made_up.h"

#include <cmath>

using namespace kgate::search::journal;

namespace made_up {
namespace {

CaseFigure figure(const std::string& name, double baseline_us, double ratio) {
  return {name, 1, baseline_us * ratio, baseline_us, 0, ratio, ratio * 0.99, ratio * 1.01};
}

std::string digest(std::int64_t number) {
  return std::string(63, 'a') + static_cast<char>('0' + number % 10);
}

Row row(std::int64_t number, std::int64_t parent, const std::string& outcome, double wide = 0, double tall = 0) {
  Row one;
  one.number = one.iteration = number;
  one.candidate = digest(number);
  if (number != 0) one.parent = digest(parent);
  one.proposer = number < 6 ? "http" : "tuner";
  one.outcome = outcome;
  one.hypotheses = {"idea " + std::to_string(number)};
  one.wall_s = 60.0 * static_cast<double>(number);
  one.compile_s = 2;
  if (wide > 0) {
    one.cases = {figure("wide", 120.5, wide), figure("tall", 12.25, tall)};
    one.score = std::sqrt(wide * tall);
    one.low = one.score * 0.99;
    one.high = one.score * 1.01;
    one.gpu_s = 8;
  }
  return one;
}

Header header() {
  Header one;
  one.kernel = "softmax";
  one.baseline = digest(0);
  one.policy = std::string(64, 'b');
  one.seed = 0x1234;
  one.proposers = {"http", "tuner"};
  one.tool = "0.1.0";
  one.started = "2026-11-29T22:55:27Z";
  return one;
}

}  // namespace

Summary a_search() {
  Summary summary;
  summary.header = header();
  summary.stopped = Stopped{"iterations", "7 iterations were allowed, and all are done", 540};
  summary.rows = {row(0, 0, "better", 1, 1),       row(1, 0, "does_not_compile"),  row(2, 0, "better", 0.9, 0.95),
                  row(3, 2, "slower", 0.7, 1.3),   row(4, 2, "better", 0.7, 0.95), row(5, 4, "suspect"),
                  row(6, 4, "slower", 0.71, 0.96), row(7, 4, "refused"),           row(8, 4, "duplicate")};
  summary.rows[0].hypotheses.clear();
  summary.rows[0].proposer = "baseline";
  summary.rows[1].reason = "softmax.cu(12): error: identifier \"warp\" is undefined";
  summary.rows[1].direction = "warp reductions";
  summary.rows[2].repair_of = 1;
  summary.rows[2].iteration = 1;
  summary.rows[3].hypotheses = {"four elements a load", "\x1b[31mred <script>alert(1)</script>\n::error ::x"};
  summary.rows[4].ablation_of = 3;
  summary.rows[5].reason = "an advantage that exists only where inputs repeat";
  summary.rows[5].direction = "caching";
  summary.rows[6].quick = true;
  summary.rows[7].candidate.clear();
  summary.rows[7].reason = "the direction \"caching\" is closed: proposal 5 was caught cheating";
  summary.rows[8].candidate = digest(6);
  summary.rows[8].reason = "it is proposal 6 once more, which was judged: slower";
  summary.best = 4;
  summary.costs.proposers["http"] = {5, 1, 24000, 3100, 0.42, 61};
  summary.costs.proposers["tuner"] = {3, 0, 0, 0, 0, 0.1};
  summary.costs.tokens = 27100;
  summary.costs.cost_usd = 0.42;
  summary.costs.compile_s = 18;
  summary.costs.gpu_s = 40;
  summary.costs.wall_s = 540;
  summary.pay_back = {2.5, 0.4478, 18.4, 35e6};
  summary.confirmation = Confirmation{true, "faster", "", 0.83, 0.81, 0.85, 90};
  return summary;
}

Summary begun() {
  Summary summary;
  summary.header = header();
  summary.rows = {row(0, 0, "open")};
  summary.rows[0].proposer = "baseline";
  return summary;
}

Summary long_search(std::size_t versions, std::size_t cases) {
  Summary summary = begun();
  summary.rows[0] = row(0, 0, "better", 1, 1);
  for (std::size_t i = 1; i < versions; ++i) {
    Row one = row(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) - 1, "slower", 1.1, 1.2);
    one.candidate = std::to_string(i);
    one.parent = i == 1 ? summary.rows[0].candidate : std::to_string(i - 1);
    summary.rows.push_back(one);
  }
  for (Row& one : summary.rows) {
    one.cases.clear();
    for (std::size_t i = 0; i < cases; ++i) one.cases.push_back(figure("case " + std::to_string(i), 10, 1.1));
  }
  return summary;
}

}  // namespace made_up
