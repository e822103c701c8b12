#include "gate/search/candidate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_tree.h"
#include "base/json.h"
#include "base/quote.h"
#include "gate/search/defines.h"

namespace kgate::search {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;  // of a file, as the gate reads them

struct Unfit {
  std::string fault;
};

template <typename... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> text, Values&&... values) {
  throw Unfit{fmt::format(text, std::forward<Values>(values)...)};
}

class Application {
 public:
  explicit Application(const Candidate& parent) : parent_(parent), spec_(spec_of(parent)), files_(parent.files) {}

  void take(const Part& part) {
    for (const auto& [path, content] : part.files) {
      check_path(path);
      put(path, content);
    }
    for (const Edit& edit : part.edits) replace(edit);
    if (part.parameters.empty()) return;
    std::string& text = files_.at(parent_.path);
    text = with_defines(text, parent_.path, part.parameters);
  }

  Candidate end() {
    Candidate candidate = make_candidate(std::move(files_), parent_.path);
    const cases::SourceSet now = spec_of(candidate).sources;
    const cases::SourceSet& before = spec_.sources;
    const auto keep = [](bool same, const char* key) {
      if (!same) refuse("changes {} in kernel.toml, which a search may not", kgate::quoted(key));
    };
    keep(now.kind == before.kind, "kind");
    keep(now.sources == before.sources, "sources");
    keep(now.headers == before.headers, "headers");
    keep(now.include_dirs == before.include_dirs, "include_dirs");
    return candidate;
  }

 private:
  void check_path(const std::string& path) const {
    std::string plain;
    try {
      plain = join_beneath("", path);
    } catch (const Error& error) {
      refuse("the file {} {}", kgate::quoted(path), error.fact());
    }
    const cases::SourceSet& set = spec_.sources;
    const auto is_header = [&](const std::string& pattern) { return glob_match(pattern, path); };
    if (plain != path || cases::fault_of_name(path))
      refuse("the file {} has to be named plainly, from the repository's root", kgate::quoted(path));
    if (path == parent_.path || std::find(set.sources.begin(), set.sources.end(), path) != set.sources.end()) return;
    if (std::none_of(set.headers.begin(), set.headers.end(), is_header))
      refuse("the file {} is neither kernel.toml nor one that it declares", kgate::quoted(path));
  }

  void put(const std::string& path, std::string content) {
    if (content.size() > kMostBytes) refuse("the file {} becomes larger than 4 MiB", kgate::quoted(path));
    files_[path] = std::move(content);
  }

  void replace(const Edit& edit) {
    check_path(edit.file);
    const auto file = files_.find(edit.file);
    if (file == files_.end()) refuse("the file {} is to be edited and is not there", kgate::quoted(edit.file));
    const std::string& text = file->second;
    const std::size_t at = edit.find.empty() ? std::string::npos : text.find(edit.find);
    if (at == std::string::npos)
      refuse("{} has no {}, which is to be replaced", kgate::quoted(edit.file), kgate::quoted(edit.find));
    if (text.find(edit.find, at + 1) != std::string::npos)
      refuse("{} has {}, which is to be replaced, more than once", kgate::quoted(edit.file), kgate::quoted(edit.find));
    put(edit.file, text.substr(0, at) + edit.replace + text.substr(at + edit.find.size()));
  }

  const Candidate& parent_;
  cases::KernelSpec spec_;
  std::map<std::string, std::string> files_;
};

}  // namespace

cases::KernelSpec spec_of(const Candidate& candidate) {
  const auto file = candidate.files.find(candidate.path);
  if (file == candidate.files.end())
    throw Error(ErrorKind::internal, candidate.path, "is not among the files of its version");
  return cases::parse_kernel(file->second, candidate.path);
}

Candidate make_candidate(std::map<std::string, std::string> files, const std::string& path) {
  Candidate candidate;
  candidate.path = path;
  candidate.files = std::move(files);
  const cases::KernelSpec spec = spec_of(candidate);
  for (const auto& [name, values] : spec.tunables) candidate.parameters[name] = spec.sources.defines.at(name);
  Sha256 digest;
  for (const auto& [name, content] : candidate.files) digest.update(fmt::format("{} {}\n", sha256_hex(content), name));
  candidate.digest = digest.hex();
  return candidate;
}

Applied apply(const Proposal& proposal, const Candidate& parent) {
  try {
    Application application(parent);
    for (const Part& part : proposal.parts) {
      try {
        application.take(part);
      } catch (const Unfit& unfit) {
        return {std::nullopt, fmt::format("part {}: {}", kgate::quoted(part.name), unfit.fault)};
      }
    }
    return {application.end(), {}};
  } catch (const Unfit& unfit) {
    return {std::nullopt, unfit.fault};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return {std::nullopt, error.what()};
  }
}

}  // namespace kgate::search
