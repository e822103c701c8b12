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
#include "gate/verdict/several.h"
#include "gate/verdict/timing/device_differences.h"
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

struct Found {
  Json record;
  std::string text;
  bool any = false;  // a case that could be measured
  verdict::Result setting;
};

Found measure(const verdict::JudgeOptions& options, const Invocation& invocation) {
  verdict::Judgement judgement;
  TerminalProgress progress(std::cerr, progress_style(invocation.arguments, invocation.surroundings));
  const auto noise = verdict::measure_noise(options, {}, progress, judgement);
  Found found{verdict::to_json(noise, judgement.result), report::write_noise(noise, judgement.result), false,
              judgement.result};
  found.any = std::any_of(noise.cases.begin(), noise.cases.end(), [](const auto& one) { return one.failure.empty(); });
  return found;
}

// Once it is told.
void keep(const Found& found, const verdict::JudgeOptions& options) {
  // Nothing was learnt: a record from better days stays.
  if (!found.any) return;
  if (!options.selection.empty()) std::cerr << "not kept for later runs: kernels were selected\n";
  if (options.selection.empty()) keep(found.record, options, found.setting);
}

}  // namespace

// Several GPUs one after the other: what one does to the other's clocks is no noise of its own.
ExitCode show_noise(const Invocation& invocation) {
  auto options = judge_options(invocation);
  const bool json = invocation.arguments.format == "json";
  const auto devices = verdict::devices_of(options.device, options.backend);
  Json records = Json::array();
  std::vector<verdict::DeviceTimes> times;
  bool all = true;
  for (const auto& device : devices) {
    options.device = device;
    const Found found = measure(options, invocation);
    all = all && found.any;
    if (!json) {
      std::cout << (records.empty() ? "" : "\n") << found.text;
    } else if (devices.size() == 1) {
      std::cout << found.record.dump(2) << '\n';
    }
    keep(found, options);
    times.push_back(verdict::times_of(found.record, device));
    records.push_back(found.record);
  }
  const ExitCode code = all ? ExitCode::pass : ExitCode::environment;
  if (devices.size() == 1) return code;
  Json differences = Json::array();
  for (const auto& one : verdict::compare_devices(times)) {
    if (!json) std::cout << verdict::words_of(one) << '\n';
    differences.push_back({{"device", one.device},
                           {"bound", one.bound},
                           {"slower", one.slower},
                           {"error", one.error},
                           {"cases", one.cases}});
  }
  if (json) {
    const Json whole{{"schema", "kgate.noise-of-several/1"}, {"devices", records}, {"differences", differences}};
    std::cout << whole.dump(2) << '\n';
  } else if (differences.empty()) {
    std::cout << "the GPUs agree: none is slower than the others by more than "
              << fmt::format("{:.0f} %\n", 100 * verdict::kLeastDeviceError);
  }
  return code;
}

}  // namespace kgate::cli
