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

std::string refusal(const lint::Findings& findings, const trust::CompileRules& rules, const std::string& backend) {
  std::string why;
  if (rules.refuse_launches) {
    why = refusal_by(lint::kDeviceLaunches, "kernels that start kernels", "start them by a [[launch]] of kernel.toml",
                     findings);
  }
  if (why.empty() && rules.refuse_variables) {
    // On a CPU all memory that is not read-only is alike, and __constant__ is no const: who writes to such a variable
    // would be told by no section.
    const char* const remedy =
        backend == "host" ? "take a [[workspace]] of kernel.toml for memory; on the host backend __constant__ is a "
                            "variable like others: where it is a table, run this on a GPU (--backend cuda)"
                          : "take a [[workspace]] of kernel.toml for memory, __constant__ for tables";
    why = refusal_by(lint::kDeviceVariables, "writable variables of the device", remedy, findings);
  }
  return why;
}

}  // namespace kgate::verdict
