#include "gate/trust/first_parents.h"

#include <algorithm>
#include <ctime>
#include <mutex>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utc.h"
#include "gate/trust/libgit2.h"

namespace kgate::trust {
namespace {

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

// Whoever made the commit wrote its time.
std::string time_of(git_time_t time) {
  constexpr git_time_t kLatest = 253402300799;  // 9999-12-31T23:59:59Z
  return utc_time(static_cast<std::time_t>(std::clamp<git_time_t>(time, 0, kLatest)));
}

Error no_ancestor(const Repository& repository, const std::string& first, const std::string& last,
                  const std::optional<std::string>& common) {
  std::string fact = fmt::format("is not an ancestor of {}", last.substr(0, 10));
  if (common == last)
    return {ErrorKind::usage, "commit " + first, fact + ", but that one of it", "give the older commit first"};
  if (repository.shallow()) {
    return {ErrorKind::usage, "commit " + first, fact + " in this clone, which is shallow",
            "fetch its history: git fetch --unshallow"};
  }
  return {ErrorKind::usage, "commit " + first, fact,
          common ? fmt::format("give one that is, such as {}, from which both come", common->substr(0, 10))
                 : "they have no commit in common"};
}

}  // namespace

CommitInfo read_commit(const Repository& repository, const std::string& commit) {
  const auto open = repository.opened();
  const std::lock_guard lock(open->mutex);
  git_oid id;
  Git<git_commit> object;
  int code = git_oid_fromstr(&id, commit.c_str());
  if (code == 0) code = git_commit_lookup(out(object), open->repository.get(), &id);
  if (code != 0) {
    throw Error(ErrorKind::usage, "commit " + commit, "cannot be read: " + git_reason(code),
                "fetch whole history: git fetch --unshallow");
  }
  CommitInfo info;
  info.id = commit;
  for (unsigned i = 0; i < git_commit_parentcount(object.get()); ++i)
    info.parents.emplace_back(git_oid_tostr_s(git_commit_parent_id(object.get(), i)));
  const git_signature* author = git_commit_author(object.get());
  info.author = text_or_empty(author->name);
  info.date = time_of(author->when.time);
  info.subject = text_or_empty(git_commit_summary(object.get()));
  return info;
}

std::vector<std::string> first_parents(const Repository& repository, const std::string& first,
                                       const std::string& last) {
  const auto common = repository.merge_base(first, last);
  if (common != first) throw no_ancestor(repository, first, last, common);
  std::vector<std::string> way;
  for (std::optional<std::string> at = last; at && *at != first; at = repository.parent(*at)) way.push_back(*at);
  // What `first` has too is at the end of a way that does not lead over it; whoever has a commit has all before it.
  const auto known = std::partition_point(way.begin(), way.end(), [&](const std::string& commit) {
    return repository.parent(way.back()) == first || repository.merge_base(first, commit) != commit;
  });
  way.erase(known, way.end());
  way.push_back(first);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace kgate::trust
