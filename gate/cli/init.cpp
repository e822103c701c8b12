#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/cli/verbs.h"
#include "gate/report/format.h"
#include "gate/scaffold/ci_files.h"
#include "gate/scaffold/kernel_folder.h"
#include "gate/scaffold/policy_file.h"
#include "gate/trust/repository.h"

namespace kgate::cli {
namespace {

namespace fs = std::filesystem;
using scaffold::CiHost;
using scaffold::NewFile;

constexpr std::uint64_t kMaxSource = 4u << 20;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

// A source that was named, from the repository's root.
std::string path_in(const fs::path& root, const std::string& name) {
  std::error_code error;
  const fs::path whole = fs::canonical(name, error);
  if (error) throw Error(ErrorKind::usage, name, "cannot be found", "name a CUDA source of this repository");
  const std::string path = whole.lexically_relative(fs::canonical(root)).generic_string();
  if (path.empty() || path.starts_with("..")) {
    throw Error(ErrorKind::usage, name, "lies outside of the repository",
                "kgate compiles what the repository has: put it there, or name the repository with --repo");
  }
  return path;
}

// Beside its source where that has a folder among the kernels for itself.
std::string folder_for(const std::string& source, const scaffold::Entry& entry, std::size_t entries) {
  const fs::path beside = fs::path(source).parent_path();
  if (entries == 1 && source.starts_with("kernels/") && beside != "kernels") return beside.generic_string();
  return "kernels/" + scaffold::short_name(entry);
}

std::vector<NewFile> kernels_of(const fs::path& root, const std::string& name) {
  const std::string path = path_in(root, name);
  const std::string text(text_of(read_file(root / path, kMaxSource)));
  const auto entries = scaffold::find_entries(text);
  if (entries.empty()) {
    throw Error(ErrorKind::usage, path, "has no __global__ function with a body",
                "name the file that has the kernel; one that a macro writes needs its files by hand "
                "(docs/kernel-toml.md)");
  }
  const scaffold::KernelSource source{path, scaffold::quoted_includes(text)};
  std::vector<NewFile> files;
  std::set<std::string> folders;
  for (const auto& entry : entries) {
    const std::string folder = folder_for(path, entry, entries.size());
    if (!folders.insert(folder).second) continue;  // an overload: one kernel a name
    for (auto& file : scaffold::kernel_folder(folder, entry, source)) files.push_back(std::move(file));
  }
  return files;
}

bool has_kernels(const trust::Repository& repository) {
  for (const auto& path : repository.working_tree()->list("")) {
    if (fs::path(path).filename() == "kernel.toml") return true;
  }
  return false;
}

std::optional<CiHost> ci_of(const std::string& wanted, const trust::Repository& repository, const fs::path& root) {
  if (wanted == "none") return std::nullopt;
  if (wanted == "github") return CiHost::github;
  if (wanted == "gitlab") return CiHost::gitlab;
  if (const auto url = repository.remote_url("origin")) {
    if (const auto host = scaffold::ci_host_of(*url)) return host;
  }
  if (is_there(root / ".github")) return CiHost::github;
  if (is_there(root / ".gitlab-ci.yml")) return CiHost::gitlab;
  return std::nullopt;
}

// Makes the file where nothing is; false where something is. Never through a link: its folders must lie in the
// repository themselves.
bool made(const fs::path& root, const NewFile& file) {
  const fs::path path = root / file.path;
  if (is_there(path)) return false;
  const fs::path real = fs::weakly_canonical(path), top = fs::canonical(root);
  if (real.lexically_relative(top).generic_string() != file.path) {
    throw Error(ErrorKind::usage, file.path, "lies behind a link", "make its folder a folder of this repository");
  }
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    throw Error(ErrorKind::environment, file.path, "its folder cannot be made: " + error.message(), "see to it");
  create_file(path, file.content, 0644);
  return true;
}

std::size_t places_to_fill(const std::vector<NewFile>& files) {
  std::size_t count = 0;
  for (const auto& file : files) {
    // In the comment at the top of cases.toml it is only named.
    const std::string quoted = std::string("\"") + scaffold::kFillIn, templated = std::string("<") + scaffold::kFillIn;
    for (const auto& mark : {quoted, templated}) {
      for (auto at = file.content.find(mark); at != std::string::npos; at = file.content.find(mark, at + 1)) ++count;
    }
  }
  return count;
}

}  // namespace

ExitCode initialise(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const auto repository = trust::Repository::open(arguments.repo);
  const fs::path root = repository.root();

  std::vector<NewFile> files{scaffold::policy_file(), scaffold::ignore_file()}, kernels;
  for (const auto& name : arguments.names) {
    for (auto& file : kernels_of(root, name)) kernels.push_back(std::move(file));
  }
  const bool sample = arguments.names.empty() && !has_kernels(repository);
  if (sample) kernels = scaffold::sample_kernel();
  files.insert(files.end(), kernels.begin(), kernels.end());
  const auto host = ci_of(arguments.ci, repository, root);
  bool include = false;
  if (host) {
    files.push_back(scaffold::ci_file(*host));
    // A pipeline that is there goes on; it includes ours.
    include = *host == CiHost::gitlab && is_there(root / files.back().path);
    if (include) files.back().path = ".gitlab/kgate.yml";
  }

  std::vector<const NewFile*> written, kept;
  for (const auto& file : files) (made(root, file) ? written : kept).push_back(&file);

  const auto listed = [](const std::vector<const NewFile*>& some) {
    for (const auto* file : some) std::cout << fmt::format("  {:<34}  {}\n", report::one_line(file->path), file->what);
  };
  if (!written.empty()) std::cout << "written:\n";
  listed(written);
  if (!kept.empty()) std::cout << "there already, and left as it is:\n";
  listed(kept);

  std::vector<std::string> next;
  const bool new_kernels = std::any_of(written.begin(), written.end(), [&](const NewFile* file) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const NewFile& one) { return one.path == file->path; });
  });
  if (new_kernels && !sample) {
    const auto places = places_to_fill(kernels);
    next.push_back(fmt::format(
        "{}write each reference.cu, and look at sizes, inputs and tolerances in cases.toml",
        places == 0 ? ""
                    : fmt::format("fill in what says {} ({}), ", scaffold::kFillIn, report::count(places, "place"))));
  }
  if (std::any_of(kept.begin(), kept.end(), [](const NewFile* file) { return file->path == ".gitignore"; }))
    next.push_back("see that .gitignore has kgate-out/ and *.key.pem");
  if (include) next.push_back("in .gitlab-ci.yml: include: [{ local: .gitlab/kgate.yml }]");
  if (!host && arguments.ci == "auto")
    next.push_back("no CI host was recognised: kgate init --ci github, or gitlab, writes its file");
  next.push_back("git add, git commit: the policy counts once it is committed");
  next.push_back("kgate check; on a branch kgate run --policy-ref main; kgate doctor says what this machine lacks");
  next.push_back("docs/quickstart.md goes on with keys, signed cases and accepted versions");
  std::cout << "next:\n";
  for (std::size_t i = 0; i < next.size(); ++i) std::cout << fmt::format("  {}. {}\n", i + 1, next[i]);
  return ExitCode::pass;
}

}  // namespace kgate::cli
