#include "gate/cli/terminal_progress.h"

#include <sstream>

#include "tests/support/catch.h"

using kgate::cli::ProgressStyle;
using kgate::cli::TerminalProgress;
using kgate::verdict::KernelResult;
using kgate::verdict::Verdict;

namespace {

KernelResult kernel(const std::string& name, Verdict verdict) {
  KernelResult result;
  result.name = name;
  result.verdict = verdict;
  return result;
}

void work(TerminalProgress& progress) {
  progress.note("no CI and no --policy-ref: HEAD");
  progress.phase("compile", 0);
  progress.phase("check", 4);
  progress.step("softmax: odd");
  progress.step("softmax: wide");
  KernelResult slow = kernel("softmax", Verdict::regressed);
  slow.comparisons.resize(1);
  slow.comparisons.front().against = "base";
  slow.comparisons.front().ratio = 1.061;
  slow.comparisons.front().low = 1.059;
  slow.comparisons.front().high = 1.063;
  slow.comparisons.front().verdict = Verdict::regressed;
  slow.reason = "case \"wide\": slower than the base version";
  progress.done(slow);
  KernelResult same = kernel("saxpy", Verdict::unchanged);
  same.comparisons.resize(1);  // nothing was timed
  progress.done(same);
}

std::string output(const ProgressStyle& style) {
  std::ostringstream stream;
  {
    TerminalProgress progress(stream, style);
    work(progress);
  }
  return stream.str();
}

// What a terminal shows in the end: '\r' and the wipe go back to the beginning of the line.
std::string on_screen(const std::string& text) {
  std::string screen, line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 5, "\r\x1b[2K") == 0) {
      line.clear();
      i += 4;
    } else if (text[i] == '\n') {
      screen += line + "\n";
      line.clear();
    } else {
      line += text[i];
    }
  }
  return screen + line;
}

const std::string kSoftmax =
    "softmax               regressed     +6.1 % [+5.9, +6.3]  case \"wide\": slower than the base version\n";

}  // namespace

TEST_CASE("in a CI log there is a line a phase and a line a kernel, and nothing is redrawn") {
  CHECK(output({}) ==
        "warning: no CI and no --policy-ref: HEAD\n"
        "compile\n"
        "check: 4 steps\n" +
            kSoftmax + "saxpy                 unchanged\n");
}

TEST_CASE("on a terminal a bar is drawn below the finished kernels, and wiped at the end") {
  ProgressStyle style;
  style.mode = ProgressStyle::Mode::bar;
  style.width = 120;
  const std::string text = output(style);
  CHECK(text.find("check    [........................] 0/4  softmax: odd") != std::string::npos);
  CHECK(text.find("check    [######..................] 1/4  softmax: wide") != std::string::npos);
  CHECK(text.find("4/4") == std::string::npos);
  CHECK(on_screen(text) ==
        "warning: no CI and no --policy-ref: HEAD\n" + kSoftmax + "saxpy                 unchanged\n");
}

TEST_CASE("a bar and the lines above it never reach the terminal's last column") {
  ProgressStyle style;
  style.mode = ProgressStyle::Mode::bar;
  style.width = 50;
  std::istringstream stream(output(style));
  std::string part;
  while (std::getline(stream, part, '\r')) {
    std::istringstream lines(part);
    std::string line;
    while (std::getline(lines, line)) {
      if (line.rfind("\x1b[2K", 0) == 0) line.erase(0, 4);
      CHECK(line.size() < 50);
    }
  }
}

TEST_CASE("more steps than were announced leave the bar whole") {
  std::ostringstream stream;
  ProgressStyle style;
  style.mode = ProgressStyle::Mode::bar;
  TerminalProgress progress(stream, style);
  progress.phase("time", 1);
  for (int i = 0; i < 5; ++i) progress.step("softmax: wide");
  CHECK(stream.str().find("time     [########################] 1/1  softmax: wide") != std::string::npos);
  CHECK(stream.str().find("4/1") == std::string::npos);
}

TEST_CASE("a step that takes long is named: in a log by a line, on a terminal in the bar") {
  const auto told = [](ProgressStyle::Mode mode) {
    std::ostringstream stream;
    ProgressStyle style;
    style.mode = mode;
    TerminalProgress progress(stream, style);
    progress.phase("check", 2);
    progress.step("softmax: wide");
    progress.step("saxpy: odd");
    progress.slow("softmax: wide\n", 60);
    return stream.str();
  };
  CHECK(told(ProgressStyle::Mode::plain) == "check: 2 steps\nstill running: softmax: wide  (limit 60 s)\n");
  CHECK(on_screen(told(ProgressStyle::Mode::bar)) ==
        "check    [############............] 1/2  softmax: wide  (limit 60 s)");
  CHECK(told(ProgressStyle::Mode::quiet).empty());
}

TEST_CASE("quiet leaves the warnings alone") {
  ProgressStyle style;
  style.mode = ProgressStyle::Mode::quiet;
  CHECK(output(style) == "warning: no CI and no --policy-ref: HEAD\n");
}

TEST_CASE("colour is used only where it was asked for") {
  ProgressStyle style;
  CHECK(output(style).find('\x1b') == std::string::npos);
  style.color = true;
  CHECK(output(style).find("\x1b[31mregressed   \x1b[0m") != std::string::npos);
  CHECK(output(style).find("\x1b[32munchanged   \x1b[0m") != std::string::npos);
}

TEST_CASE("names and reasons cannot drive the terminal") {
  std::ostringstream stream;
  TerminalProgress progress(stream, {});
  KernelResult bad = kernel("a\x1b[2J", Verdict::wrong);
  bad.reason = "b\r\nc";
  progress.done(bad);
  progress.step("d\x1b");
  progress.slow("d\x1b[2J", 60);
  progress.note("::error::e\n");
  CHECK(
      stream.str() ==
      "a\\x1b[2J              wrong         b\\x0d c\nstill running: d\\x1b[2J (limit 60 s)\nwarning: \\::error::e \n");
}
