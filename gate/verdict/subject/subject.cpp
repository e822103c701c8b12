#include "gate/verdict/subject/subject.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/nearest.h"
#include "gate/trust/signed_cases.h"
#include "gate/trust/untrusted.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kMaxToml = 1u << 20;
constexpr const char* kCasesFile = "cases.toml";

// The folder part of a pattern before its first wildcard: no need to list the rest of the repository.
std::string fixed_folder(const std::string& pattern) {
  const auto wild = pattern.find_first_of("*?[");
  return parent_of(wild == std::string::npos ? pattern : pattern.substr(0, wild + 1));
}

// The kernels of a tree that it does not give, each path with the reason and the remedy.
std::map<std::string, FileTree::LeftOut> kernels_left_out(const FileTree& tree,
                                                          const std::vector<std::string>& patterns) {
  std::map<std::string, FileTree::LeftOut> found;
  for (const auto& pattern : patterns) {
    for (auto& file : tree.left_out(fixed_folder(pattern))) {
      if (glob_match(pattern, file.path)) found.try_emplace(file.path, file);
    }
  }
  return found;
}

std::string read_text(const FileTree& tree, const std::string& path, const std::string& remedy) {
  const auto bytes = tree.read(path, kMaxToml);
  if (!bytes) throw Error(ErrorKind::usage, path, "is missing in the " + tree.description(), remedy);
  return std::string(text_of(*bytes));
}

// The allow list of the policy: an entry ends in '*' or is the whole option.
void check_options(const cases::KernelSpec& spec, const trust::Policy& policy) {
  for (const auto& option : spec.sources.options) {
    const bool allowed = std::any_of(
        policy.compile.allow_options.begin(), policy.compile.allow_options.end(), [&](const std::string& pattern) {
          return pattern.ends_with('*') ? option.starts_with(pattern.substr(0, pattern.size() - 1)) : option == pattern;
        });
    if (!allowed) {
      throw Error(ErrorKind::usage, spec.path, fmt::format("option \"{}\" is not on the policy's allow list", option),
                  "remove it, or let the platform team add it to [compile] allow_options");
    }
  }
}

// __DATE__ and its kin make the machine code of one source differ from build to build, so that nothing is ever
// unchanged.
void check_tokens(const Version& version, const trust::Policy& policy) {
  std::vector<std::string> tokens{"__DATE__", "__TIME__", "__TIMESTAMP__"};
  tokens.insert(tokens.end(), policy.compile.forbid.begin(), policy.compile.forbid.end());
  for (const auto& [path, content] : version.files) {
    if (const auto found = cases::forbidden_token(text_of(content), tokens)) {
      throw Error(ErrorKind::usage, path, *found, "remove it; the policy does not allow it in a candidate");
    }
  }
}

void check_selection(const std::vector<std::string>& names, const std::vector<std::string>& selection) {
  for (const auto& pattern : selection) {
    if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return glob_match(pattern, name); })) continue;
    throw Error(ErrorKind::missing, fmt::format("kernel \"{}\"", pattern),
                "is neither in the working tree nor in the base nor in the ledger",
                suggestion(pattern, names, "kernels"));
  }
}

// A kernel in the trees that know it.
struct Sources {
  const FoundKernel* mine = nullptr;  // in the working tree
  const FoundKernel* base = nullptr;  // in the version to compare with
  const FoundKernel* before =
      nullptr;  // what it is compared with there: itself, or the kernel that goes on as this one
  const FoundKernel* target = nullptr;  // on the branch that it is to be merged into
};

// Which tree's cases count, with what that says; throws Error(untrusted).
CountedCases cases_for_kernel(const SuiteOptions& options, const Sources& kernel,
                              const std::optional<trust::LedgerEntry>& head) {
  CasesQuestion question;
  question.working = options.working;
  question.base = options.base;
  question.mine = &kernel.mine->cases;
  question.theirs = kernel.base != nullptr ? &kernel.base->cases : nullptr;
  question.base_name = options.base_name;
  if (options.target && kernel.target != nullptr) {
    // Cases that the change left alone are, once merged, the target branch's.
    const CasesFile& mine = kernel.mine->cases;
    question.untouched = kernel.base != nullptr &&
                         !same_cases(*options.target, kernel.target->cases, *options.working, mine) &&
                         same_cases(*options.base, kernel.base->cases, *options.working, mine);
    question.base = options.target;
    question.theirs = &kernel.target->cases;
    question.base_name = options.target_name;
  }
  question.base_decides = options.base_decides;
  question.unsigned_blocks = options.policy->unsigned_blocks && !options.unsigned_passes;
  question.keyring = options.keyring;
  question.day = options.day;
  question.accepted_revision =
      head && head->record.kernel == kernel.mine->cases.spec.kernel ? head->record.cases_revision : 0;
  return count_cases(question);
}

