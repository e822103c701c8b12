#include "gate/report/drift_html.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "gate/drift/events.h"
#include "gate/report/drift_html_style.h"
#include "gate/report/drift_kernel_html.h"
#include "gate/report/drift_words.h"
#include "gate/report/format.h"
#include "gate/report/html.h"

namespace kgate::report {
namespace {

using drift::Drift;
using drift::Event;
using drift::Kernel;

constexpr std::size_t kHeadlines = 3, kMostTroubles = 5, kMostEvents = 100, kMostNames = 8, kMostDifferences = 8;
constexpr std::size_t kMostMarks = 60, kMostNotes = 50;

// Whom it is put down to, in one word or two.
std::string by_whom(const Event& event) {
  if (event.cause == drift::Cause::version) return "accepted version";
  if (event.cause == drift::Cause::toolkit) return "toolkit";
  const bool is_driver =
      !event.differences.empty() && std::all_of(event.differences.begin(), event.differences.end(),
                                                [](const auto& one) { return one.axis == "driver"; });
  return is_driver ? "driver" : "machine";
}

// "driver: driver 580.82 -> 580.95" says it twice.
std::string without(const std::string& beginning, const std::string& words) {
  return words.rfind(beginning, 0) == 0 ? words.substr(beginning.size()) : words;
}

double weight_of(const Event& event) {
  return std::abs(std::log(event.ratio)) * static_cast<double>(event.kernels.size());
}

class Page {
 public:
  explicit Page(const Drift& drift) : drift_(drift), grid_(day_grid(drift.nights)) {
    for (std::size_t i = 0; i < drift.kernels.size(); ++i) ids_.emplace(drift.kernels[i].name, fmt::format("k{}", i));
    marks_ = machine_marks();
  }

  std::string write() {
    head();
    headline();
    facts();
    events();
    other_nights();
    notes();
    kernels();
    return text_ + "</body>\n</html>\n";
  }

 private:
  void head() {
    const std::string title = fmt::format("Drift of {}", escaped(drift_.hardware.name, 120));
    text_ += fmt::format(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n{2}<h1>{0}</h1>\n",
        title, kDriftStyle, plot_shapes());
  }

  void headline() {
    const bool passes = verdict::passes(drift_.verdict);
    const Tone tone = tone_of(drift_.verdict);
    std::string line = passes ? "no drift that the policy minds" : verdict::name_of(drift_.verdict);
    if (!drift_.reason.empty()) line += ": " + escaped(drift_.reason);
    if (!passes && drift_.exit_code == 0)
      line += fmt::format(" (the profile {} does not block on it)", escaped(drift_.profile, 60));
    text_ += fmt::format("<p class=\"verdict {}\">{}</p>\n",
                         tone == Tone::good       ? "good"
                         : tone == Tone::doubtful ? "doubtful"
                                                  : "bad",
                         line);
    largest();
    troubles();
  }

  void largest() {
    std::vector<const Event*> all;
    for (const Event& event : drift_.events) all.push_back(&event);
    std::stable_sort(all.begin(), all.end(),
                     [](const Event* a, const Event* b) { return weight_of(*a) > weight_of(*b); });
    if (all.empty()) return;
    if (all.size() > kHeadlines) text_ += fmt::format("<p>The largest of {}:</p>\n", count(all.size(), "change"));
    text_ += "<ul>\n";
    for (std::size_t i = 0; i < std::min(all.size(), kHeadlines); ++i)
      text_ += fmt::format("<li><b>{}</b>: {}</li>\n", by_whom(*all[i]), escaped(sentence_of(*all[i])));
    text_ += "</ul>\n";
  }

  void troubles() {
    std::size_t found = 0;
    for (const Kernel& kernel : drift_.kernels) {
      if (verdict::passes(kernel.verdict)) continue;
      if (found++ == 0) text_ += "<ul>\n";
      if (found > kMostTroubles) continue;
      text_ += fmt::format("<li>{} {}: {}{}</li>\n", verdict::name_of(kernel.verdict), link(kernel.name),
                           escaped(kernel.reason), kernel.blocks ? "" : " (does not block)");
    }
    if (found > kMostTroubles) text_ += fmt::format("<li>and {} more, below</li>\n", found - kMostTroubles);
    if (found != 0) text_ += "</ul>\n";
  }

