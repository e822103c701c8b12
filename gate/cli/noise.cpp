#include "gate/report/noise.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/verdict/timing/machine_record.h"

namespace kgate::cli {
namespace {

// Kept for later runs on this device. A selection of kernels speaks for itself, not for the machine.
void keep(const Json& record, const verdict::JudgeOptions& options, const verdict::Result& setting) {
  const auto path = verdict::record_path(options.state, setting.backend == "cuda" ? setting.device_uuid : "");
  if (path.empty()) {
    std::cerr << "kgate: no home folder: what was found is not kept for later runs; set XDG_STATE_HOME\n";
    return;
  }
  write_file_atomic(path, record.dump(2) + "\n");
  std::cerr << "kept for later runs: " << path.string() << '\n';
}

}  // namespace

ExitCode show_noise(const Invocation& invocation) {
  const auto options = judge_options(invocation);
  verdict::Judgement judgement;
  TerminalProgress progress(std::cerr, progress_style(invocation.arguments, invocation.surroundings));
  const auto noise = verdict::measure_noise(options, {}, progress, judgement);
  const Json record = verdict::to_json(noise, judgement.result);
  if (invocation.arguments.format == "json") {
    std::cout << record.dump(2) << '\n';
  } else {
    std::cout << report::write_noise(noise, judgement.result);
  }
  const bool all_failed =
      std::all_of(noise.cases.begin(), noise.cases.end(), [](const auto& one) { return !one.failure.empty(); });
  // Nothing was learnt: a record from better days stays.
  if (all_failed) return ExitCode::environment;
  if (!options.selection.empty()) std::cerr << "not kept for later runs: kernels were selected\n";
  if (options.selection.empty()) keep(record, options, judgement.result);
  return ExitCode::pass;
}

}  // namespace kgate::cli
