#include "gate/cli/terminal_progress.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::cli {
namespace {

constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kNameWidth = 20;

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = report::columns(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

// "softmax               regressed     +6.1 % [+5.9, +6.3]  slower than the base version"
std::string line_of(const verdict::KernelResult& kernel, const ProgressStyle& style) {
  const std::string verdict = padded(verdict::name_of(kernel.verdict), 12);
  std::string line = padded(report::one_line(kernel.name), kNameWidth) + "  " +
                     report::painted(verdict, report::tone_of(kernel.verdict), style.color);
  std::size_t used = std::max(report::columns(report::one_line(kernel.name)), kNameWidth) + 2 + 12;
  std::string rest;
  if (!kernel.comparisons.empty()) {
    const verdict::Comparison& first = kernel.comparisons.front();
    if (first.timed()) rest += "  " + report::change(first.ratio, first.low, first.high);
  }
  if (!verdict::passes(kernel.verdict) && !kernel.reason.empty()) rest += "  " + report::one_line(kernel.reason);
  // The whole reason is in the report; here a kernel has one line.
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  if (style.mode == ProgressStyle::Mode::bar) rest = used + 4 < width ? report::cut(rest, width - 1 - used) : "";
  line += rest;
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

TerminalProgress::TerminalProgress(std::ostream& stream, const ProgressStyle& style) : stream_(stream), style_(style) {}

TerminalProgress::~TerminalProgress() {
  wipe();
}

void TerminalProgress::phase(const std::string& what, int total) {
  phase_ = report::one_line(what);
  step_.clear();
  total_ = std::max(total, 0);
  begun_ = 0;
  if (style_.mode == ProgressStyle::Mode::bar) draw();
  if (style_.mode == ProgressStyle::Mode::plain) {
    print(total_ > 0 ? phase_ + ": " + report::count(static_cast<std::size_t>(total_), "step") : phase_);
  }
}

void TerminalProgress::step(const std::string& what) {
  step_ = report::one_line(what);
  ++begun_;
  if (style_.mode == ProgressStyle::Mode::bar) draw();
}

// Of several kernels that are checked at once the bar shows the one that keeps the others waiting.
void TerminalProgress::slow(const std::string& what, double limit_s) {
  const std::string step = fmt::format("{} (limit {:.3g} s)", report::one_line(what), limit_s);
  if (style_.mode == ProgressStyle::Mode::plain) print("still running: " + step);
  if (style_.mode != ProgressStyle::Mode::bar) return;
  step_ = step;
  draw();
}

void TerminalProgress::done(const verdict::KernelResult& kernel) {
  if (style_.mode == ProgressStyle::Mode::quiet) return;
  print(line_of(kernel, style_));
}

void TerminalProgress::note(const std::string& line) {
  print("warning: " + report::one_line(line));
}

void TerminalProgress::wait(const std::string& line) {
  if (style_.mode != ProgressStyle::Mode::quiet) print(report::one_line(line));
}

void TerminalProgress::print(const std::string& line) {
  const bool redraw = drawn_;
  wipe();
  stream_ << line << '\n';
  if (redraw) draw();
  stream_.flush();
}

// A step counts as done when the next one begins: the bar never shows more than is true.
void TerminalProgress::draw() {
  wipe();
  std::string line = padded(phase_, 8);
  if (total_ > 0) {
    const int done = std::min(std::max(begun_ - 1, 0), total_);
    const auto filled = static_cast<std::size_t>(done) * kBarWidth / static_cast<std::size_t>(total_);
    line += fmt::format(" [{}{}] {}/{}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), done, total_);
  }
  if (!step_.empty()) line += "  " + step_;
  // A line as wide as the terminal would be broken, and its first half could not be wiped.
  stream_ << report::cut(line, static_cast<std::size_t>(std::max(style_.width, 20)) - 1) << std::flush;
  drawn_ = true;
}

void TerminalProgress::wipe() {
  if (!drawn_) return;
  stream_ << "\r\x1b[2K";
  drawn_ = false;
}

}  // namespace kgate::cli
