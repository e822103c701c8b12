#include "gate/cli/cases_to_sign.h"

#include <iostream>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory_tree.h"
#include "gate/cases/case_files.h"
#include "gate/report/format.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMaxFile = 256u << 20;  // as those take it who read signed cases

Bytes need(const FileTree& tree, const std::string& file, std::uint64_t limit) {
  auto content = tree.read(file, limit);
  if (!content) {
    throw Error(ErrorKind::usage, file, "is not in " + tree.description(),
                "add the file, or take it out of cases.toml");
  }
  return std::move(*content);
}

}  // namespace

CasesToSign read_cases(const FileTree& tree, const std::string& path) {
  CasesToSign read;
  std::map<std::string, Bytes> files;
  files[path] = need(tree, path, cases::kMostCasesBytes);
  read.spec = cases::parse_cases(text_of(files.at(path)), path);
  for (const auto& file : cases::files_of(read.spec, tree)) {
    if (file != path) files[file] = need(tree, file, kMaxFile);
  }
  read.statement.kernel = read.spec.kernel;
  read.statement.revision = read.spec.revision;
  for (const auto& [file, content] : files) {
    read.statement.files[cases::name_in(read.spec, file)] = sha256_hex(content);
  }
  read.files = std::make_shared<MemoryTree>(std::move(files), tree.description());
  return read;
}

trust::EarlierCases cases_of_head(const trust::Repository& repository, const trust::Policy& policy,
                                  const std::string& kernel) {
  trust::EarlierCases earlier;
  const auto head = repository.resolve("HEAD");
  if (!head) return earlier;
  earlier.base_name = fmt::format("commit {:.10} (HEAD)", *head);
  const auto tree = repository.tree(*head);
  try {
    const auto found = cases::find_cases(*tree, policy.kernels);
    const auto mine = found.find(kernel);
    if (mine != found.end()) earlier.base = read_cases(*tree, mine->second).statement;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    warn(fmt::format("the revision is not compared with that of {}: {}", earlier.base_name, error.what()));
  }
  return earlier;
}

std::optional<LyingEnvelope> read_envelope(const FileTree& tree, const std::string& path) {
  const auto text = tree.read(path, trust::kMaxEnvelope);
  if (!text) return std::nullopt;
  try {
    LyingEnvelope lying;
    lying.envelope = trust::parse_envelope(text_of(*text), path);
    lying.statement = trust::cases_statement_from(trust::unwrap(lying.envelope, trust::kCasesPredicate, path), path);
    if (trust::wrap(trust::to_statement(lying.statement)).payload == lying.envelope.payload) return lying;
    warn(path + " says more than a statement about cases does: it is replaced");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::untrusted) throw;
    warn(fmt::format("{}: it is replaced", error.what()));
  }
  return std::nullopt;
}

void warn(const std::string& line) {
  std::cerr << "warning: " << report::one_line(line) << '\n';
}

}  // namespace kgate::cli
