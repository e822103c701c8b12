#include "gate/trust/revision.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/libgit2.h"

// What a name stands for. The problem: git looks a name up in several places and takes the first, tags before branches
// of a remote. So whoever may push a tag "origin/main" decides what `--policy-ref origin/main` means, and a branch that
// bears a commit's digits can stand in for it. Choice: 40 digits are that object and nothing else, a full name
// (refs/...) is that ref, and any other name that two refs of different commits bear is refused. git only warns.
namespace kgate::trust {
namespace {

constexpr std::size_t kShortestId = 4;

std::string hex_of(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &id);
  return text;
}

bool is_hex(const std::string& text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

std::string subject_of(const std::string& revision) {
  return fmt::format("revision \"{}\"", revision);
}

// "main~2" -> "main", "v1^{commit}" -> "v1", "main@{1}" -> "main".
std::string name_in(const std::string& revision) {
  const std::size_t end = std::min(revision.find_first_of("^~:"), revision.find("@{"));
  return revision.substr(0, end);
}

std::optional<git_oid> commit_of(git_object* object) {
  Git<git_object> commit;
  if (git_object_peel(out(commit), object, GIT_OBJECT_COMMIT) != 0) return std::nullopt;
  return *git_object_id(commit.get());
}

// What a ref points to; nothing where there is no such ref, or it leads nowhere (a branch without a commit yet).
std::optional<git_oid> target_of(git_repository* repository, const std::string& ref) {
  git_oid id;
  if (git_reference_name_to_id(&id, repository, ref.c_str()) != 0) return std::nullopt;
  return id;
}

struct Meaning {
  std::string what;
  git_oid commit;
};

// All that a name can stand for, where git would choose.
std::vector<Meaning> meanings_of(git_repository* repository, const std::string& name) {
  std::vector<Meaning> found;
  const auto add = [&](const std::string& what, const git_oid& id) {
    Git<git_object> object;
    if (git_object_lookup(out(object), repository, &id, GIT_OBJECT_ANY) != 0) return;
    if (const auto commit = commit_of(object.get())) found.push_back({what, *commit});
  };
  const std::array<std::string, 5> refs{"refs/" + name, "refs/tags/" + name, "refs/heads/" + name,
                                        "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"};
  for (const std::string& ref : refs) {
    if (const auto id = target_of(repository, ref)) add(ref, *id);
  }
  if (name.size() >= kShortestId && name.size() < GIT_OID_HEXSZ && is_hex(name) && !found.empty()) {
    git_oid prefix;
    Git<git_object> object;
    if (git_oid_fromstrp(&prefix, name.c_str()) == 0 &&
        git_object_lookup_prefix(out(object), repository, &prefix, name.size(), GIT_OBJECT_ANY) == 0) {
      if (const auto commit = commit_of(object.get())) found.push_back({hex_of(*commit), *commit});
    }
  }
  return found;
}

void refuse_ambiguous(git_repository* repository, const std::string& revision) {
  const std::string name = name_in(revision);
  if (name.empty() || name == "@" || target_of(repository, name)) return;  // HEAD, and full names
  const std::vector<Meaning> found = meanings_of(repository, name);
  for (const Meaning& other : found) {
    if (git_oid_equal(&other.commit, &found.front().commit) != 0) continue;
    throw Error(ErrorKind::untrusted, subject_of(revision),
                fmt::format("is ambiguous: {} and {} are different commits", found.front().what, other.what),
                fmt::format("give the full name of the one that is meant, such as {}", found.back().what));
  }
}

// A ref whose commit is not in the clone is damage, and not a name that nobody knows.
void refuse_lost(const OpenRepository& open, const std::string& revision) {
  git_repository* repository = open.repository.get();
  Git<git_reference> ref, direct;
  if (git_reference_dwim(out(ref), repository, name_in(revision).c_str()) != 0) return;
  if (git_reference_resolve(out(direct), ref.get()) != 0) return;
  const git_oid id = *git_reference_target(direct.get());
  Git<git_object> object;
  if (git_object_lookup(out(object), repository, &id, GIT_OBJECT_ANY) != 0) {
    throw unreadable(open, id, subject_of(revision), "its commit " + hex_of(id));
  }
}

std::optional<std::string> resolve_id(const OpenRepository& open, const std::string& revision) {
  git_oid id;
  Git<git_object> object;
  if (git_oid_fromstr(&id, revision.c_str()) != 0) return std::nullopt;
  const int code = git_object_lookup(out(object), open.repository.get(), &id, GIT_OBJECT_ANY);
  if (code == GIT_ENOTFOUND) return std::nullopt;
  if (code != 0) throw unreadable(open, id, subject_of(revision), "it");
  const auto commit = commit_of(object.get());
  return commit ? std::optional(hex_of(*commit)) : std::nullopt;
}

}  // namespace

std::optional<std::string> resolve_revision(const OpenRepository& open, const std::string& revision) {
  if (revision.size() == GIT_OID_HEXSZ && is_hex(revision)) return resolve_id(open, revision);
  refuse_ambiguous(open.repository.get(), revision);
  Git<git_object> object;
  const int code = git_revparse_single(out(object), open.repository.get(), revision.c_str());
  if (code == GIT_EAMBIGUOUS) {
    throw Error(ErrorKind::usage, subject_of(revision), "is ambiguous", "give more digits of the commit");
  }
  if (code != 0) {
    refuse_lost(open, revision);
    return std::nullopt;
  }
  const auto commit = commit_of(object.get());
  return commit ? std::optional(hex_of(*commit)) : std::nullopt;
}

std::optional<std::string> first_parent(const OpenRepository& open, const std::string& commit) {
  git_repository* repository = open.repository.get();
  git_oid id;
  Git<git_commit> object, parent;
  if (git_oid_fromstr(&id, commit.c_str()) != 0 || git_commit_lookup(out(object), repository, &id) != 0) {
    return std::nullopt;
  }
  const git_oid* named = git_commit_parent_id(object.get(), 0);
  if (named == nullptr) return std::nullopt;
  if (git_commit_lookup(out(parent), repository, named) == 0) return hex_of(*named);
  if (git_repository_is_shallow(repository) == 1) return std::nullopt;
  throw unreadable(open, *named, "commit " + commit, "its parent " + hex_of(*named));
}

}  // namespace kgate::trust
