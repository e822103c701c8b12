#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gate/cli/arguments.h"
#include "gate/drift/night.h"

// What kgate drift is given beside the machine and the history. All throw Error(usage).
namespace kgate::cli {

// What would be left aside is told, not dropped: whoever typed it expects something of it.
void check_drift_arguments(const Arguments& arguments);
// Of --since; nothing: all nights.
std::optional<std::int64_t> first_day(const Arguments& arguments);

struct ImportedNight {
  drift::NightFigures night;
  Json fingerprint;
  std::string path;
};
// Results of kgate run (result.json, or its folder), as nights. `now`: none may be of later.
std::vector<ImportedNight> read_imports(const std::vector<std::string>& paths, std::int64_t now);

}  // namespace kgate::cli
