#include "gate/report/search/page.h"

#include <fmt/format.h>

#include "gate/report/drift_html_style.h"
#include "gate/report/html.h"
#include "gate/report/search/parts.h"
#include "gate/report/search/text.h"

namespace kgate::report {
namespace {

using search::journal::Summary;

// Beside the style that it shares with drift.html. Shades differ in more than colour: what got slower is hatched by
// its border, and each cell says its number.
constexpr const char* kStyle = R"css(
.heat td.number { padding: 0.2rem 0.5rem; }
.h1 { background: color-mix(in srgb, var(--c0) 12%, transparent); }
.h2 { background: color-mix(in srgb, var(--c0) 26%, transparent); }
.h3 { background: color-mix(in srgb, var(--c0) 42%, transparent); }
.l1 { background: color-mix(in srgb, var(--c1) 12%, transparent); border-right: 2px dashed var(--c1); }
.l2 { background: color-mix(in srgb, var(--c1) 26%, transparent); border-right: 3px dashed var(--c1); }
.l3 { background: color-mix(in srgb, var(--c1) 42%, transparent); border-right: 4px solid var(--c1); }
.tree, .tree ul { list-style: none; padding-left: 1.1rem; border-left: 1px solid var(--line); }
.tree { padding-left: 0; border: 0; }
.tree li { margin: 0.35rem 0; font-size: 0.9rem; }
)css";

std::string facts(const Summary& summary) {
  std::string text = "<dl>\n";
  const auto fact = [&](const char* name, const std::string& words) {
    if (!words.empty()) text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(words));
  };
  const auto& header = summary.header;
  std::string proposers;
  for (const std::string& one : header.proposers) proposers += (proposers.empty() ? "" : ", ") + one;
  for (const std::string& line : search_passed_over(summary)) fact("not confirmed", line);
  fact("end", search_end(summary));
  fact("proposers", proposers);
  fact("versions tried", std::to_string(summary.rows.size() - 1));
  fact("began with", header.baseline);
  fact("best", summary.best == 0 ? "" : summary.winner().candidate);
  fact("policy", header.policy);
  fact("seed", fmt::format("{:016x}", header.seed));
  fact("begun", header.started);
  fact("kgate", header.tool);
  return text + "</dl>\n";
}

}  // namespace

std::string write_search_page(const Summary& summary) {
  const std::string title = fmt::format("Search for a better {}", escaped(summary.header.kernel, 120));
  const bool confirmed = summary.confirmation && summary.confirmation->better;
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n<body>\n{3}<h1>{0}</h1>\n<p class=\"verdict {4}\">{5}</p>\n",
      title, kDriftStyle, kStyle, search_shapes(), confirmed ? "good" : "doubtful",
      escaped(search_headline(summary), 600));
  text += facts(summary);
  const auto section = [&](const char* name, const std::string& markup) {
    text += fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", name, markup);
  };
  section("Progress", search_progress(summary));
  section("Times by case", search_heat_map(summary));
  section("Versions", search_tree(summary));
  section("Cost", search_cost_sheet(summary));
  return text + "</body>\n</html>\n";
}

}  // namespace kgate::report
