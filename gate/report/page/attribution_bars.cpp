#include "gate/report/page/attribution_bars.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/page/markup.h"
#include "gate/report/page/strip.h"

namespace kgate::report {
namespace {

using verdict::Attribution;
using verdict::Part;

constexpr std::size_t kMostDifferences = 60;

bool drawable(const Part& part) {
  return part.known() && std::isfinite(part.ratio) && std::isfinite(part.low) && std::isfinite(part.high) &&
         part.low > 0 && part.ratio > 0;
}

struct Cause {
  std::string name;
  const Part& part;
};

std::string row(const std::string& name, const std::string& plot, const std::string& words) {
  return fmt::format("<tr><td>{}</td><td class=\"plot\">{}</td><td class=\"number\">{}</td></tr>\n", name, plot, words);
}

std::string row_of(const Cause& cause, const Axis& axis) {
  const Part& part = cause.part;
  const std::string name = escaped(cause.name, 120);
  if (!drawable(part)) return row(name, "<span class=\"dim\">not known: " + escaped(part.unknown, 200) + "</span>", "");
  const bool exact = part.low == part.high;
  const std::string words = exact ? change(part.ratio) : change(part.ratio, part.low, part.high);
  const bool slower = part.low > 1, faster = part.high < 1;
  Strip strip{{part.ratio, part.low, part.high}, std::nullopt, slower ? "bad" : "good", "good", true,
              cause.name + ": " + words};
  strip.sign = slower ? "slower" : faster ? "faster" : "good";
  return row(name, strip_of(strip, axis), words);
}

std::string toolkit_name(const Attribution& why) {
  if (why.toolkit_before.empty() || why.toolkit_before == why.toolkit_after) return "toolkit";
  return fmt::format("toolkit, {} → {}", why.toolkit_before, why.toolkit_after);
}

}  // namespace

std::string attribution_bars(const Attribution& why) {
  if (why.since.empty()) return {};
  const std::vector<Cause> causes{{"this change", why.change},
                                  {"merged since then", why.merged},
                                  {toolkit_name(why), why.toolkit},
                                  {"machine and driver", why.machine}};
  std::vector<Interval> shown;
  double sum = 0;
  for (const Cause& cause : causes) {
    if (!drawable(cause.part)) continue;
    shown.push_back({cause.part.ratio, cause.part.low, cause.part.high});
    sum += std::log(cause.part.ratio);
  }
  const double all = std::exp(sum);
  shown.push_back({all, all, all});
  const Axis axis(shown, std::nullopt);
  std::string text = fmt::format(
      "<table class=\"chart parts\">\n<thead><tr><th>since {}</th><th class=\"plot\">{}</th><th>part of the change"
      "</th></tr></thead>\n<tbody>\n",
      escaped(why.since, 80), axis.ticks());
  for (const Cause& cause : causes) text += row_of(cause, axis);
  const bool partial = std::any_of(causes.begin(), causes.end(), [](const Cause& one) { return !drawable(one.part); });
  text += row(partial ? "<b>what is known, together</b>" : "<b>together</b>",
              strip_of({{all, all, all}, std::nullopt, "plain", "good", true, "together: " + change(all)}, axis),
              change(all));
  text +=
      "</tbody>\n</table>\n<p class=\"dim\">A bar is a part, the line through its end how exactly it is known; the "
      "parts "
      "multiply. Machine: what was accepted, timed today, beside what was stored then.</p>\n";
  if (!why.machine_differences.empty()) {
    std::string list;
    for (std::size_t i = 0; i < std::min(why.machine_differences.size(), kMostDifferences); ++i)
      list += "<li>" + escaped(why.machine_differences[i], 300) + "</li>\n";
    text += fold("the machine, then and now: " + count(why.machine_differences.size(), "difference"),
                 "<ul>\n" + list + "</ul>\n", true);
  }
  return text;
}

}  // namespace kgate::report
