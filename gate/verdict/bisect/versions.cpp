#include "gate/verdict/bisect/versions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "gate/cases/job.h"
#include "gate/verdict/compile/baseline.h"

namespace kgate::verdict {

Versions::Versions(const trust::Authority& authority, const Subject& today, std::vector<std::string> commits)
    : today_(today), commits_(std::move(commits)) {
  std::map<std::string, std::size_t> by_content;
  std::string before;
  for (std::size_t i = 0; i < commits_.size(); ++i) {
    PastVersion past = read_past(*authority.repository->tree(commits_[i]), today_, authority.policy);
    // What cannot be judged is told apart by the reason, and is none of the versions with content.
    const std::string content = past.version ? past.version->digest : past.why_not;
    if (!past.version) ++unjudged_;
    if (i != 0 && content == before) continue;
    before = content;
    if (i != 0 && past.version) ++changes_;
    const auto [place, added] = by_content.try_emplace(content, versions_.size());
    versions_.push_back({i, place->second, added ? std::move(past) : PastVersion{}, nullptr, place->second});
  }
}

std::vector<std::string> Versions::commits(std::size_t version) const {
  const auto end = version + 1 < versions_.size() ? versions_[version + 1].first : commits_.size();
  const auto at = [&](std::size_t i) { return commits_.begin() + static_cast<std::ptrdiff_t>(i); };
  return {at(versions_[version].first), at(end)};
}

std::size_t Versions::kind(std::size_t version) const {
  return versions_[source_of(version)].kind;
}

bool Versions::same_work_as(std::size_t one, std::size_t other) const {
  Subject subject = today_;
  subject.candidate = *versions_[one].past.version;
  Baseline baseline;
  baseline.version = &*versions_[other].past.version;
  baseline.code = versions_[other].code;
  return same_work(subject, *versions_[one].code, baseline);
}

const runner::Compiled& Versions::compile(std::size_t version, const CompilerOptions& options) {
  const std::size_t source = source_of(version);
  OneVersion& one = versions_[source];
  if (one.code) return *one.code;
  if (!one.past.version) throw Error(ErrorKind::internal, "bisection", "there is nothing to compile");
  const auto& spec = one.past.version->spec;
  const auto version_spec = cases::version_of(spec);
  one.code = compile_all({{&spec.sources, &one.past.version->files, cases::entries_of(version_spec)}}, options).front();
  if (one.code->status != runner::Compiled::Status::ok) return *one.code;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    if (i == source || !versions_[i].code || !same_work_as(source, i)) continue;
    one.kind = versions_[i].kind;
    break;
  }
  return *one.code;
}

std::size_t Versions::compiled() const {
  return static_cast<std::size_t>(
      std::count_if(versions_.begin(), versions_.end(), [](const auto& one) { return one.code != nullptr; }));
}

}  // namespace kgate::verdict