  void facts() {
    const auto& nights = drift_.nights;
    text_ += "<dl>\n";
    if (nights.empty()) {
      fact("nights", "none yet");
    } else {
      fact("nights",
           fmt::format("{}{}, {} to {}", nights.size(),
                       days_of(drift_) == nights.size() ? "" : fmt::format(" on {}", count(days_of(drift_), "day")),
                       drift::day_text(grid_.first), drift::day_text(grid_.last)));
      if (!nights.back().driver.empty()) fact("driver", nights.back().driver);
      if (!nights.back().toolkit.empty()) fact("toolkit", nights.back().toolkit);
    }
    if (!drift_.since.empty()) fact("nights from", drift_.since);
    fact("GPU", fmt::format("{} ({})", drift_.hardware.name, drift_.hardware.architecture));
    if (drift_.sequence != 0)
      fact("history", fmt::format("{}, record {}, {}", drift_.branch, drift_.sequence, drift_.digest));
    if (const auto& one = drift_.appended)
      fact("this night", fmt::format("record {}, signed by {}, {}", one->sequence, list(one->signers), one->where));
    fact("profile", drift_.profile);
    fact("written", fmt::format("{} by kgate {} {}", drift_.time, drift_.tool_version, drift_.tool_commit));
    text_ += "</dl>\n";
  }

  void fact(const char* name, const std::string& words) {
    text_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(words));
  }

  void events() {
    text_ += "<h2>What changed</h2>\n";
    if (drift_.events.empty()) {
      text_ += "<p>No change is told of these nights; it takes six on each side of one.</p>\n";
      return;
    }
    text_ +=
        "<table>\n<thead><tr><th>since the night of</th><th>by</th><th>time</th><th>kernels</th></tr></thead>\n"
        "<tbody>\n";
    for (std::size_t i = 0; i < std::min(drift_.events.size(), kMostEvents); ++i) add(drift_.events[i]);
    text_ += "</tbody>\n</table>\n";
    if (drift_.events.size() > kMostEvents) {
      text_ += fmt::format("<p class=\"dim\">{} older: drift.json</p>\n",
                           count(drift_.events.size() - kMostEvents, "change"));
    }
  }

  void add(const Event& event) {
    text_ += fmt::format("<tr><td class=\"number\"><b>{}</b></td><td class=\"by\"><b>{}</b>",
                         drift::day_text(event.day), by_whom(event));
    if (event.cause == drift::Cause::version) {
      text_ += ": " + escaped(drift::why_of(event));
    } else if (event.differences.empty()) {
      text_ += ": nothing that kgate records changed";
    } else {
      for (std::size_t i = 0; i < std::min(event.differences.size(), kMostDifferences); ++i)
        text_ += (i == 0 ? ": " : "<br/>") + escaped(without(by_whom(event) + " ", words_of(event.differences[i])));
      if (event.differences.size() > kMostDifferences)
        text_ += fmt::format("<br/>and {} more", event.differences.size() - kMostDifferences);
    }
    text_ += fmt::format("</td><td class=\"number\"><b>{}</b>", change(event.ratio));
    if (event.lowest != event.highest)
      text_ += fmt::format(" <span class=\"dim\">({} to {})</span>", change(event.lowest), change(event.highest));
    text_ += fmt::format("</td><td>{} of {}{}: ", event.kernels.size(), event.of_kernels,
                         event.bound.empty() ? "" : fmt::format(", {}-bound", escaped(event.bound, 20)));
    for (std::size_t i = 0; i < std::min(event.kernels.size(), kMostNames); ++i)
      text_ += (i == 0 ? "" : ", ") + link(event.kernels[i]);
    if (event.kernels.size() > kMostNames) text_ += fmt::format(" and {} more", event.kernels.size() - kMostNames);
    text_ += "</td></tr>\n";
  }

  static std::string words_of(const fingerprint::Difference& one) {
    const std::string what = one.field == "version" ? one.axis : one.axis + "." + one.field;
    return fmt::format("{} {} -> {}", what, cut(one.before, 80), cut(one.after, 80));
  }

  std::string link(const std::string& kernel) const {
    const auto found = ids_.find(kernel);
    const std::string name = escaped(kernel, 120);
    return found == ids_.end() ? name : fmt::format("<a href=\"#{}\">{}</a>", found->second, name);
  }

