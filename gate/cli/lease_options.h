#pragma once

#include "gate/cli/arguments.h"

namespace CLI {
class App;
}

namespace kgate::cli {

// --lease-dir, for every verb that takes a lease.
void add_lease_folder(CLI::App& app, Arguments& arguments);
// All of kgate lease.
void add_lease_options(CLI::App& app, Arguments& arguments);

}  // namespace kgate::cli
