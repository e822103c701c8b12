#include "gate/verdict/subject/past.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/nearest.h"
#include "gate/cases/case_files.h"
#include "gate/verdict/subject/accepted.h"

namespace kgate::verdict {
namespace {

// The name that stands in the cases beside a kernel.toml of an old tree; empty where none can be read.
std::string name_beside(const FileTree& tree, const std::string& path) {
  try {
    return cases::kernel_name_in(tree, cases_beside(path));
  } catch (const Error&) {
    return {};
  }
}

bool is_there(const FileTree& tree, const std::string& path) {
  const auto files = tree.list(parent_of(path));
  return std::binary_search(files.begin(), files.end(), path);
}

// Where an old tree has the kernel; empty: it does not.
std::string place_in(const FileTree& tree, const Subject& today, const trust::Policy& policy) {
  const bool same_place = is_there(tree, today.path);
  const std::string name = same_place ? name_beside(tree, today.path) : "";
  if (same_place && (name.empty() || name == today.name)) return today.path;
  for (const auto& path : kernel_files(tree, policy.kernels)) {
    if (name_beside(tree, path) == today.name) return path;
  }
  return same_place ? today.path : "";  // it had another name then
}

std::string path_today(const trust::Authority& authority, const std::string& kernel) {
  std::vector<std::string> names;
  std::string found;
  for (const auto& path : kernel_files(*authority.tree, authority.policy.kernels)) {
    const std::string name = name_beside(*authority.tree, path);
    if (!name.empty()) names.push_back(name);
    if (name != kernel) continue;
    if (!found.empty()) {
      throw Error(ErrorKind::untrusted, cases_beside(path),
                  fmt::format("kernel \"{}\" is declared by {} too", kernel, cases_beside(found)),
                  "give each kernel a name of its own");
    }
    found = path;
  }
  if (!found.empty()) return found;
  throw Error(ErrorKind::missing, fmt::format("kernel \"{}\"", kernel),
              fmt::format("is not in {}, whose cases count", authority.tree->description()),
              suggestion(kernel, names, "kernels"));
}

Version judged_version(const trust::Authority& authority, const Subject& today, const std::string& commit) {
  PastVersion found = read_past(*authority.repository->tree(commit), today, authority.policy);
  if (!found.version) {
    throw Error(ErrorKind::usage, fmt::format("kernel \"{}\" in commit {}", today.name, commit.substr(0, 10)),
                found.why_not, "give a commit in which it can be judged");
  }
  return std::move(*found.version);
}

}  // namespace

Subject read_today(const trust::Authority& authority, const trust::Ledger& ledger, const std::string& kernel,
                   const std::string& day) {
  const std::string path = path_today(authority, kernel);
  const CasesFile file = read_cases(*authority.tree, path);
  CasesQuestion question;
  question.working = question.base = authority.tree;
  question.mine = question.theirs = &file;
  question.base_name = fmt::format("{} ({})", authority.base.commit.substr(0, 10), authority.base.ref);
  question.unsigned_blocks = authority.policy.unsigned_blocks;
  question.keyring = &authority.keyring;
  question.day = day;
  const auto head = ledger.head(kernel);
  question.accepted_revision = head && head->record.kernel == kernel ? head->record.cases_revision : 0;
  CountedCases cases = count_cases(question);
  Subject today;
  today.name = kernel;
  today.path = path;
  today.cases = std::move(cases.spec);
  today.cases_digest = std::move(cases.digest);
  today.cases_signers = std::move(cases.signers);
  today.cases_tree = std::move(cases.files);
  today.warnings = std::move(cases.warnings);
  return today;
}

PastVersion read_past(const FileTree& tree, const Subject& today, const trust::Policy& policy) {
  const std::string path = place_in(tree, today, policy);
  if (path.empty()) return {std::nullopt, "is not there"};
  try {
    Version version = read_candidate(tree, path, policy);
    if (const auto why = misfit(today, version); !why.empty())
      return {std::nullopt, "does not fit the cases that count: " + why};
    return {std::move(version), ""};
  } catch (const Error& error) {
    // What cannot be read in one commit says nothing about the others.
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::untrusted) throw;
    return {std::nullopt, error.what()};
  }
}

Subject read_pair(const trust::Authority& authority, Subject today, const std::string& candidate,
                  const std::string& base) {
  today.candidate = judged_version(authority, today, candidate);
  today.base = judged_version(authority, today, base);
  return today;
}

}  // namespace kgate::verdict
