#include "gate/verdict/subject.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/nearest.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kMaxToml = 1u << 20;
constexpr const char* kCasesFile = "cases.toml";

// The folder part of a pattern before its first wildcard: no need to list the rest of the repository.
std::string fixed_folder(const std::string& pattern) {
  const auto wild = pattern.find_first_of("*?[");
  return parent_of(wild == std::string::npos ? pattern : pattern.substr(0, wild + 1));
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

struct CasesFile {
  cases::CasesSpec spec;
  std::string digest;
};

std::string read_text(const FileTree& tree, const std::string& path, const std::string& remedy) {
  const auto bytes = tree.read(path, kMaxToml);
  if (!bytes) throw Error(ErrorKind::usage, path, "is missing in the " + tree.description(), remedy);
  return std::string(text_of(*bytes));
}

CasesFile read_cases(const FileTree& tree, const std::string& kernel_path) {
  const std::string path = join_beneath(parent_of(kernel_path), kCasesFile);
  const std::string text = read_text(tree, path, "a kernel needs its cases beside it; see docs/cases-toml.md");
  return {cases::parse_cases(text, path), sha256_hex(text)};
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

Version read_version(const FileTree& tree, const std::string& path) {
  Version version;
  const std::string text = read_text(tree, path, "");
  version.spec = cases::parse_kernel(text, path);
  version.files = cases::read_sources(version.spec.sources, tree, path);
  Sha256 digest;
  digest.update(text);
  for (const auto& [name, content] : version.files) {
    digest.update(fmt::format("\n{} {}\n", name, content.size())).update(content);
  }
  version.digest = digest.hex();
  return version;
}

bool is_selected(const std::string& name, const std::vector<std::string>& selection) {
  return selection.empty() || std::any_of(selection.begin(), selection.end(),
                                          [&](const auto& pattern) { return glob_match(pattern, name); });
}

void check_selection(const std::vector<std::string>& names, const std::vector<std::string>& selection) {
  for (const auto& pattern : selection) {
    if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return glob_match(pattern, name); })) continue;
    throw Error(ErrorKind::missing, fmt::format("kernel \"{}\"", pattern),
                "is neither in the working tree nor in the base", suggestion(pattern, names));
  }
}

struct Found {
  std::string path;
  CasesFile cases;
};

// By name. Two kernels of one name are refused: the name is whose record a version is measured against.
std::map<std::string, Found> find_kernels(const FileTree& tree, const trust::Policy& policy) {
  std::map<std::string, Found> found;
  for (const auto& path : kernel_files(tree, policy.kernels)) {
    CasesFile file = read_cases(tree, path);
    const auto [place, added] = found.try_emplace(file.spec.kernel, Found{path, file});
    if (!added) {
      throw Error(ErrorKind::usage, file.spec.path,
                  fmt::format("kernel \"{}\" is declared by {} too", file.spec.kernel, place->second.cases.spec.path),
                  "give each kernel a name of its own");
    }
  }
  return found;
}

}  // namespace

Suite read_suite(const SuiteOptions& options) {
  const auto working = find_kernels(*options.working, *options.policy);
  const auto base = options.base ? find_kernels(*options.base, *options.policy) : std::map<std::string, Found>{};
  if (working.empty() && base.empty()) {
    throw Error(ErrorKind::missing, options.working->description(),
                fmt::format("no file matches \"{}\"", fmt::join(options.policy->kernels, "\", \"")),
                "add a kernel.toml, or change `kernels` in .kgate/policy.toml");
  }
  std::vector<std::string> names;
  for (const auto& [name, found] : working) names.push_back(name);
  for (const auto& [name, found] : base) {
    if (!working.contains(name)) names.push_back(name);
  }
  check_selection(names, options.selection);

  Suite suite;
  for (const auto& name : names) {
    if (!is_selected(name, options.selection)) continue;
    const auto mine = working.find(name);
    if (mine == working.end()) {
      suite.vanished.push_back(name);
      continue;
    }
    Subject subject;
    subject.name = name;
    subject.path = mine->second.path;
    subject.candidate = read_version(*options.working, subject.path);
    check_options(subject.candidate.spec, *options.policy);
    check_tokens(subject.candidate, *options.policy);
    const CasesFile* cases = &mine->second.cases;
    subject.cases_tree = options.working;
    if (const auto theirs = base.find(name); theirs != base.end()) {
      subject.base = read_version(*options.base, theirs->second.path);
      if (options.base_decides) {
        // What is right is read from the base commit whole, references and data too: a change cannot move its own goal.
        if (theirs->second.cases.digest != cases->digest) {
          subject.warnings.push_back(fmt::format(
              "cases.toml differs from the base {}: the base's count until the change is merged", options.base_name));
        }
        cases = &theirs->second.cases;
        subject.cases_tree = options.base;
      } else if (theirs->second.cases.digest != cases->digest) {
        subject.warnings.push_back("cases.toml differs from the last commit: the working tree's count here, not in CI");
      }
    }
    subject.cases = cases->spec;
    subject.cases_digest = cases->digest;
    suite.subjects.push_back(std::move(subject));
  }
  std::sort(suite.subjects.begin(), suite.subjects.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return suite;
}

}  // namespace kgate::verdict
