#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"

namespace kgate::cli {

struct ExitMeaning {
  ExitCode code;
  const char* verdicts;  // "pass, faster"; empty: no verdict, the run itself ended so
  const char* meaning;
  const char* what_to_do;
};

// What the process answers, in the order of the codes. Help, manual page and docs/exit-codes.md are made from it.
const std::vector<ExitMeaning>& exit_meanings();

// For the foot of a help text.
std::string exit_codes_text();
// docs/exit-codes.md.
std::string exit_codes_page();

}  // namespace kgate::cli
