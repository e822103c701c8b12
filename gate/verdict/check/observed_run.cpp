#include "gate/verdict/check/observed_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/verdict/check/worker.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::verdict {
namespace {

using Seconds = runner::Client::Seconds;

// Never empty: that would be taken for none.
std::string fault_of(const runner::RunOutcome& outcome) {
  return outcome.fault.empty() ? "it did not run" : outcome.fault;
}

std::string launch(runner::Client& client, const ObservedRun& run, const cases::Binding& binding,
                   const CaseInputs& inputs) {
  const auto loaded = client.load({0, run.code->code, run.code->symbols}, Seconds(run.start_limit_s));
  if (!loaded.outcome.ok) return fault_of(loaded.outcome);
  place_case(client, binding.buffers, inputs, 0);
  const auto ran = client.run({0, binding.launches}, kPoison[0], Seconds(run.run_limit_s));
  return ran.outcome.ok && !ran.outcome.unsupported ? std::string() : fault_of(ran.outcome);
}

}  // namespace

std::string run_observed(const ObservedRun& run) {
  const Subject& subject = *run.subject;
  runner::ClientOptions child = run.child;
  child.sandbox.least = std::min(child.sandbox.least, runner::SandboxLevel::seccomp);
  const auto binding = cases::bind(subject.cases, *run.one, cases::version_of(subject.candidate.spec));
  require_memory(binding, run.one->where);
  const CaseInputs inputs =
      make_case_inputs(subject, *run.one, seed_of(*run.one, {run.seed, subject.name, run.one->name}), run.threads);
  runner::Client client(child);
  std::string fault;
  try {
    fault = launch(client, run, binding, inputs);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    fault = error.what();
  }
  const auto ended = client.finish(Seconds(run.end_limit_s));
  if (!fault.empty()) return fault;
  if (!ended) return fmt::format("the tool did not end within {:.3g} s after it", run.end_limit_s);
  if (ended->signal != 0) return fmt::format("the tool was ended by signal {}", ended->signal);
  if (ended->code != 0) return fmt::format("the tool ended with code {}", ended->code);
  return {};
}

}  // namespace kgate::verdict
