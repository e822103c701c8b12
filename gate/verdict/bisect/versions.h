#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gate/trust/authority.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/subject/past.h"

namespace kgate::verdict {

// The versions of a kernel along a way of commits. Commits in a row with the same content, or with the same reason why
// it cannot be judged, are one version, and versions
// with the same content or, once they are compiled, the same machine code and launches are of one kind: what is known
// of a kind is known of all of its versions.
class Versions {
 public:
  // Reads them all: the oldest commit first.
  Versions(const trust::Authority& authority, const Subject& today, std::vector<std::string> commits);

  std::size_t count() const { return versions_.size(); }
  // The commits of a version; the first is the one that brought it.
  std::vector<std::string> commits(std::size_t version) const;
  // A kind's number is that of one of its versions.
  std::size_t kind(std::size_t version) const;
  const PastVersion& past(std::size_t version) const { return versions_[source_of(version)].past; }

  // Its machine code; compiled once, after which its kind may be another's. Only of what can be judged.
  const runner::Compiled& compile(std::size_t version, const CompilerOptions& options);
  std::size_t compiled() const;  // how many were
  // After the oldest: how often the kernel became another version that can be judged.
  std::size_t changes() const { return changes_; }
  // Commits in which it cannot be judged.
  std::size_t unjudged() const { return unjudged_; }

 private:
  struct OneVersion {
    std::size_t first = 0;  // commit
    std::size_t same = 0;   // the first version with this content
    PastVersion past;       // of the first with this content
    Artifact code;          // as `past`
    std::size_t kind = 0;   // as `past`
  };
  std::size_t source_of(std::size_t version) const { return versions_[version].same; }
  bool same_work_as(std::size_t one, std::size_t other) const;

  Subject today_;
  std::vector<std::string> commits_;
  std::vector<OneVersion> versions_;
  std::size_t changes_ = 0, unjudged_ = 0;
};

}  // namespace kgate::verdict
