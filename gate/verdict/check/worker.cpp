#include "gate/verdict/check/worker.h"

#include <fmt/format.h>

namespace kgate::verdict {
namespace {

// Empty where the arguments of every launch fit what its entry takes, as far as the backend can tell.
std::string argument_mismatch(const runner::Launches& launches,
                              const std::map<std::string, std::vector<std::uint32_t>>& parameters) {
  for (const auto& launch : launches) {
    const auto known = parameters.find(launch.entry);
    if (known == parameters.end()) continue;
    const auto& sizes = known->second;
    if (sizes.size() != launch.arguments.size()) {
      return fmt::format(
          "entry \"{}\" takes {} parameters, the launch gives {}: the source and cases.toml (or the launch's args) "
          "disagree",
          launch.entry, sizes.size(), launch.arguments.size());
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto& argument = launch.arguments[i];
      const std::size_t given = argument.buffer ? sizeof(void*) : argument.scalar.size();
      if (sizes[i] == given) continue;
      return fmt::format(
          "entry \"{}\": parameter {} takes {} bytes, the launch gives {}: its type differs from the one in cases.toml",
          launch.entry, i + 1, sizes[i], argument.buffer ? "a pointer" : fmt::format("a scalar of {}", given));
    }
  }
  return {};
}

}  // namespace

void CheckProcess::start_ahead() {
  if (child_ && !child_->lost()) return;
  runner::ClientOptions warm = options_;
  warm.warm = true;
  child_.emplace(warm);
  ++generation_;
}

runner::Client& CheckProcess::get() {
  if (!child_ || child_->lost()) {
    child_.emplace(options_);
    ++generation_;
  }
  return *child_;
}

Worker::Ran Worker::run(const cases::Binding& binding, const CaseInputs& inputs,
                        const std::vector<OutputParam>& outputs, std::uint8_t poison, double limit) {
  Ran ran;
  placing_ = false;
  ran.report.outcome = prepare();
  if (!ran.report.outcome.ok) return ended(std::move(ran));
  if (auto mismatch = argument_mismatch(binding.launches, parameters_); !mismatch.empty()) {
    ran.report.outcome = {false, false, std::move(mismatch)};
    return ran;
  }
  runner::Client& child = process_.get();
  if (placed_ != &binding) {
    placed_ = nullptr;
    placing_ = true;
    place_case(child, binding.buffers, inputs, 0);
    placing_ = false;
    placed_ = &binding;
  }
  has_run_ = true;
  ran.report = child.run({arm_, binding.launches}, poison, runner::Client::Seconds(limit));
  if (!ran.report.outcome.ok || ran.report.outcome.unsupported) return ended(std::move(ran));
  for (const auto& output : outputs) {
    ran.outputs.emplace(output.buffer, child.read(output.buffer, runner::Client::Seconds(kHandOverLimit)));
  }
  return ran;
}

runner::RunOutcome Worker::prepare() {
  runner::Client& child = process_.get();
  if (loaded_in_ == process_.generation()) return {};
  placed_ = nullptr;
  runner::Loaded loaded =
      child.load({arm_, artifact_->code, artifact_->symbols}, runner::Client::Seconds(kHandOverLimit));
  resources_ = std::move(loaded.resources);
  parameters_ = std::move(loaded.parameter_bytes);
  if (loaded.outcome.ok) loaded_in_ = process_.generation();
  return loaded.outcome;
}

// One illegal access poisons the whole context: what follows gets a process of its own.
Worker::Ran Worker::ended(Ran ran) {
  ran.died = process_.died();
  ran.killed = process_.killed();
  replace();
  return ran;
}

}  // namespace kgate::verdict
