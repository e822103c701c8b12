#include "gate/report/report.h"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/cli/terminal.h"
#include "gate/cli/verbs.h"

namespace kgate::cli {

ExitCode render_report(const Invocation& invocation) {
  constexpr std::uint64_t kMaxResult = 256u << 20;
  const auto& arguments = invocation.arguments;
  if (arguments.names.size() != 1) {
    throw Error(ErrorKind::usage, "kgate report", fmt::format("got {} results", arguments.names.size()),
                "give one result.json, or a folder that holds one");
  }
  std::filesystem::path path = arguments.names.front();
  std::error_code unreadable;
  if (std::filesystem::is_directory(path, unreadable)) path /= "result.json";
  const auto result =
      verdict::result_from_json(parse_json(text_of(read_file(path, kMaxResult)), path.string()), path.string());
  if (arguments.format == "json") {
    std::cout << report::write_json(result);
  } else {
    std::cout << report::write_text(result, {use_color(arguments, invocation.surroundings, STDOUT_FILENO),
                                             terminal_width(STDOUT_FILENO), arguments.quiet});
  }
  // Rendering has no verdict of its own: a pipeline that renders a red result has rendered well.
  return ExitCode::pass;
}

}  // namespace kgate::cli