// Something lies where the base has the kernel, and was not listed: a link, a FIFO. Why it was left out; nothing where
// the kernel is gone.
std::optional<std::string> disguise(const FileTree& working, const std::string& path) {
  try {
    working.read(path, kMaxToml);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

// Gone with an approver's word is not missing.
std::optional<std::string> goodbye(const std::string& name, const std::optional<trust::LedgerEntry>& head) {
  if (!head || !head->ended) return std::nullopt;
  const auto& record = head->record;
  return record.retired ? fmt::format("kernel \"{}\" was retired by record {} of the ledger: {}", name, record.sequence,
                                      record.reason)
                        : fmt::format("kernel \"{}\" goes on as \"{}\" since record {} of the ledger", name,
                                      record.kernel, record.sequence);
}

// The kernel that goes on as `name`: the base has that one, and not `name` yet. Else a rename would be a first version,
// which nothing is slower than.
std::string predecessor(const SuiteOptions& options, const std::string& name,
                        const std::map<std::string, FoundKernel>& base, const std::optional<trust::LedgerEntry>& head) {
  if (!options.renamed_from.empty()) return options.renamed_from;
  if (base.contains(name) || !head || head->ended) return {};
  std::string found;
  options.ledger->records(name, [&](const trust::LedgerEntry& entry) {
    if (entry.ended) return false;
    // Its old name may be another kernel's by now.
    const std::string& old = entry.record.renamed_from;
    if (base.contains(old) && options.ledger->head(old)->ended) found = old;
    return found.empty();
  });
  return found;
}

Subject read_subject(const SuiteOptions& options, const std::string& name, const Sources& kernel,
                     const std::optional<trust::LedgerEntry>& head) {
  CountedCases cases = cases_for_kernel(options, kernel, head);
  Subject subject;
  subject.name = name;
  subject.path = kernel.mine->path;
  subject.candidate = read_candidate(*options.working, subject.path, *options.policy);
  if (kernel.before != nullptr) subject.base = read_version(*options.base, kernel.before->path);
  if (head && !head->ended) subject.ledger_name = name;
  subject.cases = std::move(cases.spec);
  subject.cases_digest = std::move(cases.digest);
  subject.cases_signers = std::move(cases.signers);
  subject.cases_tree = std::move(cases.files);
  subject.warnings = std::move(cases.warnings);
  return subject;
}

}  // namespace

bool is_selected(const std::string& name, const std::vector<std::string>& selection) {
  return selection.empty() || std::any_of(selection.begin(), selection.end(),
                                          [&](const auto& pattern) { return glob_match(pattern, name); });
}

std::map<std::string, FoundKernel> find_kernels(const FileTree& tree, const trust::Policy& policy) {
  std::map<std::string, FoundKernel> found;
  for (const auto& path : kernel_files(tree, policy.kernels)) {
    CasesFile file = read_cases(tree, path);
    const auto [place, added] = found.try_emplace(file.spec.kernel, FoundKernel{path, file});
    if (!added) {
      throw Error(ErrorKind::untrusted, file.spec.path,
                  fmt::format("kernel \"{}\" is declared by {} too", file.spec.kernel, place->second.cases.spec.path),
                  "give each kernel a name of its own");
    }
  }
  return found;
}

std::vector<std::string> kernel_files(const FileTree& tree, const std::vector<std::string>& patterns) {
  std::vector<std::string> found;
  for (const auto& pattern : patterns) {
    for (const auto& path : tree.list(fixed_folder(pattern))) {
      if (glob_match(pattern, path)) found.push_back(path);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// What lies there and is no plain file, or is missing beside its signature, is no mistake of somebody who begins.
CasesFile read_cases(const FileTree& tree, const std::string& kernel_path) {
  const std::string path = cases_beside(kernel_path);
  const std::string belongs = "a kernel needs its cases beside it, as a plain file; see docs/cases-toml.md";
  const auto bytes = trust::untrusted_where(belongs, [&] { return tree.read(path, kMaxToml); });
  if (!bytes) {
    const bool is_signed = tree.read(trust::envelope_path(path), trust::kMaxEnvelope).has_value();
    throw Error(
        is_signed ? ErrorKind::untrusted : ErrorKind::usage, path,
        fmt::format("is missing in the {}{}", tree.description(), is_signed ? ", and its signature is there" : ""),
        is_signed ? "restore it; a kernel that is to go goes with its whole folder" : belongs);
  }
  const std::string text(text_of(*bytes));
  return {cases::parse_cases(text, path), sha256_hex(text)};
}

std::string cases_beside(const std::string& kernel_path) {
  return join_beneath(parent_of(kernel_path), kCasesFile);
}

Version read_candidate(const FileTree& tree, const std::string& path, const trust::Policy& policy) {
  Version version = read_version(tree, path);
  check_options(version.spec, policy);
  check_tokens(version, policy);
  return version;
}

Version read_version(const FileTree& tree, const std::string& path) {
  Version version;
  version.toml = read_text(tree, path, "");
  version.spec = cases::parse_kernel(version.toml, path);
  version.files = cases::read_sources(version.spec.sources, tree, path);
  Sha256 digest;
  digest.update(version.toml);
  for (const auto& [name, content] : version.files) {
    digest.update(fmt::format("\n{} {}\n", name, content.size())).update(content);
  }
  version.digest = digest.hex();
  return version;
}

Suite read_suite(const SuiteOptions& options) {
  const auto working = find_kernels(*options.working, *options.policy);
  auto left_out = kernels_left_out(*options.working, options.policy->kernels);
  const auto base = options.base ? find_kernels(*options.base, *options.policy) : std::map<std::string, FoundKernel>{};
  const auto target =
      options.target ? find_kernels(*options.target, *options.policy) : std::map<std::string, FoundKernel>{};
  const auto active = options.ledger != nullptr ? options.ledger->kernels() : std::vector<std::string>{};
  if (working.empty() && base.empty() && active.empty()) {
    if (!left_out.empty()) {
      const auto& [path, file] = *left_out.begin();
      throw Error(ErrorKind::missing, path, file.fact, file.remedy);
    }
    throw Error(ErrorKind::missing, options.working->description(),
                fmt::format("no file matches \"{}\"", fmt::join(options.policy->kernels, "\", \"")),
                "add a kernel.toml, or change `kernels` in .kgate/policy.toml");
  }
  std::set<std::string> known(active.begin(), active.end());
  for (const auto* tree : {&working, &base}) {
    for (const auto& [name, found] : *tree) known.insert(name);
  }
  const std::vector<std::string> names(known.begin(), known.end());
  check_selection(names, options.selection);

  Suite suite;
  for (const auto& name : names) {
    if (!is_selected(name, options.selection)) continue;
    const auto mine = working.find(name), theirs = base.find(name);
    const auto head = options.ledger != nullptr ? options.ledger->head(name) : std::nullopt;
    if (mine == working.end()) {
      if (!options.tells_gone) continue;
      // Others added it since the change began.
      if (theirs == base.end() && target.find(name) != target.end()) continue;
      const bool looked_for = theirs != base.end() && !left_out.contains(theirs->second.path);
      const auto why = looked_for ? disguise(*options.working, theirs->second.path) : std::nullopt;
      if (why) {
        suite.untrusted.push_back({name, theirs->second.path, *why});
      } else if (const auto note = goodbye(name, head)) {
        suite.notes.push_back(*note);
      } else {
        const std::string path = theirs != base.end() ? theirs->second.path : head->record.path;
        const bool in_base = theirs != base.end();
        const std::string who = in_base ? fmt::format("the base {} has it", options.base_name)
                                        : fmt::format("record {} of the ledger has accepted it", head->record.sequence);
        const auto hidden = left_out.extract(path);
        suite.vanished.push_back(
            {name, path,
             hidden ? fmt::format("{}, and its kernel.toml {}; {}", who, hidden.mapped().fact, hidden.mapped().remedy)
                    : who + (in_base ? ", this tree does not" : ", this tree does not have it")});
      }
      continue;
    }
    if (options.own && !options.own->contains(name)) continue;
    try {
      const auto found = [](const std::map<std::string, FoundKernel>& tree, const std::string& kernel) {
        const auto place = tree.find(kernel);
        return place != tree.end() ? &place->second : nullptr;
      };
      const std::string old = predecessor(options, name, base, head);
      Subject subject = read_subject(
          options, name, {&mine->second, found(base, name), found(base, old.empty() ? name : old), found(target, name)},
          head);
      subject.renamed_from = old;
      if (!options.renamed_from.empty()) subject.ledger_name = old;
      if (!old.empty() && subject.base)
        subject.warnings.push_back(fmt::format("compared with the base's \"{}\", which goes on as this one", old));
      suite.subjects.push_back(std::move(subject));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted) throw;
      suite.untrusted.push_back({name, mine->second.path, error.what()});
    }
  }
  if (options.selection.empty()) {
    for (const auto& [path, file] : left_out) {
      suite.notes.push_back(fmt::format("{} {} and is not judged; {}", path, file.fact, file.remedy));
    }
  }
  return suite;
}

}  // namespace kgate::verdict
