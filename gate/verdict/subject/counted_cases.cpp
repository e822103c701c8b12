// Problem: cases decide what is right, and a pull request holds both the kernel and its cases. Choice: what the base
// commit has counts, unless the change brings cases that were signed, by the base's keys, with a higher revision. So a
// reviewer's signature moves the goal, a merge is not needed for it, and an old signature (an easier revision that was
// good once) does not move it back. Every file that the cases name is read once, together with its signature, and used
// from memory. Rejected: to take the signature for the file names alone (a header that a pattern finds would come in
// unsigned), to let an unsigned edit pass in silence because the base's cases count anyway (it would be merged).
#include "gate/verdict/subject/counted_cases.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "gate/cases/case_files.h"
#include "gate/trust/signed_cases.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kMaxToml = 1u << 20, kMaxFile = 256u << 20;

[[noreturn]] void untrusted(const std::string& subject, const std::string& fact, const std::string& remedy) {
  throw Error(ErrorKind::untrusted, subject, fact, remedy);
}

struct Verified {
  cases::CasesSpec spec;
  std::string digest;
  trust::SignedCases cases;
};

// Every file that says what is right, by the name that a statement gives it, with its digest; empty: it is not there.
std::map<std::string, std::string> digests_of(const FileTree& tree, const cases::CasesSpec& spec) {
  std::vector<std::string> paths = cases::files_of(spec, tree);
  paths.push_back(trust::envelope_path(spec.path));
  std::map<std::string, std::string> digests;
  for (const auto& path : paths) {
    const auto content = tree.read(path, kMaxFile);
    digests[cases::name_in(spec, path)] = content ? sha256_hex(*content) : "";
  }
  return digests;
}

// Nothing where the tree has no envelope beside the cases. `file`: the cases as they were when the kernel was found.
std::optional<Verified> verify(const FileTree& tree, const CasesFile& file, const CasesQuestion& question) {
  const std::string& path = file.spec.path;
  auto found = trust::read_signed_cases(tree, path, *question.keyring, question.day, file.spec.kernel);
  if (!found) return std::nullopt;
  const auto text = found->files->read(path, kMaxToml);
  const std::string envelope = trust::envelope_path(path);
  if (!text) untrusted(envelope, "does not sign cases.toml", "sign the cases again: kgate sign");
  Verified verified{cases::parse_cases(text_of(*text), path), sha256_hex(*text), std::move(*found)};
  if (verified.digest != file.digest)
    untrusted(path, "was changed while it was read", "run kgate again where nothing else writes");
  const auto& statement = verified.cases.statement;
  const auto& spec = verified.spec;
  if (statement.kernel != spec.kernel) {
    untrusted(envelope,
              fmt::format("is signed for the kernel \"{}\", the cases are of \"{}\"", statement.kernel, spec.kernel),
              fmt::format("sign these cases: kgate sign {}", spec.kernel));
  }
  if (statement.revision != spec.revision) {
    untrusted(envelope,
              fmt::format("is signed for revision {}, the cases are revision {}", statement.revision, spec.revision),
              fmt::format("sign these cases: kgate sign {}", spec.kernel));
  }
  // A pattern for headers finds what lies in the tree, signed or not: what lies there must be what was signed.
  const auto covered = verified.cases.files->list("");
  for (const auto& named : cases::files_of(spec, tree)) {
    if (!std::binary_search(covered.begin(), covered.end(), named)) {
      untrusted(named, fmt::format("is named by {} but not signed in {}", path, envelope),
                fmt::format("remove it, or sign the cases with it: kgate sign {}", spec.kernel));
    }
  }
  return verified;
}

CountedCases counted(Verified verified) {
  CountedCases cases{
      std::move(verified.spec), std::move(verified.digest), verified.cases.files, verified.cases.signers, {}};
  const auto& statement = verified.cases.statement;
  if (!statement.weak_reason.empty()) {
    cases.warnings.push_back(fmt::format("cases revision {} were signed though {} wrong outputs pass them: {}",
                                         statement.revision, statement.weaknesses.size(), statement.weak_reason));
  }
  return cases;
}

CountedCases counted_unsigned(const CasesFile& file, std::shared_ptr<const FileTree> tree) {
  return {file.spec, file.digest, std::move(tree), {}, {}};
}

