#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/interrupt.h"

namespace kgate::trust {

// The user's own git, for what needs the network: it knows proxies, agents and credentials, which libgit2 does not.
// Hooks of the repository do not run.
class GitProgram {
 public:
  // `environment`: the caller's, whole (credentials come by it), less what only kgate may know.
  GitProgram(std::filesystem::path repository, std::map<std::string, std::string> environment,
             const Interrupt* interrupt = nullptr);

  bool has_remote(const std::string& remote) const;
  // The commit of a branch at the remote; nothing where the remote has no such branch. Throws Error(environment) where
  // the remote cannot be asked.
  std::optional<std::string> remote_head(const std::string& remote, const std::string& branch) const;
  // refs/remotes/REMOTE/BRANCH is then as at the remote, forced: whether the new head continues the old is for readers.
  void fetch(const std::string& remote, const std::string& branch) const;

  // moved: the branch is no longer at `expected`. held: it is, and git could not take it all the same; another writer
  // may be at work, or something that none will ever take away.
  struct Pushed {
    enum Outcome { yes, moved, held };
    Pushed(Outcome what, std::string why = {}) : outcome(what), reason(std::move(why)) {}
    bool operator==(Outcome other) const { return outcome == other; }
    Outcome outcome;
    std::string reason;  // of held: git's own
  };
  // Compare and swap: `commit` becomes the branch's head if that is `expected` (empty: the branch does not exist).
  // Throws Error(environment) for a refusal of another kind (no permission, protected branch, network, a remote that is
  // another repository for pushes than for fetches).
  Pushed push(const std::string& remote, const std::string& branch, const std::string& commit,
              const std::string& expected) const;
  // The same for a ref of this clone ("refs/heads/x").
  Pushed move(const std::string& ref, const std::string& commit, const std::string& expected) const;
  // Waits; throws Error(interrupted) once a signal has arrived.
  void pause(std::chrono::milliseconds time) const;

 private:
  std::string url_of(const std::string& remote, bool push) const;  // empty where git names none

  std::filesystem::path repository_;
  std::map<std::string, std::string> environment_;
  const Interrupt* interrupt_;
};

}  // namespace kgate::trust
