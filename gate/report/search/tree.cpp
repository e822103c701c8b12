#include <map>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/search/parts.h"
#include "gate/report/search/text.h"

namespace kgate::report {
namespace {

using search::journal::Row;
using search::journal::Summary;

constexpr std::size_t kMostRows = 300, kDeepest = 12, kMostHypotheses = 4;

class Tree {
 public:
  explicit Tree(const Summary& summary) : summary_(summary) {
    std::map<std::string, std::size_t> first;  // that had this version
    for (std::size_t i = 0; i < summary.rows.size(); ++i) {
      const Row& row = summary.rows[i];
      const auto parent = first.find(row.parent);
      // What was made from nothing that is known is told beneath the baseline.
      if (i != 0) children_[parent == first.end() ? 0 : parent->second].push_back(i);
      if (!row.candidate.empty()) first.emplace(row.candidate, i);
    }
  }

  std::string write() {
    std::string text = "<ul class=\"tree\">\n";
    branch(0, 0, text);
    text += "</ul>\n";
    if (summary_.rows.size() > written_)
      text += fmt::format("<p class=\"dim\">{} more: summary.json</p>\n",
                          count(summary_.rows.size() - written_, "version"));
    return text;
  }

 private:
  void branch(std::size_t at, std::size_t depth, std::string& text) {
    if (written_ == kMostRows) return;
    ++written_;
    text += "<li>" + words_of(summary_.rows[at]);
    const auto children = children_.find(at);
    const bool nested = children != children_.end() && depth < kDeepest;
    text += nested ? "\n<ul>\n" : "</li>\n";
    // Deeper ones follow on the same level: nobody can read further to the right.
    if (children != children_.end()) {
      for (const std::size_t child : children->second) branch(child, depth + 1, text);
    }
    if (nested) text += "</ul></li>\n";
  }

  std::string words_of(const Row& row) const {
    if (row.number == 0) return search_key(row.outcome) + "<b>the baseline</b>";
    std::string text = fmt::format("{}<b>{}</b> {}", search_key(row.outcome), row.number, escaped(row.outcome));
    if (const std::string time = search_time(row); !time.empty()) text += " " + time;
    if (row.number == summary_.best) text += " <b>* the best</b>";
    text += fmt::format(" <span class=\"dim\">{}{}", escaped(row.proposer, 40),
                        row.direction.empty() ? "" : ", " + escaped(row.direction, 80));
    if (row.repair_of != 0) text += fmt::format(", repairs {}", row.repair_of);
    if (row.ablation_of != 0) text += fmt::format(", parts of {}", row.ablation_of);
    text += "</span>";
    for (std::size_t i = 0; i < row.hypotheses.size() && i < kMostHypotheses; ++i)
      text += "<br/>" + escaped(row.hypotheses[i], 200);
    if (row.score <= 0 && !row.reason.empty())
      text += fmt::format("<br/><span class=\"dim\">{}</span>", escaped(row.reason, 200));
    return text;
  }

  const Summary& summary_;
  std::map<std::size_t, std::vector<std::size_t>> children_;
  std::size_t written_ = 0;
};

}  // namespace

std::string search_tree(const Summary& summary) {
  return Tree(summary).write();
}

}  // namespace kgate::report
