#include "gate/report/drift.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gate/report/drift_words.h"
#include "gate/report/format.h"

namespace kgate::report {
namespace {

using drift::Against;
using drift::Drift;
using drift::Event;
using drift::Kernel;
using drift::Series;

constexpr std::size_t kMostEvents = 20, kIndent = 4, kMostNames = 8;
constexpr std::size_t kLeastNights = 6;  // on each side of a change: stats::ChangeOptions

class Writer {
 public:
  Writer(const Drift& drift, const TextStyle& style) : drift_(drift), style_(style) {}

  std::string write() {
    verdict_line();
    if (style_.quiet) return text_;
    head();
    troubles();
    events();
    table();
    for (const auto& note : drift_.notes) paragraph("note: " + one_line(note), 0);
    return text_;
  }

 private:
  void verdict_line() {
    const std::string word =
        verdict::passes(drift_.verdict) ? "no drift that the policy minds" : verdict::name_of(drift_.verdict);
    std::string line = painted(word, tone_of(drift_.verdict), style_.color);
    if (!drift_.reason.empty()) line += ": " + one_line(drift_.reason);
    if (!verdict::passes(drift_.verdict) && drift_.exit_code == 0)
      line += fmt::format(" (the profile {} does not block on it)", one_line(drift_.profile));
    text_ += line + "\n";
  }

  void head() {
    const auto& nights = drift_.nights;
    const std::string where =
        fmt::format("{} ({})", one_line(drift_.hardware.name), one_line(drift_.hardware.architecture));
    if (nights.empty()) {
      paragraph(fmt::format("{}: no nights yet", where), 0);
    } else {
      std::string line = fmt::format("{}: {}, {} to {}", where, report::nights(drift_),
                                     nights.front().time.substr(0, 10), nights.back().time.substr(0, 10));
      if (!nights.back().driver.empty()) line += "; driver " + one_line(nights.back().driver);
      if (!nights.back().toolkit.empty()) line += "; toolkit " + one_line(nights.back().toolkit);
      paragraph(line, 0);
    }
    if (const auto& one = drift_.appended) {
      paragraph(fmt::format("this night: record {} of {}, signed by {}, {}, {}", one->sequence, one_line(one->branch),
                            one_line(list(one->signers)), one->digest, one_line(one->where)),
                0);
    }
    text_ += '\n';
  }

  void troubles() {
    bool any = false;
    for (const Kernel& kernel : drift_.kernels) {
      if (verdict::passes(kernel.verdict)) continue;
      any = true;
      const std::string word = painted(verdict::name_of(kernel.verdict), tone_of(kernel.verdict), style_.color);
      paragraph(fmt::format("{} {}: {}{}", word, one_line(kernel.name), one_line(kernel.reason),
                            kernel.blocks ? "" : " (does not block)"),
                0);
    }
    if (any) text_ += '\n';
  }

  void events() {
    std::size_t shown = 0;
    for (const Event& event : drift_.events) {
      if (shown++ == kMostEvents) break;
      add(event);
    }
    if (drift_.events.size() > kMostEvents)
      text_ += fmt::format("{} older: drift.json\n", count(drift_.events.size() - kMostEvents, "change"));
    if (drift_.events.empty()) {
      paragraph(days_of(drift_) < 2 * kLeastNights
                    ? fmt::format("no change can be told yet: it takes nights of {} days before it and of {} after",
                                  kLeastNights, kLeastNights)
                    : "no change in these nights",
                0);
    }
    text_ += '\n';
  }

  void add(const Event& event) {
    paragraph(one_line(sentence_of(event)), 0);
    if (event.kernels.size() > 1) {
      std::vector<std::string> names(
          event.kernels.begin(),
          event.kernels.begin() + static_cast<std::ptrdiff_t>(std::min(event.kernels.size(), kMostNames)));
      std::string text = one_line(list(names));
      if (event.kernels.size() > kMostNames) text += fmt::format(" and {} more", event.kernels.size() - kMostNames);
      paragraph(text, kIndent);
    }
    for (std::size_t i = 1; i < event.differences.size() && event.cause != drift::Cause::version; ++i) {
      const auto& one = event.differences[i];
      paragraph(one_line(fmt::format("{}.{}: {} -> {}", one.axis, one.field, one.before, one.after)), kIndent);
    }
  }

  void table() {
    std::size_t width = 6;
    bool release = false, any = false;
    for (const Kernel& kernel : drift_.kernels) {
      for (const Series& series : kernel.cases) {
        any = true;
        width = std::max(width, columns(name_of(kernel, series)));
        release = release || find_against(series, "last-release") != nullptr;
      }
    }
    if (!any) return;
    width = std::min(width, static_cast<std::size_t>(style_.width) / 2);
    const auto row = [&](const std::string& name, const std::string& us, const std::string& nights,
                         const std::string& accepted, const std::string& last) {
      const std::string shown = cut(name, width);
      std::string line = shown + std::string(width - columns(shown), ' ') +
                         fmt::format("  {:>10}  {:>6}  {:<22}{}", us, nights, accepted, release ? "  " + last : "");
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + "\n";
    };
    row("kernel", "us now", "nights", "since it was accepted", "since the last release");
    for (const Kernel& kernel : drift_.kernels) {
      for (const Series& series : kernel.cases) {
        const Against* const last = find_against(series, "last-release");
        std::string text = held(last);
        if (last != nullptr) text += "  " + one_line(last->release);
        row(name_of(kernel, series), microseconds(series.level_us), std::to_string(series.points.size()),
            held(find_against(series, "accepted")), text);
      }
    }
    text_ += '\n';
  }

  static std::string name_of(const Kernel& kernel, const Series& series) {
    return one_line(kernel.name) + ": " + one_line(series.name);
  }

  void paragraph(const std::string& text, std::size_t indent) {
    text_ += wrap(text, static_cast<std::size_t>(style_.width), indent) + "\n";
  }

  const Drift& drift_;
  const TextStyle& style_;
  std::string text_;
};

}  // namespace

std::string write_drift(const Drift& drift, const TextStyle& style) {
  return Writer(drift, style).write();
}

}  // namespace kgate::report
