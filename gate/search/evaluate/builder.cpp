#include "gate/search/evaluate/builder.h"

#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory_tree.h"
#include "gate/search/evaluate/feasibility.h"
#include "gate/verdict/compile/linted.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {
namespace {

// The line that says what is wrong: some compilers begin with where.
std::string first_error(const std::string& log) {
  const std::size_t word = log.find("error");
  const std::size_t before = log.rfind('\n', word == std::string::npos ? 0 : word);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return log.substr(begin, log.find('\n', begin) - begin);
}

}  // namespace

Builder::~Builder() {
  for (auto& [digest, future] : building_) future.wait();
}

std::string Builder::without_room(const cases::KernelSpec& spec) const {
  try {
    for (const auto& one : subject_.cases.cases) {
      const auto binding = cases::bind(subject_.cases, one, cases::version_of(spec));
      if (const std::string why = infeasible(binding.launches, ready_.device); !why.empty())
        return fmt::format("case \"{}\": {}", one.name, why);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return error.what();
  }
  return {};
}

void Builder::begin(const Candidate& candidate) {
  if (building_.contains(candidate.digest)) return;
  building_[candidate.digest] = std::async(std::launch::async, [this, candidate] { return build(candidate); }).share();
}

std::shared_ptr<const Built> Builder::built(const Candidate& candidate) {
  begin(candidate);
  return building_.at(candidate.digest).get();
}

std::shared_ptr<const Built> Builder::build(const Candidate& candidate) const {
  auto built = std::make_shared<Built>();
  const auto refuse = [&](Outcome outcome, std::string reason) {
    built->outcome = outcome;
    built->reason = std::move(reason);
    return built;
  };
  std::map<std::string, Bytes> files;
  for (const auto& [path, content] : candidate.files) files[path] = bytes_of(content);
  try {
    built->version =
        verdict::read_candidate(MemoryTree(std::move(files), "a candidate"), subject_.path, ready_.policy());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::untrusted) throw;
    return refuse(Outcome::refused, error.what());
  }
  const auto& spec = built->version->spec;
  if (std::string why = without_room(spec); !why.empty()) return refuse(Outcome::infeasible, std::move(why));
  const auto start = std::chrono::steady_clock::now();
  auto compiler = ready_.compiler_options();
  compiler.parallel = 1;
  built->code = verdict::compile_all(
                    {{&spec.sources, &built->version->files, cases::entries_of(cases::version_of(spec))}}, compiler)
                    .front();
  built->compile_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (built->code->status != runner::Compiled::Status::ok)
    return refuse(Outcome::does_not_compile, first_error(built->code->log));
  verdict::Subject subject = subject_;
  subject.candidate = *built->version;
  subject.base = subject_.candidate;
  const auto lint = verdict::lint_of(subject, *built->code, ready_.artifacts.front().candidate.get());
  if (std::string why = verdict::refusal(lint, ready_.policy().compile, ready_.child.backend); !why.empty())
    return refuse(Outcome::refused, std::move(why));
  return built;
}

}  // namespace kgate::search
