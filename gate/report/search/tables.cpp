#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/search/parts.h"
#include "gate/report/search/text.h"

namespace kgate::report {
namespace {

using search::journal::CaseFigure;
using search::journal::Row;
using search::journal::Summary;

constexpr std::size_t kMostCases = 12, kMostRows = 100;

// Three steps to each side, from 1 %, 5 % and 20 % on; of a search that gained more, up to `most` (in ln ratio), by
// thirds of that: all versions of a bad beginning are 20 % better.
std::string shade_of(double ratio, double most) {
  const double change = std::abs(std::log(ratio)), share = change / most;
  const bool fine = most < std::log(1.5);
  const int step = change < 0.01     ? 0
                   : change < 0.05   ? 1
                   : fine            ? (change < 0.2 ? 2 : 3)
                   : share < 1.0 / 3 ? 1
                                     : (share < 2.0 / 3 ? 2 : 3);
  return step == 0 ? "" : fmt::format(" {}{}", ratio < 1 ? "h" : "l", step);
}

// The largest change of a case over all versions, in ln ratio.
double largest_change(const Summary& summary, const std::string& name) {
  double most = 0;
  for (const Row& row : summary.rows) {
    for (const CaseFigure& one : row.cases) {
      if (one.name == name && one.ratio > 0) most = std::max(most, std::abs(std::log(one.ratio)));
    }
  }
  return most;
}

const CaseFigure* figure_of(const Row& row, const std::string& name) {
  const auto found =
      std::find_if(row.cases.begin(), row.cases.end(), [&](const auto& one) { return one.name == name; });
  return found == row.cases.end() ? nullptr : &*found;
}

}  // namespace

std::string search_heat_map(const Summary& summary) {
  const auto& cases = summary.rows.front().cases;
  const std::size_t shown = std::min(cases.size(), kMostCases);
  std::vector<const Row*> timed;
  for (const Row& row : summary.rows) {
    if (!row.cases.empty()) timed.push_back(&row);
  }
  if (timed.empty()) return "<p>Nothing was timed.</p>\n";
  std::string text = "<table class=\"heat\">\n<thead><tr><th>proposal</th>";
  std::vector<double> most;
  for (std::size_t i = 0; i < shown; ++i) {
    most.push_back(largest_change(summary, cases[i].name));
    text += fmt::format("<th>{}</th>", escaped(cases[i].name, 40));
  }
  text += "</tr></thead>\n<tbody>\n";
  const std::size_t old = timed.size() > kMostRows ? timed.size() - kMostRows : 0;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Row& row = *timed[i];
    if (row.number != 0 && row.number != summary.best && i <= old) {
      ++left_out;
      continue;
    }
    text +=
        fmt::format("<tr><td class=\"number\">{}{}{}</td>", search_key(row.outcome),
                    row.number == 0 ? "baseline" : std::to_string(row.number), row.number == summary.best ? " *" : "");
    for (std::size_t j = 0; j < shown; ++j) {
      const CaseFigure* one = figure_of(row, cases[j].name);
      if (one == nullptr) {
        text += "<td></td>";
        continue;
      }
      text += fmt::format("<td class=\"number{}\" data-label=\"{}\">{} us{}</td>",
                          row.number == 0 ? "" : shade_of(one->ratio, most[j]), escaped(cases[j].name, 40),
                          microseconds(one->us), row.number == 0 ? "" : fmt::format(" ({})", change(one->ratio)));
    }
    text += "</tr>\n";
  }
  text += "</tbody>\n</table>\n";
  if (left_out > 0) text += fmt::format("<p class=\"dim\">{} more: summary.json</p>\n", count(left_out, "version"));
  if (cases.size() > shown)
    text += fmt::format("<p class=\"dim\">{} more: summary.json</p>\n", count(cases.size() - shown, "case"));
  return text;
}

std::string search_cost_sheet(const Summary& summary) {
  std::string text =
      "<table>\n<thead><tr><th>proposer</th><th>proposals</th><th>no answer</th><th>tokens in</th><th>tokens out</th>"
      "<th>USD</th><th>waited</th></tr></thead>\n<tbody>\n";
  for (const auto& [name, one] : summary.costs.proposers) {
    text += fmt::format(
        "<tr><td>{}</td><td class=\"number\" data-label=\"proposals\">{}</td><td class=\"number\" data-label=\"no "
        "answer\">{}</td>"
        "<td class=\"number\" data-label=\"tokens in\">{}</td><td class=\"number\" data-label=\"tokens out\">{}</td>"
        "<td class=\"number\" data-label=\"USD\">{:.2f}</td><td class=\"number\" data-label=\"waited\">{:.0f} "
        "s</td></tr>\n",
        escaped(name, 40), one.proposals, one.unanswered, one.tokens_in, one.tokens_out, one.cost_usd, one.seconds);
  }
  text += "</tbody>\n</table>\n<ul>\n";
  for (const std::string& line : search_costs(summary)) text += fmt::format("<li>{}</li>\n", escaped(line));
  return text + "</ul>\n";
}

}  // namespace kgate::report
