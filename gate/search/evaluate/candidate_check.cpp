#include "gate/search/evaluate/candidate_check.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "gate/search/score.h"
#include "gate/stats/weighted_ratio.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {
namespace {

using verdict::Subject;
using verdict::Verdict;

constexpr double kRunLimit = 60;  // seconds; a kernel that takes longer hangs

// The same subject with some of its cases.
Subject with_cases(const Subject& subject, const std::function<bool(const cases::CaseSpec&)>& keep) {
  Subject part = subject;
  std::erase_if(part.cases.cases, [&](const auto& one) { return !keep(one); });
  return part;
}

std::uint64_t bytes_of_case(const Subject& subject, const cases::CaseSpec& one) {
  std::uint64_t bytes = 0;
  for (const auto& buffer : cases::bind(subject.cases, one, cases::version_of(subject.candidate.spec)).buffers)
    bytes += buffer.bytes;
  return bytes;
}

// What fails fails there already, most times, for a fraction of the cost.
std::string smallest_case(const Subject& subject, const std::string& backend) {
  std::string name;
  std::uint64_t least = 0;
  for (const auto* one : verdict::cases_for(subject, backend)) {
    const auto size = bytes_of_case(subject, *one);
    if (!name.empty() && size >= least) continue;
    name = one->name;
    least = size;
  }
  return name;
}

}  // namespace

Outcome outcome_of(Verdict verdict) {
  if (verdict == Verdict::suspect) return Outcome::suspect;
  return verdict == Verdict::wrong ? Outcome::wrong : Outcome::environment;
}

CandidateCheck::CandidateCheck(const verdict::Preparation& ready, verdict::Artifact reference, unsigned threads)
    : ready_(ready),
      reference_(std::move(reference)),
      threads_(threads),
      trusted_(ready.child),
      candidates_(ready.child),
      quick_(ready) {}

void CandidateCheck::rest() {
  trusted_.replace();
  candidates_.replace();
  quick_.rest();
}

bool CandidateCheck::check(const CheckingJob& job, Evaluation& found) {
  passed_.clear();
  looks_.clear();
  fault_.clear();
  answers_.reset();
  const std::string& backend = ready_.child.backend;
  if (backend != "cuda") candidates_.replace();  // native code: what it did to its process stays
  const std::string first = smallest_case(job.subject, backend);
  for (const bool small : {true, false}) {
    const Subject part = with_cases(job.subject, [&](const auto& one) { return (one.name == first) == small; });
    if (verdict::cases_for(part, backend).empty()) continue;
    if (!check_cases(job, part, found)) return false;
  }
  if (job.beside == nullptr) return true;
  return !is_ruled_out(job, found) && find_answers(job, found);
}

// Throws away nothing that timing needs; false: it is settled.
bool CandidateCheck::check_cases(const CheckingJob& job, const Subject& part, Evaluation& found) {
  verdict::CheckOptions options;
  options.child = ready_.child;
  options.seed = job.seed;
  options.threads = threads_;
  options.run_limit_s = kRunLimit;
  options.on_passed = [&](verdict::PassedCase passed) {
    if (job.beside == nullptr || passed.spec.role != cases::CaseRole::performance) return;
    look(job, passed);
    passed_.push_back(
        {verdict::case_named(job.subject, passed.spec.name), std::move(passed.expected), std::move(passed.candidate)});
  };
  const auto checked =
      verdict::check_kernel({&part, &trusted_, &candidates_, job.candidate.code, reference_, nullptr}, options);
  for (const auto& one : checked.cases) {
    if (one.verdict == Verdict::pass) continue;
    found.outcome = outcome_of(one.verdict);
    found.reason = fmt::format("case \"{}\": {}", one.name, one.reason);
    return false;
  }
  return is_within_limits(part, job.candidate, checked, found);
}

void CandidateCheck::look(const CheckingJob& job, const verdict::PassedCase& passed) {
  if (!fault_.empty()) return;
  if (looks_.empty()) {
    fault_ = quick_.load({job.candidate.code, cases::version_of(job.candidate.version->spec)},
                         {job.best.code, cases::version_of(job.best.version->spec)});
    if (!fault_.empty()) return;
  }
  if (const auto one = quick_.look(job.subject, passed.spec, passed.inputs, job.seed, fault_))
    looks_[passed.spec.name] = *one;
}

bool CandidateCheck::is_within_limits(const Subject& part, const Built& built, const verdict::KernelCheck& checked,
                                      Evaluation& found) {
  for (const auto& [entry, use] : checked.candidate) {
    found.resources[entry] = {{"registers", use.registers},
                              {"shared_bytes", use.shared_bytes},
                              {"spill_bytes", use.spill_bytes},
                              {"code_bytes", use.code_bytes}};
  }
  verdict::KernelResult kernel = verdict::describe(part, *built.code, {});
  verdict::add_check(kernel, checked);
  if (!baseline_) baseline_ = kernel;
  kernel.base = baseline_->candidate;
  verdict::conclude(kernel);
  verdict::check_limits(kernel, ready_.policy());
  if (kernel.verdict != Verdict::regressed) return true;
  found.outcome = Outcome::refused;
  found.reason = kernel.reason;
  return false;
}

// Surely no better than the best. A score over the baseline is then the best one's, times what was just seen.
bool CandidateCheck::is_ruled_out(const CheckingJob& job, Evaluation& found) const {
  if (!fault_.empty()) {
    found.outcome = Outcome::wrong;
    found.reason = "while it was timed: " + fault_;
    return true;
  }
  stats::WeightedRatio all;
  for (const auto& [name, one] : looks_) {
    const CaseTime& best = time_of(job.beside->found, name);
    const auto over_best = bounded(one);
    all.add(over_best, best.weight);
    found.cases.push_back({name, best.weight, best.baseline_us * best.ratio * over_best.ratio, best.baseline_us,
                           best.floor_us, best.ratio * over_best.ratio, best.ratio * over_best.low,
                           best.ratio * over_best.high});
  }
  if (all.empty() || all.mean().low <= 1) {
    found.cases.clear();
    return false;
  }
  found.outcome = Outcome::slower;
  found.quick = true;
  found.reason = fmt::format("a quick look: {:+.1f} % beside the best", 100 * (all.mean().ratio - 1));
  return true;
}

bool CandidateCheck::find_answers(const CheckingJob& job, Evaluation& found) {
  verdict::KernelAnswers known;
  const verdict::AnswerOptions options{ready_.child, job.seed, threads_, kRunLimit};
  const verdict::AnswerJob asking{&job.subject,       &trusted_,  &candidates_,
                                  job.candidate.code, reference_, &job.references};
  for (Passed& passed : passed_) {
    const auto& one = *passed.spec;
    const auto inputs = verdict::make_case_inputs(
        job.subject, one, verdict::seed_of(one, {job.seed, job.subject.name, one.name}), threads_);
    auto answers =
        verdict::find_answers(asking, {one, inputs, std::move(passed.expected), std::move(passed.candidate)}, options);
    if (!answers.wrong.empty()) {
      found.outcome = Outcome::wrong;
      found.reason = "on further inputs: " + answers.wrong;
      return false;
    }
    known.insert_or_assign(one.name, std::move(answers));
  }
  passed_.clear();
  answers_ = std::make_shared<const verdict::KernelAnswers>(std::move(known));
  return true;
}

}  // namespace kgate::search
