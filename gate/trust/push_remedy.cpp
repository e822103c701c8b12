#include "gate/trust/push_remedy.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

namespace kgate::trust {
namespace {

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// What stands between `before` and `after`; empty where they do not.
std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(after, begin + before.size());
  return end == std::string::npos ? "" : text.substr(begin + before.size(), end - begin - before.size());
}

// "'refs/heads/kgate' exists; cannot create 'refs/heads/kgate/ledger'" -> "refs/heads/kgate".
std::string in_the_way(const std::string& reason) {
  const std::size_t end = reason.find("' exists; cannot create");
  if (end == std::string::npos || end == 0) return {};
  const std::size_t begin = reason.rfind('\'', end - 1);
  return begin == std::string::npos ? "" : reason.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::string push_remedy(const std::string& reason, const std::string& branch, const std::string& remote) {
  if (const std::string other = in_the_way(reason); !other.empty()) {
    if (other.rfind("refs/remotes/", 0) == 0) return fmt::format("git remote prune {}", remote);
    return fmt::format(
        "{} is in the way, since a branch is a file or a folder: rename it, or have [ledger] branch in the "
        "policy name another",
        other);
  }
  if (const std::string lock = between(reason, "Unable to create '", "'");
      !lock.empty() && has_any(reason, {"File exists"})) {
    return fmt::format("a git that died may have left that file: where no git is at work there, remove {}", lock);
  }
  if (has_any(reason, {"No space left", "disk quota", "Disk quota"})) return "make room on the disk that this names";
  if (has_any(reason, {"Could not resolve", "unable to access", "Connection", "onnect to", "timed out",
                       "unexpected disconnect", "hung up"})) {
    return fmt::format("see that {} can be reached from here, and try again", remote);
  }
  if (has_any(reason, {"Authentication failed", "could not read Username", "could not read Password",
                       "Permission denied", "publickey", "403", "401"})) {
    return fmt::format(
        "give git credentials that may write the branch {} of {}; git push works by them without a terminal", branch,
        remote);
  }
  if (has_any(reason, {"hook declined", "pre-receive", "protected"})) {
    return fmt::format(
        "the server's own rule refused it: have it let who pushes here add to the branch {} of {}, without force",
        branch, remote);
  }
  if (has_any(reason, {"cannot lock ref", "failed to update ref"})) {
    return fmt::format("see what holds the branch {} of {}: a file {}.lock that a git left, or a branch in its way",
                       branch, remote, branch);
  }
  return fmt::format("who pushes here needs the right to write the branch {} of {}", branch, remote);
}

}  // namespace kgate::trust
