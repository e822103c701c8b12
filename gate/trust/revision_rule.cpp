#include "gate/trust/revision_rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::trust {
namespace {

// A file that only one of them has, or that they have differently.
std::string difference(const CasesStatement& one, const CasesStatement& other) {
  for (const auto* files : {&one.files, &other.files}) {
    for (const auto& [name, digest] : *files) {
      const auto mine = one.files.find(name), theirs = other.files.find(name);
      if (mine == one.files.end()) return "with " + name + " too";
      if (theirs == other.files.end()) return "without " + name;
      if (mine->second != theirs->second) return "with another " + name;
    }
  }
  return {};
}

}  // namespace

bool adds_signature(const CasesStatement& cases, const EarlierCases& earlier, const std::string& subject) {
  const auto overtakes = [&](const std::optional<CasesStatement>& other) {
    return other && other->kernel == cases.kernel && other->files != cases.files && other->revision >= cases.revision;
  };
  const bool lying = overtakes(earlier.lying), base = overtakes(earlier.base);
  if (lying || base) {
    const bool by_lying = lying && !(base && earlier.base->revision > earlier.lying->revision);
    const CasesStatement& other = by_lying ? *earlier.lying : *earlier.base;
    throw Error(ErrorKind::usage, subject,
                fmt::format("is revision {}, and {} revision {} {}", cases.revision,
                            by_lying ? "its signature is for" : earlier.base_name + " has", other.revision,
                            difference(cases, other)),
                fmt::format("raise revision to {}", other.revision + 1));
  }
  return earlier.lying && earlier.lying->kernel == cases.kernel && earlier.lying->revision == cases.revision &&
         earlier.lying->files == cases.files;
}

}  // namespace kgate::trust
