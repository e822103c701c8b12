#include "gate/cli/qualifying.h"

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/nvml.h"
#include "gate/cli/judge_options.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/setting.h"

namespace kgate::cli {
namespace {

constexpr double kOpenLimit = 60;  // seconds for a child to open the device

}  // namespace

Qualifying::Qualifying(const Invocation& invocation, double compile_timeout_s) {
  const auto judge = judge_options(invocation);
  options_.backend = verdict::choose_backend(judge.backend, {}, fingerprint::nvidia_gpu_expected());
  options_.child.runner = judge.runner;
  options_.child.backend = options_.backend;
  options_.child.device = judge.device;
  options_.child.interrupt = judge.interrupt;
  options_.child.scratch = scratch_.emplace(judge.runner).path();
  options_.child.sandbox.most = judge.sandbox;
  runner::Client probe(options_.child);
  const auto device = probe.probe(runner::Client::Seconds(kOpenLimit));
  options_.child.sandbox.least = probe.sandbox().level;  // of every further child, the compilers included
  if (options_.backend == "cuda") verdict::check_toolkit(judge.toolkit, device.driver_api);
  options_.compiler = verdict::compiler_options_for(judge, options_.child, device, compile_timeout_s);
  options_.threads = judge.threads;
  options_.seeds = static_cast<int>(invocation.arguments.seeds);
  options_.seed = judge.seed;
}

}  // namespace kgate::cli
