#include "gate/cli/terminal.h"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace kgate::cli {

bool use_color(const Arguments& arguments, const Surroundings& surroundings, int descriptor) {
  return !arguments.no_color && !surroundings.no_color && ::isatty(descriptor) == 1;
}

int terminal_width(int descriptor) {
  constexpr int kDefault = 110, kLeast = 60;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefault;
  return std::max<int>(kLeast, size.ws_col);
}

ProgressStyle progress_style(const Arguments& arguments, const Surroundings& surroundings) {
  ProgressStyle style;
  const bool terminal = ::isatty(STDERR_FILENO) == 1 && !surroundings.ci_job;
  style.mode = arguments.quiet ? ProgressStyle::Mode::quiet
               : terminal      ? ProgressStyle::Mode::bar
                               : ProgressStyle::Mode::plain;
  style.color = use_color(arguments, surroundings, STDERR_FILENO);
  style.width = terminal_width(STDERR_FILENO);
  return style;
}

}  // namespace kgate::cli