// Revisions go up, with every change and only up.
void check_revision(const Verified& mine, const CasesQuestion& question) {
  const std::int64_t revision = mine.spec.revision;
  const std::string& path = mine.spec.path;
  const auto raise = [&](std::int64_t above) {
    return fmt::format("set revision = {} and sign again: kgate sign {}", above + 1, mine.spec.kernel);
  };
  if (revision < question.accepted_revision) {
    untrusted(path,
              fmt::format("is revision {}, the ledger has accepted this kernel by revision {}", revision,
                          question.accepted_revision),
              raise(question.accepted_revision));
  }
  if (question.theirs == nullptr) return;
  const std::int64_t base = question.theirs->spec.revision;
  if (revision < base) {
    untrusted(path, fmt::format("is revision {}, the base {} has revision {}", revision, question.base_name, base),
              raise(base));
  }
  if (revision > base) return;
  const auto other = [&]() -> bool {
    if (mine.digest != question.theirs->digest) return true;
    // The same text with another reference or other data. Where the base's signature does not hold any more (a key that
    // ended) a new one for the same text is how it is mended.
    try {
      const auto theirs =
          trust::read_signed_cases(*question.base, question.theirs->spec.path, *question.keyring, question.day);
      return theirs && theirs->statement.files != mine.cases.statement.files;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted) throw;
      return false;
    }
  };
  if (other()) {
    untrusted(path, fmt::format("differs from the base {}, which has revision {} too", question.base_name, base),
              raise(base));
  }
}

}  // namespace

bool same_cases(const FileTree& tree, const CasesFile& cases, const FileTree& other_tree, const CasesFile& other) {
  if (cases.digest != other.digest) return false;
  try {
    return digests_of(tree, cases.spec) == digests_of(other_tree, other.spec);
  } catch (const Error& error) {
    // A source that is missing, a link: not the same, and what it is will be told by whoever needs it.
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::untrusted) throw;
    return false;
  }
}

CountedCases count_cases(const CasesQuestion& question) {
  const std::string& path = question.mine->spec.path;
  const std::string& kernel = question.mine->spec.kernel;
  const auto must_be_signed = [&](const std::string& fact) {
    if (question.unsigned_blocks)
      untrusted(path, fact, fmt::format("have it signed by a key with the role cases: kgate sign {}", kernel));
  };
  if (question.untouched) {
    auto theirs = verify(*question.base, *question.theirs, question);
    if (!theirs) must_be_signed("is not signed");
    CountedCases cases = theirs ? counted(std::move(*theirs)) : counted_unsigned(*question.theirs, question.base);
    cases.warnings.push_back(
        fmt::format("cases revision {} of {} count: this branch, which has not touched them, is older",
                    cases.spec.revision, question.base_name));
    return cases;
  }
  if (auto mine = verify(*question.working, *question.mine, question)) {
    check_revision(*mine, question);
    const bool news = question.theirs != nullptr && mine->digest != question.theirs->digest;
    CountedCases cases = counted(std::move(*mine));
    if (news) {
      cases.warnings.push_back(fmt::format("cases revision {}, signed by {}, count; the base {} has revision {}",
                                           cases.spec.revision, fmt::join(cases.signers, " and "), question.base_name,
                                           question.theirs->spec.revision));
    }
    return cases;
  }
  if (question.theirs == nullptr) {
    must_be_signed("is not signed");
    return counted_unsigned(*question.mine, question.working);
  }
  const bool differs = question.theirs->digest != question.mine->digest;
  if (auto theirs = verify(*question.base, *question.theirs, question)) {
    must_be_signed(fmt::format("is signed in the base {}, but not here", question.base_name));
    CountedCases cases = counted(std::move(*theirs));
    cases.warnings.push_back(fmt::format("{} is not signed here: the base's, which are, count", path));
    return cases;
  }
  must_be_signed("is not signed");
  if (question.base_decides) {
    CountedCases cases = counted_unsigned(*question.theirs, question.base);
    if (differs) {
      cases.warnings.push_back(fmt::format(
          "cases.toml differs from the base {}: the base's count until the change is merged", question.base_name));
    }
    return cases;
  }
  CountedCases cases = counted_unsigned(*question.mine, question.working);
  if (differs)
    cases.warnings.push_back("cases.toml differs from the last commit: the working tree's count here, not in CI");
  return cases;
}

}  // namespace kgate::verdict
