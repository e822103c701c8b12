#include "gate/verdict/result/verdict.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/nearest.h"

namespace kgate::verdict {
namespace {

// The table of README.md, "What it says": one row a verdict, in the order of the enumeration.
struct Row {
  Verdict verdict;
  const char* name;
  ExitCode code;  // where it blocks
};
constexpr std::array<Row, 12> kRows{{
    {Verdict::pass, "pass", ExitCode::pass},
    {Verdict::faster, "faster", ExitCode::pass},
    {Verdict::unchanged, "unchanged", ExitCode::pass},
    {Verdict::preapproved, "preapproved", ExitCode::pass},
    {Verdict::fresh, "new", ExitCode::missing},
    {Verdict::inconclusive, "inconclusive", ExitCode::inconclusive},
    {Verdict::environment, "environment", ExitCode::environment},
    {Verdict::missing, "missing", ExitCode::missing},
    {Verdict::regressed, "regressed", ExitCode::regressed},
    {Verdict::suspect, "suspect", ExitCode::wrong},
    {Verdict::wrong, "wrong", ExitCode::wrong},
    {Verdict::untrusted, "untrusted", ExitCode::untrusted},
}};

const Row& row_of(Verdict verdict) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.verdict == verdict; });
  if (found == kRows.end()) throw Error(ErrorKind::internal, "verdict", "is none of the known ones");
  return *found;
}

}  // namespace

const char* name_of(Verdict verdict) {
  return row_of(verdict).name;
}

Verdict verdict_from_name(const std::string& name) {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    if (name == row.name) return row.verdict;
    names.emplace_back(row.name);
  }
  const auto meant = nearest(name, names);
  throw Error(ErrorKind::usage, "verdict \"" + name + "\"", "is not known",
              meant ? "did you mean \"" + *meant + "\"?" : "");
}

bool passes(Verdict verdict) {
  return row_of(verdict).code == ExitCode::pass;
}

Verdict worst(const std::vector<Verdict>& verdicts) {
  Verdict found = Verdict::pass;
  for (const Verdict verdict : verdicts) {
    if (!passes(verdict)) found = std::max(found, verdict);
  }
  return found;
}

ExitCode exit_code_of(Verdict verdict) {
  return row_of(verdict).code;
}

}  // namespace kgate::verdict
