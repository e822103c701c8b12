#include "gate/report/drift_kernel_html.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "gate/drift/events.h"
#include "gate/report/drift_words.h"
#include "gate/report/format.h"
#include "gate/report/html.h"

namespace kgate::report {
namespace {

using drift::Series;

constexpr std::size_t kMostListed = 20;    // changes in words; the plot has all
constexpr std::size_t kMostVersions = 40;  // marks

// A kernel's part of an event.
struct Part {
  std::size_t event = 0;
  std::vector<std::pair<const Series*, const drift::Change*>> changes;
};

std::string tone(verdict::Verdict verdict) {
  const Tone tone = tone_of(verdict);
  return tone == Tone::good ? "good" : tone == Tone::doubtful ? "doubtful" : "bad";
}

class Section {
 public:
  Section(const drift::Drift& drift, const drift::Kernel& kernel, const DayGrid& grid)
      : drift_(drift), kernel_(kernel), grid_(grid) {
    std::map<std::size_t, Part> parts;
    for (const Series& series : kernel.cases) {
      for (const auto& change : series.changes) {
        parts[change.event].event = change.event;
        parts[change.event].changes.emplace_back(&series, &change);
      }
    }
    for (auto& [event, part] : parts) parts_.push_back(std::move(part));
    std::stable_sort(parts_.begin(), parts_.end(),
                     [&](const Part& a, const Part& b) { return event_of(a).day < event_of(b).day; });
  }

  std::string write(const std::string& id, const std::vector<PlotMark>& marks) {
    text_ = fmt::format("<section id=\"{}\">\n<h3>{} <span class=\"{}\">{}</span></h3>\n", id,
                        escaped(kernel_.name, 120), tone(kernel_.verdict), verdict::name_of(kernel_.verdict));
    if (!kernel_.reason.empty()) {
      text_ += fmt::format("<p>{}{}</p>\n", escaped(kernel_.reason),
                           kernel_.blocks || verdict::passes(kernel_.verdict) ? "" : " (does not block)");
    }
    if (kernel_.cases.empty()) {
      text_ += "<p class=\"dim\">No figures in these nights.</p>\n";
    } else {
      plots(marks);
      changes();
    }
    return text_ + "</section>\n";
  }

 private:
  const drift::Event& event_of(const Part& part) const { return drift_.events[part.event]; }

  void plots(std::vector<PlotMark> marks) {
    const auto versions = version_marks();
    marks.insert(marks.end(), versions.begin(), versions.end());
    const std::vector<Series>& all = kernel_.cases;
    for (std::size_t begin = 0; begin < all.size(); begin += kCasesAPlot) {
      const auto some = std::span(all).subspan(begin, std::min(kCasesAPlot, all.size() - begin));
      const std::string title = fmt::format("{}: times from {} to {}, as changes against the level at acceptance",
                                            kernel_.name, drift::day_text(grid_.first), drift::day_text(grid_.last));
      text_ += "<figure>\n<div class=\"plot\">" + plot_of(title, some, grid_, lines(some), marks) + "</div>\n";
      cases(some);
      text_ += "</figure>\n";
    }
  }

  // Of these cases alone; the number is the kernel's.
  std::vector<PlotChange> lines(std::span<const Series> some) const {
    std::vector<PlotChange> found;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      double logs = 0;
      int count = 0;
      for (const auto& [series, change] : parts_[i].changes) {
        if (series < some.data() || series >= some.data() + some.size()) continue;
        logs += std::log(change->ratio);
        ++count;
      }
      if (count == 0) continue;
      const auto& event = event_of(parts_[i]);
      found.push_back({i + 1, event.last_before, event.day,
                       fmt::format("{} {}", drift::day_text(event.day), change(std::exp(logs / count)))});
    }
    return found;
  }

  std::vector<PlotMark> version_marks() const {
    std::map<std::int64_t, PlotMark> marks;
    for (const Series& series : kernel_.cases) {
      const auto& points = series.points;
      for (std::size_t i = 1; i < points.size() && marks.size() < kMostVersions; ++i) {
        if (points[i].accepted == points[i - 1].accepted || points[i].accepted == 0 || points[i - 1].accepted == 0)
          continue;
        marks[points[i].day] = {points[i].day, true, fmt::format("record {} is accepted", points[i].accepted)};
      }
    }
    std::vector<PlotMark> found;
    for (auto& [day, mark] : marks) found.push_back(std::move(mark));
    return found;
  }

  void cases(std::span<const Series> some) {
    const bool release = std::any_of(some.begin(), some.end(),
                                     [](const Series& one) { return find_against(one, "last-release") != nullptr; });
    text_ += fmt::format(
        "<table>\n<thead><tr><th>case</th><th>us then</th><th>us now</th><th>nights</th><th>since it was accepted</th>"
        "{}</tr></thead>\n<tbody>\n",
        release ? "<th>since the last release</th>" : "");
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Series& one = some[i];
      text_ +=
          fmt::format("<tr><td>{}{}{}</td>", plot_key(i), escaped(one.name, 60),
                      one.bound.empty() ? "" : fmt::format(" <span class=\"dim\">{}-bound</span>", escaped(one.bound)));
      if (one.points.empty()) {
        text_ += fmt::format("<td colspan=\"{}\">no nights</td></tr>\n", release ? 5 : 4);
        continue;
      }
      cell("us then", microseconds(base_us(one)));
      cell("us now", microseconds(one.level_us));
      cell("nights", std::to_string(one.points.size()));
      cell("since it was accepted", held(find_against(one, "accepted")));
      if (release) {
        const auto* const last = find_against(one, "last-release");
        cell("since the last release", held(last) + (last == nullptr ? "" : ", " + escaped(last->release, 40)));
      }
      text_ += "</tr>\n";
    }
    text_ += "</tbody>\n</table>\n";
  }

  void cell(const char* label, const std::string& words) {
    text_ += fmt::format("<td class=\"number\" data-label=\"{}\">{}</td>", label, words);
  }

  // The newest first, as everywhere.
  void changes() {
    if (parts_.empty()) return;
    text_ += "<ol>\n";
    for (std::size_t i = parts_.size(); i-- > 0 && parts_.size() - i <= kMostListed;) {
      const auto& event = event_of(parts_[i]);
      const bool unexplained = event.cause != drift::Cause::version && event.differences.empty();
      std::string sizes;
      for (const auto& [series, change] : parts_[i].changes) {
        sizes += fmt::format("{}{} {}", sizes.empty() ? "" : "; ", escaped(series->name, 60),
                             report::change(change->ratio, change->low, change->high));
      }
      text_ += fmt::format(
          "<li value=\"{}\">{} (the night before it: {}), {}: {}</li>\n", i + 1, drift::day_text(event.day),
          drift::day_text(event.last_before),
          unexplained ? "nothing that kgate records changed (the machine)" : escaped(drift::why_of(event)), sizes);
    }
    text_ += "</ol>\n";
    if (parts_.size() > kMostListed)
      text_ += fmt::format("<p class=\"dim\">{} older: drift.json</p>\n", count(parts_.size() - kMostListed, "change"));
  }

  const drift::Drift& drift_;
  const drift::Kernel& kernel_;
  const DayGrid& grid_;
  std::vector<Part> parts_;  // by night
  std::string text_;
};

}  // namespace

std::string kernel_section(const drift::Drift& drift, const drift::Kernel& kernel, const std::string& id,
                           const DayGrid& grid, const std::vector<PlotMark>& marks) {
  return Section(drift, kernel, grid).write(id, marks);
}

}  // namespace kgate::report
