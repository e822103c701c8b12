#include <iostream>

#include "base/error.h"
#include "gate/cli/answer.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/output_folder.h"
#include "gate/cli/search.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/several.h"

namespace kgate::cli {
ExitCode run_gate(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  auto options = judge_options(invocation);
  const OutputFolder out(arguments.out);
  verdict::Judgement judgement;
  try {
    TerminalProgress progress(std::cerr, progress_style(arguments, invocation.surroundings));
    auto devices = verdict::devices_of(options.device, options.backend);
    std::vector<std::string> taken;
    if (devices.size() > 1) devices = verdict::idle_of(devices, options, taken);
    for (const auto& line : taken) progress.wait(line);
    if (devices.size() > 1) {
      verdict::judge_on(devices, options, progress, judgement);
    } else {
      options.device = devices.front();
      verdict::judge(options, progress, judgement);
    }
  } catch (const Error& error) {
    // What was found until then is told, as a partial result; then the error goes its way to main.
    verdict::seal(judgement, &error, invocation.interrupt.signal());
    if (error.kind() == ErrorKind::usage) throw;
    out.write(judgement);
    // A program that reads it finds the same as in the file; a person reads the error.
    if (arguments.format != "text")
      print_result(judgement.result, judgement.samples, arguments, invocation.surroundings);
    throw;
  }
  verdict::seal(judgement, nullptr, 0);
  out.write(judgement);
  // Long after the verdict, which is on the disk then.
  if (judgement.search_on_regression && !options.check_only) {
    TerminalProgress progress(std::cerr, progress_style(arguments, invocation.surroundings));
    search_what_regressed(invocation, std::move(options), progress, judgement);
    try {
      if (!judgement.result.searches.empty()) out.write(judgement);
    } catch (const Error& error) {
      progress.note("search: " + std::string(error.what()));  // the verdict was written before
    }
  }
  print_result(judgement.result, judgement.samples, arguments, invocation.surroundings);
  if (arguments.format == "text" && !arguments.quiet) std::cout << "result: " << out.result_path().string() << '\n';
  return static_cast<ExitCode>(judgement.result.exit_code);
}

}  // namespace kgate::cli
