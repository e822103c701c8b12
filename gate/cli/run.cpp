#include <algorithm>
#include <iostream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/philox.h"
#include "gate/cli/output_folder.h"
#include "gate/cli/runner_path.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/cli/version.h"
#include "gate/report/report.h"
#include "gate/verdict/judge.h"

namespace kgate::cli {
namespace {

std::uint64_t seed_of(const std::optional<std::string>& text) {
  if (!text) return fresh_seed();
  if (text->empty() || text->size() > 16 || text->find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("--seed \"{}\"", *text), "is no number of up to 16 hex digits",
                "take the one that the report of a run prints");
  }
  return std::stoull(*text, nullptr, 16);
}

std::filesystem::path cache_path(const Arguments& arguments, const Surroundings& surroundings) {
  if (arguments.cache) return *arguments.cache;
  if (!surroundings.cache_home.empty()) return std::filesystem::path(surroundings.cache_home) / "kgate";
  return surroundings.home.empty() ? std::filesystem::path{}
                                   : std::filesystem::path(surroundings.home) / ".cache" / "kgate";
}

verdict::JudgeOptions options_of(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const auto& surroundings = invocation.surroundings;
  verdict::JudgeOptions options;
  options.repository = arguments.repo;
  options.base = {arguments.policy_ref, arguments.baseline, surroundings.ci, surroundings.github_event};
  options.selection = arguments.names;
  options.profile = arguments.profile;
  options.backend = arguments.backend;
  options.device = arguments.device;
  options.check_only = arguments.verb == "check";
  options.seed = seed_of(arguments.seed);
  options.threads = arguments.threads != 0 ? arguments.threads : std::max(1u, std::thread::hardware_concurrency());
  options.runner = runner_path();
  options.cache = cache_path(arguments, surroundings);
  options.toolkit = find_toolkit(arguments, surroundings);
  options.version = kVersion;
  options.commit = kCommit;
  options.interrupt = &invocation.interrupt;
  return options;
}

void answer(const verdict::Result& result, const Arguments& arguments, const Surroundings& surroundings) {
  if (arguments.format == "json") {
    std::cout << report::write_json(result);
    return;
  }
  std::cout << report::write_text(
      result, {use_color(arguments, surroundings, STDOUT_FILENO), terminal_width(STDOUT_FILENO), arguments.quiet});
}

}  // namespace

ExitCode run_gate(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const auto options = options_of(invocation);
  const OutputFolder out(arguments.out);
  verdict::Judgement judgement;
  try {
    TerminalProgress progress(std::cerr, progress_style(arguments, invocation.surroundings));
    verdict::judge(options, progress, judgement);
  } catch (const Error& error) {
    // What was found until then is told, as a partial result; then the error goes its way to main.
    verdict::seal(judgement, &error, invocation.interrupt.signal());
    if (error.kind() != ErrorKind::usage) out.write(judgement);
    throw;
  }
  verdict::seal(judgement, nullptr, 0);
  out.write(judgement);
  answer(judgement.result, arguments, invocation.surroundings);
  if (arguments.format == "text" && !arguments.quiet) std::cout << "result: " << out.result_path().string() << '\n';
  return static_cast<ExitCode>(judgement.result.exit_code);
}

}  // namespace kgate::cli
