#include "gate/verdict/sanitize_phase.h"

#include <chrono>

#include "base/error.h"
#include "gate/sanitize/command.h"
#include "gate/verdict/check/sanitizing.h"

namespace kgate::verdict {

// One kernel after the other: the tools fill the machine by themselves.
void sanitize_kernels(RunState& state) {
  const auto start = std::chrono::steady_clock::now();
  const auto& ready = state.ready;
  std::vector<std::size_t> open;
  std::vector<const Subject*> wanted;
  for (std::size_t i = 0; i < state.subjects().size(); ++i) {
    if (state.concluded[i] != 0) continue;
    open.push_back(i);
    wanted.push_back(&state.subjects()[i]);
  }
  const auto with_lines = compile_with_lines(wanted, ready.compiler_options());
  state.result.sanitizer->tools = sanitize::tools();
  state.result.sanitizer->sandbox = runner::name_of(std::min(ready.child.sandbox.least, runner::SandboxLevel::seccomp));
  state.progress.phase("sanitize", 0);
  for (std::size_t n = 0; n < open.size(); ++n) {
    const Subject& subject = *wanted[n];
    SanitizeOptions options;
    options.program = state.options.sanitizer;
    options.child = ready.child;
    options.seed = state.options.seed;
    options.threads = state.options.threads;
    options.scratch = ready.scratch->path();
    options.on_case = [&](const std::string& what) { state.progress.step(subject.name + ": " + what); };
    bool proven = false;
    state.guarded(open[n], [&](KernelResult& kernel) {
      const Artifact& code = with_lines[n] ? with_lines[n] : ready.artifacts[open[n]].candidate;
      const Sanitized found = sanitize_kernel(subject, code, options);
      auto& all = state.result.sanitizer->findings;
      all.insert(all.end(), found.findings.begin(), found.findings.end());
      add_sanitized(kernel, found);
      state.settle(open[n]);
      proven = found.trouble.empty();
      if (proven) return;
      if (worst({kernel.verdict, Verdict::environment}) != Verdict::environment) {
        kernel.warnings.push_back(found.trouble);
        return;
      }
      throw Error(ErrorKind::environment, "compute-sanitizer", found.trouble,
                  "see docs/sanitize.md, or leave --sanitize out");
    });
    if (!proven) state.judgement.unproven.push_back(subject.name);
  }
  state.result.check_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace kgate::verdict
