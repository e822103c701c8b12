#pragma once

#include "gate/cli/arguments.h"
#include "gate/cli/surroundings.h"
#include "gate/cli/terminal_progress.h"

namespace kgate::cli {

// Colour only on a terminal, and neither with --no-color nor with NO_COLOR (no-color.org).
bool use_color(const Arguments& arguments, const Surroundings& surroundings, int descriptor);
int terminal_width(int descriptor);
ProgressStyle progress_style(const Arguments& arguments, const Surroundings& surroundings);

}  // namespace kgate::cli
