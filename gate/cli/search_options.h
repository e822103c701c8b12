#pragma once

#include "gate/cli/arguments.h"

namespace CLI {
class App;
}

namespace kgate::cli {

// Of kgate search, beside those of a run.
void add_search_options(CLI::App& app, Arguments& arguments);

}  // namespace kgate::cli
