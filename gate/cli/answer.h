#pragma once

#include "gate/cli/arguments.h"
#include "gate/cli/surroundings.h"
#include "gate/report/writers.h"

namespace kgate::cli {

// A result on stdout in the format that was asked for; text as the terminal has it.
void print_result(const verdict::Result& result, const report::RawTimes& times, const Arguments& arguments,
                  const Surroundings& surroundings);

}  // namespace kgate::cli
