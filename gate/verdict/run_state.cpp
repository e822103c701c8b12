#include "gate/verdict/run_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/verdict/compile/linted.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/version_diff.h"

namespace kgate::verdict {
namespace {

// Slow creep has a limit of its own, with room for doubt below it as wide as the zone's.
stats::Zone zone_against(const std::string& against, const trust::Zone& zone) {
  if (against == "base" || against == kToolkit) return {zone.tolerate, zone.block, zone.absolute_us};
  const double width = std::min(zone.block - zone.tolerate, zone.creep / 2);
  return {zone.creep - width, zone.creep, zone.absolute_us};
}

}  // namespace

ChildPool& RunState::children() {
  if (!children_) children_.emplace(ready.child, ready.machine.overlap ? 1 : 0);
  return *children_;
}

void RunState::list_kernels() {
  baselines.assign(subjects().size(), {});
  answers.assign(subjects().size(), nullptr);
  concluded.assign(subjects().size(), 0);
  result.kernels.clear();
  for (const auto& subject : subjects()) {
    KernelResult kernel;
    kernel.name = subject.name;
    kernel.path = subject.path;
    result.kernels.push_back(std::move(kernel));
  }
  for (const auto& kernel : ready.suite.untrusted) result.kernels.push_back(excluded(kernel, Verdict::untrusted));
  for (const auto& kernel : ready.suite.vanished) result.kernels.push_back(excluded(kernel, Verdict::missing));
}

void RunState::describe(std::size_t subject) {
  const Artifacts& code = ready.artifacts[subject];
  const Subject& what = subjects()[subject];
  baselines[subject] = ready.baselines(subject);
  KernelResult found = verdict::describe(what, *code.candidate, baselines[subject]);
  found.lint = lint_of(what, *code.candidate, code.base.get());
  found.accepted_diffs = accepted_diffs(what, baselines[subject], result.fingerprint);
  kernel(subject) = std::move(found);
  judge_compilation(subject);
}

void RunState::judge_compilation(std::size_t subject) {
  KernelResult& found = kernel(subject);
  const Subject& what = subjects()[subject];
  const Artifacts& arms = ready.artifacts[subject];
  const auto& candidate = *arms.candidate;
  if (std::string why = refusal(found.lint, ready.policy().compile, result.backend); !why.empty()) {
    found.verdict = Verdict::wrong;
    found.reason = std::move(why);
  } else if (candidate.status == runner::Compiled::Status::unsupported) {
    found.verdict = Verdict::environment;
    found.reason = fmt::format("the {} backend cannot compile it: {}", result.backend, candidate.log);
    for (const auto& baseline : baselines[subject]) {
      if (baseline.against != "base" || baseline.code->status != runner::Compiled::Status::ok) continue;
      found.reason += "; the base version it can: this change takes the kernel out of sight here";
    }
  } else if (candidate.status == runner::Compiled::Status::failed) {
    found.verdict = Verdict::wrong;
    found.reason = "does not compile";
  } else if (arms.reference && arms.reference->status == runner::Compiled::Status::failed && !what.base) {
    // A change that brings a kernel brings its reference: nobody else can have broken it.
    found.verdict = Verdict::wrong;
    found.reason = fmt::format("{}: the reference does not compile: {}", what.cases.path, arms.reference->log);
  } else if (arms.reference && arms.reference->status != runner::Compiled::Status::ok) {
    found.verdict = Verdict::environment;
    found.reason = fmt::format("{}: the reference does not compile here: {}", what.cases.path, arms.reference->log);
  } else if (cases_for(what, result.backend).empty()) {
    found.verdict = Verdict::environment;
    found.reason = fmt::format("none of its cases runs on the {} backend", result.backend);
  } else {
    return;
  }
  concluded[subject] = 1;
}

std::vector<Reference> RunState::references(std::size_t subject, KernelResult& found) const {
  // A new name does not bring another zone along: by its old one it is compared.
  const Subject& what = subjects()[subject];
  const auto zone = ready.policy().zone_of(what.renamed_from.empty() ? what.name : what.renamed_from);
  std::vector<Reference> references;
  std::vector<const Version*> compared;
  for (const auto& baseline : baselines[subject]) {
    if (baseline.code->status != runner::Compiled::Status::ok) {
      found.warnings.push_back(
          fmt::format("not compared with the {} version, which does not compile here", baseline.against));
      continue;
    }
    Reference reference{baseline.against, baseline.code, cases::version_of(baseline.version->spec),
                        zone_against(baseline.against, zone), baseline.recorded};
    if (baseline.against == kToolkit) {
      const auto same = std::find(compared.begin(), compared.end(), baseline.version);
      reference.other = static_cast<std::size_t>(same - compared.begin());
    }
    compared.push_back(baseline.version);
    references.push_back(std::move(reference));
  }
  return references;
}

void RunState::settle(std::size_t subject) {
  KernelResult& found = kernel(subject);
  conclude(found);
  check_limits(found, ready.policy());
  approve(found, subjects()[subject].preapproved);
}

void RunState::guarded(std::size_t subject, const std::function<void(KernelResult&)>& work) {
  try {
    work(kernel(subject));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    const std::lock_guard guard(lock);
    kernel(subject).verdict = Verdict::environment;
    kernel(subject).reason = error.what();
    concluded[subject] = 1;
  }
}

void RunState::finish(const KernelResult& found) {
  auto& finished = judgement.finished;
  if (std::find(finished.begin(), finished.end(), found.name) != finished.end()) return;
  finished.push_back(found.name);
  progress.done(found);
}

}  // namespace kgate::verdict