  // What changed on the machine, whether or not a time did; the newest that there is room for.
  std::vector<PlotMark> machine_marks() const {
    std::map<std::int64_t, std::string> words;
    const auto add = [&](std::int64_t day, const std::string& what) {
      std::string& text = words[day];
      if (text.find(what) == std::string::npos) text += (text.empty() ? "" : "; ") + what;
    };
    const auto& nights = drift_.nights;
    for (std::size_t i = 1; i < nights.size(); ++i) {
      const auto &before = nights[i - 1], &after = nights[i];
      if (before.driver != after.driver && !before.driver.empty() && !after.driver.empty())
        add(after.day, fmt::format("driver {} -> {}", before.driver, after.driver));
      if (before.toolkit != after.toolkit && !before.toolkit.empty() && !after.toolkit.empty())
        add(after.day, fmt::format("toolkit {} -> {}", before.toolkit, after.toolkit));
    }
    for (const Event& event : drift_.events) {
      for (const auto& one : event.differences) {
        if (event.cause != drift::Cause::version && one.axis != "toolkit") add(event.day, words_of(one));
      }
    }
    std::vector<PlotMark> marks;
    for (const auto& [day, text] : words) marks.push_back({day, false, text});
    if (marks.size() > kMostMarks) marks.erase(marks.begin(), marks.end() - static_cast<std::ptrdiff_t>(kMostMarks));
    return marks;
  }

  // Those that no time followed.
  void other_nights() {
    std::string rows;
    for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
      const bool is_told = std::any_of(drift_.events.begin(), drift_.events.end(), [&](const Event& event) {
        return event.day == mark->day && event.cause != drift::Cause::version;
      });
      if (!is_told) rows += fmt::format("<li>{}: {}</li>\n", drift::day_text(mark->day), escaped(mark->words));
    }
    if (rows.empty()) return;
    text_ += "<h2>What changed on the machine, and no time with it</h2>\n<ul>\n" + rows + "</ul>\n";
  }

  void notes() {
    if (drift_.notes.empty()) return;
    text_ += "<h2>Notes</h2>\n<ul>\n";
    for (std::size_t i = 0; i < std::min(drift_.notes.size(), kMostNotes); ++i)
      text_ += fmt::format("<li>{}</li>\n", escaped(drift_.notes[i], 1000));
    if (drift_.notes.size() > kMostNotes)
      text_ += fmt::format("<li>and {} more: drift.json</li>\n", drift_.notes.size() - kMostNotes);
    text_ += "</ul>\n";
  }

  void kernels() {
    if (drift_.kernels.empty()) return;
    text_ += "<h2>Kernels</h2>\n";
    legend();
    std::vector<const Kernel*> order;
    for (const Kernel& kernel : drift_.kernels) order.push_back(&kernel);
    std::stable_partition(order.begin(), order.end(), [](const Kernel* one) { return !verdict::passes(one->verdict); });
    text_ += "<p class=\"dim\">";
    for (const Kernel* one : order) text_ += (one == order.front() ? "" : ", ") + link(one->name);
    text_ += "</p>\n";
    for (const Kernel* one : order) text_ += kernel_section(drift_, *one, ids_.at(one->name), grid_, marks_);
  }

  void legend() {
    text_ += fmt::format(
        "<p>Time of a launch sequence, night by night, as a change against the level at acceptance: of the first "
        "nights "
        "of the version that is accepted now. One case, one colour and one shape. {}</p>\n",
        grid_.bin == 1 ? "A point of a thin line is a night; where nights are missing it ends."
                       : fmt::format("A point of a thin line is the median of up to {} days; where all nights of that "
                                     "many days are missing it ends.",
                                     grid_.bin));
    text_ += fmt::format(
        "<ul class=\"legend\"><li>{}thick: the level between two changes</li><li>{}a single bad night</li><li>{}one "
        "off "
        "the scale</li><li>{}the machine changed: driver, toolkit, ...</li><li>{}another version was accepted</li>"
        "<li>dashed, with a number: a change, its night and its size</li><li>grey: no nights, or the days between "
        "which "
        "a change came</li></ul>\n",
        plot_key(0), plot_key("bad"), plot_key("above"), plot_key("machine"), plot_key("version"));
  }

  const Drift& drift_;
  DayGrid grid_;
  std::map<std::string, std::string> ids_;
  std::vector<PlotMark> marks_;
  std::string text_;
};

}  // namespace

std::string write_drift_html(const Drift& drift) {
  return Page(drift).write();
}

}  // namespace kgate::report
