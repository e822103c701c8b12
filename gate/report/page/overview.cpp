#include "gate/report/page/overview.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/page/markup.h"
#include "gate/report/page/strip.h"

namespace kgate::report {
namespace {

using verdict::Zone;

constexpr std::size_t kMostRows = 60;
constexpr std::size_t kCaseColumns = 60;

class Overview {
 public:
  Overview(const std::vector<Row>& rows, std::size_t total)
      : rows_(rows), total_(total), shown_(std::min(rows.size(), kMostRows)), axis_(intervals(rows), widest(rows)) {}

  std::string write() const {
    std::string text = "<table class=\"chart\">\n<thead><tr><th>kernel and case</th><th class=\"plot\">" +
                       (has_times() ? axis_.ticks() : "") +
                       "</th><th>change of time</th><th>verdict</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < shown_; ++i) text += row(rows_[i]);
    text += others();
    return text + "</tbody>\n</table>\n" + caption();
  }

 private:
  static std::vector<Interval> intervals(const std::vector<Row>& rows) {
    std::vector<Interval> all;
    for (const Row& one : rows) {
      if (one.time) all.push_back({one.time->ratio, one.time->low, one.time->high});
    }
    return all;
  }

  static std::optional<Zone> widest(const std::vector<Row>& rows) {
    std::optional<Zone> found;
    for (const Row& one : rows) {
      if (one.time && one.time->zone && (!found || one.time->zone->block > found->block)) found = one.time->zone;
    }
    return found;
  }

  bool has_times() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const Row& one) { return one.time.has_value(); });
  }

  static std::string name(const Row& one) {
    std::string text = fmt::format("<a href=\"#{}\">{}</a>", one.kernel->id, one.kernel->name);
    if (one.one != nullptr) text += " <b>" + escaped(one.one->name, kCaseColumns) + "</b>";
    // Beside what the others are not.
    if (one.time && !one.time->against.empty() && one.time->against != "base")
      text += " <span class=\"dim\">beside " + escaped(one.time->against, 40) + "</span>";
    return text;
  }

  std::string row(const Row& one) const {
    std::string plot, number;
    if (one.time) {
      const auto& time = *one.time;
      number = change(time.ratio, time.low, time.high);
      plot = strip_of({{time.ratio, time.low, time.high},
                       time.zone,
                       tone_class(one.verdict),
                       sign_of(one.verdict),
                       false,
                       fmt::format("{}: {}", verdict::name_of(one.verdict), number)},
                      axis_);
    } else {
      plot = fmt::format("<span class=\"dim\">{}</span>", one.one == nullptr ? "no case" : "not timed");
    }
    return fmt::format("<tr><td>{}</td><td class=\"plot\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                       name(one), plot, number, badge(one.verdict));
  }

  // Together they are a shape on the same axis.
  std::string others() const {
    std::vector<double> ratios;
    std::size_t untimed = 0;
    for (std::size_t i = shown_; i < rows_.size(); ++i) {
      if (rows_[i].time) {
        ratios.push_back(rows_[i].time->ratio);
      } else {
        ++untimed;
      }
    }
    std::string text;
    if (untimed > 0) {
      text += fmt::format(
          "<tr><td>{} more</td><td class=\"plot\"><span class=\"dim\">not timed, did not pass</span>"
          "</td><td></td><td></td></tr>\n",
          count(untimed, "case"));
    }
    if (ratios.empty()) return text;
    const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
    const std::string range = *low == *high ? change(*low) : change(*low) + " to " + change(*high);
    return text + fmt::format(
                      "<tr><td>{} more</td><td class=\"plot\">{}</td><td class=\"number\">{}</td><td>{}</td>"
                      "</tr>\n",
                      count(ratios.size(), "case"),
                      density_of(ratios, axis_,
                                 fmt::format("the ratios of {} more, {}; a bar is how many have such a one",
                                             count(ratios.size(), "case"), range)),
                      range, verdicts());
  }

  // Of those that have no row of their own.
  std::string verdicts() const {
    const auto bad = std::count_if(rows_.begin() + static_cast<std::ptrdiff_t>(shown_), rows_.end(),
                                   [](const Row& one) { return !verdict::passes(one.verdict); });
    return bad == 0 ? "all pass" : fmt::format("{} do not pass", bad);
  }

  std::string caption() const {
    std::string text = "<p class=\"dim\">";
    text += has_times()
                ? "A mark is how much longer the candidate takes than the version before it, the line through it "
                  "how exactly that is known; the vertical line is no change."
                : "None of these was timed.";
    bool has_zone = false, differ = false;
    Zone first;
    for (const Row& one : rows_) {
      if (!one.time || !one.time->zone) continue;
      const Zone& zone = *one.time->zone;
      differ = differ || (has_zone && (zone.tolerate != first.tolerate || zone.block != first.block));
      if (!has_zone) first = zone;
      has_zone = true;
    }
    if (has_zone) {
      text += fmt::format(
          " Shaded is the zone of the policy, {}: left of it is tolerated, and the paler part right of it is what "
          "nobody accepts. A case passes where it is proved to be left of the paler part, and is slower where it is "
          "proved to be right of what is tolerated.",
          differ ? std::string("which is not the same for all")
                 : fmt::format("{} to {}", change(1 + first.tolerate), change(1 + first.block)));
    }
    const bool beyond = std::any_of(rows_.begin(), rows_.end(),
                                    [&](const Row& one) { return one.time && !axis_.holds(one.time->ratio); });
    if (beyond) text += " An arrow at the edge: farther out than the axis; the number says how far.";
    if (rows_.size() > shown_) {
      text += fmt::format(" The {} worst have a row; what {} more are together is the last row's shape.", shown_,
                          rows_.size() - shown_);
    }
    const auto cases = static_cast<std::size_t>(
        std::count_if(rows_.begin(), rows_.end(), [](const Row& one) { return one.one != nullptr; }));
    if (total_ > cases) {
      text += fmt::format(" Not here: {}, checked and right, not timed.", count(total_ - cases, "case"));
    }
    return text + "</p>\n";
  }

  const std::vector<Row>& rows_;
  std::size_t total_, shown_;
  Axis axis_;
};

}  // namespace

std::string overview_of(const std::vector<Row>& rows, std::size_t total) {
  if (rows.empty()) {
    return fmt::format("<p>No case was timed{}.</p>\n",
                       total == 0 ? "" : fmt::format(": {}, checked and right", count(total, "case")));
  }
  return Overview(rows, total).write();
}

}  // namespace kgate::report
