#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/trust/libgit2.h"
#include "gate/trust/repository.h"

// Finding the repository. The problem: a change is made of files, and some files can pose as a repository: a folder
// with HEAD, objects, refs and config in it is a bare one to whoever looks for it there, and its configuration may name
// another folder as the working tree. Choice: as git itself does, look upwards for `.git`, which no commit can contain;
// then the working tree's own `.git` must be what was opened. Rejected: libgit2's search, which takes such a folder,
// and the variables GIT_DIR and GIT_WORK_TREE, by which a job's environment would decide what is judged.
//
// libgit2 says little about what it cannot open, and the same code stands for many things. So the reasons are looked up
// here, each with the command that mends it.
namespace kgate::trust {
namespace {

namespace fs = std::filesystem;

// GIT_EOWNER came with libgit2 1.4.3; older headers lack the name, and never return it.
constexpr int kForeignOwner = -36;
constexpr std::uint64_t kMaxLink = 1u << 16;

fs::path real_path(const fs::path& folder) {
  std::error_code failed;
  fs::path full = fs::weakly_canonical(folder, failed);
  if (failed) return folder;
  return full.has_filename() ? full : full.parent_path();
}

std::optional<fs::path> find_checkout(const fs::path& folder) {
  for (fs::path at = real_path(folder);; at = at.parent_path()) {
    std::error_code failed;
    if (fs::exists(fs::symlink_status(at / ".git", failed))) return at;
    if (!at.has_relative_path()) return std::nullopt;
  }
}

bool is_bare(const fs::path& folder) {
  Git<git_repository> repository;
  return git_repository_open_bare(out(repository), folder.c_str()) == 0;
}

// What a link file says after its word ("gitdir: ../.git/modules/x", commondir: "../.."), from the folder it lies in.
std::optional<fs::path> linked(const fs::path& file, const std::string& word) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return std::nullopt;
  std::string text(text_of(read_file(file, kMaxLink)));
  if (text.compare(0, word.size(), word) != 0) return std::nullopt;
  text.erase(0, word.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return (file.parent_path() / text).lexically_normal();
}

// The folder that `.git` is or leads to.
fs::path git_folder(const fs::path& root) {
  return linked(root / ".git", "gitdir: ").value_or(root / ".git");
}

// One value of the repository's own configuration; empty where it has none, or cannot be read.
std::string setting(const fs::path& git, const char* name) {
  const fs::path common = linked(git / "commondir", "").value_or(git);
  Git<git_config> config;
  if (git_config_open_ondisk(out(config), (common / "config").c_str()) != 0) return {};
  return setting_in(config.get(), name);
}

Error usage(const fs::path& folder, const std::string& fact, const std::string& remedy) {
  return {ErrorKind::usage, folder.string(), fact, remedy};
}

// libgit2 1.5 looks the exceptions up in the configuration, and where there are none it reports that as "not found":
// the code then reads as if there were no repository at all, and only the message tells the two apart.
bool is_foreign(int code) {
  return code == kForeignOwner ||
         (code == GIT_ENOTFOUND && git_reason(code).find("safe.directory") != std::string::npos);
}

Error elsewhere(const fs::path& root, const fs::path& git, const std::string& work) {
  std::error_code failed;
  if (fs::exists(git / "commondir", failed)) {
    return usage(root,
                 fmt::format("was moved: its repository, {}, expects this working tree at {}", git.string(), work),
                 fmt::format("git -C {} worktree repair", root.string()));
  }
  return usage(root, fmt::format("its repository names another working tree, {} (core.worktree)", work),
               fmt::format("run kgate there, or: git config --file {}/config --unset core.worktree", git.string()));
}

Error cannot_open(const fs::path& root, int code) {
  const std::string reason = git_reason(code);
  if (is_foreign(code)) {
    // The check stays on: a repository's configuration can name programs to run, and git refuses for the same reason.
    // Who trusts the checkout says so in one line, as for git itself.
    return usage(root, "belongs to another user, and git does not trust it",
                 "where you do: git config --global --add safe.directory " + root.string());
  }
  const fs::path git = git_folder(root);
  std::error_code failed;
  if (!fs::is_directory(git, failed)) {
    const bool worktree = git.parent_path().filename() == "worktrees";
    return usage(root, fmt::format(".git leads to {}, which is not there", git.string()),
                 worktree ? fmt::format("a container needs that folder too; where the repository was moved, run there: "
                                        "git worktree repair {}",
                                        root.string())
                          : "a container needs that folder too; a submodule is brought back by git submodule update "
                            "--init in the repository around it");
  }
  if (const std::string format = setting(git, "extensions.objectformat"); !format.empty() && format != "sha1") {
    return usage(root, fmt::format("has the object format {}, which libgit2, by which kgate reads, cannot", format),
                 fmt::format("make a copy in the format sha1: git init --object-format=sha1 COPY, then git -C {} "
                             "fast-export --all | git -C COPY fast-import",
                             root.string()));
  }
  if (const std::string format = setting(git, "extensions.refstorage"); !format.empty() && format != "files") {
    return usage(root,
                 fmt::format("keeps its refs in the format {}, which libgit2, by which kgate reads, cannot", format),
                 fmt::format("git -C {} refs migrate --ref-format=files", root.string()));
  }
  if (const std::string work = setting(git, "core.worktree"); !work.empty() && !fs::is_directory(git / work, failed)) {
    return elsewhere(root, git, real_path(git / work).string());
  }
  return usage(root, "the git repository cannot be opened: " + reason,
               fmt::format("see what git -C {} status says; where git can read it and libgit2 {} cannot, a plain git "
                           "clone makes one that both can",
                           root.string(), LIBGIT2_VERSION));
}

}  // namespace

std::shared_ptr<OpenRepository> open_repository(const std::string& folder) {
  auto opened = std::make_shared<OpenRepository>();
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    throw usage(folder, "is not a folder", "name the repository's folder with --repo");
  }
  const std::optional<fs::path> root = find_checkout(folder);
  if (!root) {
    if (!is_bare(folder)) {
      throw usage(folder, kNoRepository, "run kgate in a checkout, or name one with --repo");
    }
    throw usage(folder, "is a bare repository, which has no working tree to judge",
                "check it out (git clone, git worktree add) and run kgate there");
  }
  const fs::path git = *root / ".git";
  const int code =
      git_repository_open_ext(out(opened->repository), git.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (code != 0) throw cannot_open(*root, code);
  const char* work = git_repository_workdir(opened->repository.get());
  if (work == nullptr) {
    throw usage(*root, "its repository says that it is bare (core.bare)",
                fmt::format("git config --file {}/config core.bare false", git_folder(*root).string()));
  }
  if (real_path(work) != *root) throw elsewhere(*root, git_folder(*root), real_path(work).string());
  opened->root = root->string();
  guard_loose_objects(opened->repository.get());
  return opened;
}

}  // namespace kgate::trust
