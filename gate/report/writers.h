#pragma once

#include <string>
#include <vector>

#include "gate/verdict/judge.h"

namespace kgate::report {

// The raw times of a run, as samples/ has them; none where they are not at hand.
using RawTimes = std::vector<verdict::CaseSamples>;

// A format of the result.
struct Writer {
  const char* name;  // of --format: "markdown"
  const char* file;  // in the output folder: "summary.md"; empty: for stdout alone
  const char* what;  // for people who choose one
  std::string (*write)(const verdict::Result& result, const RawTimes& times);
};

// All formats. Who adds one adds a file with its writer, and a line to this table: the command line, the output folder
// and the tests of bad input follow it.
const std::vector<Writer>& writers();
// Null where no format has that name.
const Writer* writer_named(const std::string& name);
// "text, json, markdown".
std::string writer_names();

}  // namespace kgate::report
