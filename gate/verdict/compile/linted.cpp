#include "gate/verdict/compile/linted.h"

#include <fmt/format.h>

#include "gate/lint/device_launches.h"
#include "gate/lint/device_variables.h"

namespace kgate::verdict {
namespace {

lint::Findings findings_of(const Version& version, const runner::Compiled* code) {
  lint::Findings findings = lint::device_launches(version.files);
  if (code == nullptr || code->status != runner::Compiled::Status::ok) return findings;
  const lint::Findings variables = lint::device_variables(code->code);
  findings.insert(findings.end(), variables.begin(), variables.end());
  return findings;
}

std::string refusal_by(const char* rule, const char* who, const char* remedy, const lint::Findings& findings) {
  const lint::Finding* first = nullptr;
  int more = 0;
  for (const lint::Finding& one : findings) {
    if (one.rule != rule || one.in_base) continue;
    if (first == nullptr) {
      first = &one;
    } else {
      ++more;
    }
  }
  if (first == nullptr) return {};
  return fmt::format("the policy refuses {} ([compile] {}): {}: {}{}; {}", who, rule, first->where, first->what,
                     more > 0 ? fmt::format(", and {} more", more) : "", remedy);
}

}  // namespace

lint::Findings lint_of(const Subject& subject, const runner::Compiled& candidate, const runner::Compiled* base) {
  lint::Findings findings = findings_of(subject.candidate, &candidate);
  if (subject.base) lint::mark_known(findings, findings_of(*subject.base, base));
  return findings;
}

std::string refusal(const lint::Findings& findings, const trust::CompileRules& rules) {
  std::string why;
  if (rules.refuse_launches) {
    why = refusal_by(lint::kDeviceLaunches, "kernels that start kernels", "start them by a [[launch]] of kernel.toml",
                     findings);
  }
  if (why.empty() && rules.refuse_variables) {
    why = refusal_by(lint::kDeviceVariables, "writable variables of the device",
                     "take a [[workspace]] of kernel.toml for memory, __constant__ for tables", findings);
  }
  return why;
}

}  // namespace kgate::verdict
