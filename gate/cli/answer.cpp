#include "gate/cli/answer.h"

#include <iostream>

#include <unistd.h>

#include "base/error.h"
#include "gate/cli/terminal.h"
#include "gate/report/report.h"

namespace kgate::cli {

void print_result(const verdict::Result& result, const report::RawTimes& times, const Arguments& arguments,
                  const Surroundings& surroundings) {
  if (arguments.format == "text") {
    std::cout << report::write_text(
        result, {use_color(arguments, surroundings, STDOUT_FILENO), terminal_width(STDOUT_FILENO), arguments.quiet});
    return;
  }
  const report::Writer* const writer = report::writer_named(arguments.format);
  if (writer == nullptr) throw Error(ErrorKind::internal, "--format " + arguments.format, "has no writer", "");
  std::cout << writer->write(result, times);
}

}  // namespace kgate::cli
