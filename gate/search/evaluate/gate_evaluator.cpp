#include "gate/search/evaluate/gate_evaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory_tree.h"
#include "gate/search/evaluate/feasibility.h"
#include "gate/stats/weighted_ratio.h"
#include "gate/verdict/check/answers.h"
#include "gate/verdict/check/correctness.h"
#include "gate/verdict/compile/baseline.h"
#include "gate/verdict/compile/linted.h"
#include "gate/verdict/figures.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {
namespace {

using Clock = std::chrono::steady_clock;
using verdict::Artifact;
using verdict::Subject;
using verdict::Verdict;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A proposer never sees them, and neither does what it is judged by until the end.
Subject without_holdouts(Subject subject) {
  std::erase_if(subject.cases.cases, [](const auto& one) { return one.role == cases::CaseRole::holdout; });
  return subject;
}

std::uint64_t elements_of(const Subject& subject, const cases::CaseSpec& one) {
  std::uint64_t bytes = 0;
  for (const auto& buffer : cases::bind(subject.cases, one, cases::version_of(subject.candidate.spec)).buffers)
    bytes += buffer.bytes;
  return bytes;
}

// The same subject with some of its cases.
Subject with_cases(const Subject& subject, const std::function<bool(const cases::CaseSpec&)>& keep) {
  Subject part = subject;
  std::erase_if(part.cases.cases, [&](const auto& one) { return !keep(one); });
  return part;
}

// What fails fails there already, most times, for a fraction of the cost.
std::string smallest_case(const Subject& subject, const std::string& backend) {
  std::string name;
  std::uint64_t least = 0;
  for (const auto* one : verdict::cases_for(subject, backend)) {
    const auto size = elements_of(subject, *one);
    if (!name.empty() && size >= least) continue;
    name = one->name;
    least = size;
  }
  return name;
}

Outcome outcome_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::suspect:
      return Outcome::suspect;
    case Verdict::wrong:
      return Outcome::wrong;
    default:
      return Outcome::environment;
  }
}

Candidate candidate_of(const verdict::Version& version) {
  std::map<std::string, std::string> files;
  for (const auto& [path, content] : version.files) files[path] = std::string(text_of(content));
  files[version.spec.path] = version.toml;
  return make_candidate(std::move(files), version.spec.path);
}

// The line that says what is wrong: some compilers begin with where.
std::string first_error(const std::string& log) {
  const std::size_t word = log.find("error");
  const std::size_t before = log.rfind('\n', word == std::string::npos ? 0 : word);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return log.substr(begin, log.find('\n', begin) - begin);
}

void set_score(Evaluation& found) {
  const auto score = score_of(found.cases);
  found.score = score.ratio;
  found.score_low = score.low;
  found.score_high = score.high;
}

}  // namespace

GateEvaluator::GateEvaluator(const verdict::JudgeOptions& options, verdict::Preparation& ready)
    : options_(options),
      ready_(ready),
      trusted_(runner::ClientOptions{}),
      candidates_(runner::ClientOptions{}),
      quick_(ready_) {
  ready_.read_setting();
  ready_.read_kernels();
  if (ready_.suite.subjects.size() != 1)
    throw Error(ErrorKind::usage, "kgate search",
                fmt::format("takes one kernel, and {} were selected", ready_.suite.subjects.size()), "name one");
  ready_.compile();
  subject_ = without_holdouts(ready_.suite.subjects.front());
  baseline_ = candidate_of(subject_.candidate);
  const auto& code = ready_.artifacts.front();
  if (code.candidate->status != runner::Compiled::Status::ok)
    throw Error(ErrorKind::usage, subject_.path, "does not compile: " + code.candidate->log,
                "a search begins with a version that works");
  if (code.reference && code.reference->status != runner::Compiled::Status::ok)
    throw Error(ErrorKind::environment, subject_.cases.path,
                "the reference does not compile here: " + code.reference->log);
  reference_ = code.reference;
  trusted_ = verdict::CheckProcess(ready_.child);
  candidates_ = verdict::CheckProcess(ready_.child);
}

GateEvaluator::~GateEvaluator() {
  for (auto& [digest, future] : building_) future.wait();
}

void GateEvaluator::leave() {
  rest();
  ready_.leave_device();
}

void GateEvaluator::rest() {
  trusted_.replace();
  candidates_.replace();
  quick_.rest();
  children_.reset();
}

std::uint64_t GateEvaluator::seed_of(const Candidate& candidate) const {
  const std::string text = fmt::format("{:016x} {}", options_.seed, candidate.digest);
  return std::stoull(sha256_hex(bytes_of(text)).substr(0, 16), nullptr, 16);
}

std::string GateEvaluator::without_room(const cases::KernelSpec& spec) const {
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

void GateEvaluator::prepare(const Candidate& candidate) {
  if (building_.contains(candidate.digest)) return;
  building_[candidate.digest] = std::async(std::launch::async, [this, candidate] { return build(candidate); }).share();
}

std::shared_ptr<const GateEvaluator::Built> GateEvaluator::built(const Candidate& candidate) {
  prepare(candidate);
  return building_.at(candidate.digest).get();
}

std::shared_ptr<const GateEvaluator::Built> GateEvaluator::build(const Candidate& candidate) const {
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
  const auto start = Clock::now();
  auto compiler = ready_.compiler_options();
  compiler.parallel = 1;
  built->code = verdict::compile_all(
                    {{&spec.sources, &built->version->files, cases::entries_of(cases::version_of(spec))}}, compiler)
                    .front();
  built->compile_s = seconds_since(start);
  if (built->code->status != runner::Compiled::Status::ok)
    return refuse(Outcome::does_not_compile, first_error(built->code->log));
  Subject subject = subject_;
  subject.candidate = *built->version;
  subject.base = subject_.candidate;
  const auto lint = verdict::lint_of(subject, *built->code, ready_.artifacts.front().candidate.get());
  if (std::string why = verdict::refusal(lint, ready_.policy().compile, ready_.child.backend); !why.empty())
    return refuse(Outcome::refused, std::move(why));
  return built;
}

Subject GateEvaluator::subject_of(const Built& built) const {
  Subject subject = subject_;
  subject.candidate = *built.version;
  subject.base = subject_.candidate;  // what limits on growth are reckoned from
  subject.accepted.clear();
  subject.preapproved.clear();
  return subject;
}

// A pull request never waits for longer than one candidate.
void GateEvaluator::let_others_go_first() {
  if (!ready_.hold || !ready_.hold.wanted()) return;
  rest();
  ready_.hold.yield();
}

Evaluation GateEvaluator::evaluate(const Candidate& candidate, const Candidate& best, const TimeLeft& left) {
  if (!baseline_us_.empty() || candidate.digest == baseline_.digest) return evaluated(candidate, best, left);
  // A search that goes on: what this process has to know of the baseline another one had measured.
  const Evaluation baseline = evaluated(baseline_, baseline_, left);
  if (!is_timed(baseline)) {
    Evaluation found;
    found.reason = "the baseline, once more: " + baseline.reason;
    found.cost = baseline.cost;
    return found;
  }
  Evaluation found = evaluated(candidate, best, left);
  found.cost.gpu_s += baseline.cost.gpu_s;
  return found;
}

Evaluation GateEvaluator::evaluated(const Candidate& candidate, const Candidate& best, const TimeLeft& left) {
  Evaluation found;
  const auto mine = built(candidate);
  found.cost.compile_s = mine->compile_s;
  if (mine->code) found.log = mine->code->log;
  if (mine->outcome != Outcome::open) {
    found.outcome = mine->outcome;
    found.reason = mine->reason;
    return found;
  }
  const auto theirs = built(best);
  let_others_go_first();
  const auto start = Clock::now();
  const std::uint64_t seed = seed_of(candidate);
  const Subject subject = subject_of(*mine);
  std::shared_ptr<const verdict::KernelAnswers> answers;
  try {
    const bool first = candidate.digest == best.digest;
    if (check(subject, *mine, *theirs, seed, found, answers)) {
      if (first) {
        time_baseline(subject, *mine, found);
      } else if (look_quickly(subject, *mine, *theirs, seed, found)) {
        time(subject, *mine, *theirs, answers, seed, std::min(left.seconds, left.gpu_seconds), found);
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    found.outcome = Outcome::environment;
    found.reason = error.what();
    rest();
  }
  found.cost.gpu_s = seconds_since(start);
  return found;
}

// False: it is settled.
bool GateEvaluator::check(const Subject& subject, const Built& built, const Built& best, std::uint64_t seed,
                          Evaluation& found, std::shared_ptr<const verdict::KernelAnswers>& answers) {
  const std::string& backend = ready_.child.backend;
  const std::string first = smallest_case(subject, backend);
  const auto versions = references(best);
  verdict::KernelAnswers known;
  std::string wrong_later;
  verdict::CheckOptions options;
  options.child = ready_.child;
  options.seed = seed;
  options.threads = options_.threads;
  if (backend != "cuda") candidates_.replace();
  for (const bool small : {true, false}) {
    const Subject part = with_cases(subject, [&](const auto& one) { return (one.name == first) == small; });
    if (verdict::cases_for(part, backend).empty()) continue;
    options.on_passed = [&](verdict::PassedCase passed) {
      if (passed.spec.role != cases::CaseRole::performance) return;
      const verdict::AnswerJob job{&part, &trusted_, &candidates_, built.code, reference_, &versions};
      auto found_answers = verdict::find_answers(job, std::move(passed),
                                                 {options.child, options.seed, options.threads, options.run_limit_s});
      if (!found_answers.wrong.empty()) wrong_later = found_answers.wrong;
      known.insert_or_assign(passed.spec.name, std::move(found_answers));
    };
    const auto checked =
        verdict::check_kernel({&part, &trusted_, &candidates_, built.code, reference_, nullptr}, options);
    for (const auto& one : checked.cases) {
      if (one.verdict == Verdict::pass) continue;
      found.outcome = outcome_of(one.verdict);
      found.reason = fmt::format("case \"{}\": {}", one.name, one.reason);
      return false;
    }
    if (!wrong_later.empty()) {
      found.outcome = Outcome::wrong;
      found.reason = "on further inputs: " + wrong_later;
      return false;
    }
    for (const auto& [entry, use] : checked.candidate) {
      found.resources[entry] = {{"registers", use.registers},
                                {"shared_bytes", use.shared_bytes},
                                {"spill_bytes", use.spill_bytes},
                                {"code_bytes", use.code_bytes}};
    }
    verdict::KernelResult kernel = verdict::describe(part, *built.code, {});
    verdict::add_check(kernel, checked);
    if (described_.name.empty()) described_ = kernel;
    kernel.base = described_.candidate;
    verdict::conclude(kernel);
    verdict::check_limits(kernel, ready_.policy());
    if (kernel.verdict == Verdict::regressed) {
      found.outcome = Outcome::refused;
      found.reason = kernel.reason;
      return false;
    }
  }
  answers = std::make_shared<const verdict::KernelAnswers>(std::move(known));
  return true;
}

// The best so far, and the baseline where that is another: both beside the candidate, so that a score is measured and
// not a product of what was measured at other times.
std::vector<verdict::Reference> GateEvaluator::references(const Built& best) const {
  const auto zone = ready_.policy().zone_of(subject_.name);
  const stats::Zone limits{zone.tolerate, zone.block, zone.absolute_us};
  std::vector<verdict::Reference> versions;
  versions.push_back({"base", ready_.artifacts.front().candidate, cases::version_of(subject_.candidate.spec), limits});
  if (best.version->digest != subject_.candidate.digest)
    versions.push_back({"best", best.code, cases::version_of(best.version->spec), limits});
  return versions;
}

// False: surely no better than the best.
bool GateEvaluator::look_quickly(const Subject& subject, const Built& built, const Built& best, std::uint64_t seed,
                                 Evaluation& found) {
  std::string fault;
  const auto cases = quick_.look(subject, built.code, *best.version, best.code, seed, fault);
  if (!cases) {
    found.outcome = Outcome::wrong;
    found.reason = "while it was timed: " + fault;
    return false;
  }
  stats::WeightedRatio all;
  for (const auto& [name, one] : *cases) {
    const auto* spec = verdict::case_named(subject, name);
    const double weight = spec != nullptr ? spec->weight : 1;
    all.add({one.over_best.ratio, std::max(one.over_best.low, 1e-6),
             std::min(one.over_best.high, stats::kUnknownRatio / 2)},
            weight);
    const double over_baseline = one.candidate_us / baseline_us_.at(name);
    found.cases.push_back({name, weight, one.candidate_us, baseline_us_.at(name), 0, over_baseline,
                           over_baseline * one.over_best.low / one.over_best.ratio,
                           over_baseline * one.over_best.high / one.over_best.ratio});
  }
  set_score(found);
  if (all.empty() || all.mean().low <= 1) {
    found.cases.clear();
    return true;
  }
  found.outcome = Outcome::slower;
  found.quick = true;
  found.reason = fmt::format("a quick look: {:+.1f} % beside the best", 100 * (all.mean().ratio - 1));
  return false;
}

void GateEvaluator::time(const Subject& subject, const Built& built, const Built& best,
                         std::shared_ptr<const verdict::KernelAnswers> answers, std::uint64_t seed, double seconds,
                         Evaluation& found) {
  verdict::TimeOptions timing;
  timing.backend = ready_.child.backend;
  timing.seed = seed;
  timing.threads = options_.threads;
  timing.budget = ready_.policy().budget;
  timing.budget.seconds_per_suite = std::min(timing.budget.seconds_per_suite.value_or(seconds), seconds);
  timing.pool_bytes = ready_.pool_bytes();
  timing.share_processes = timing.backend == "cuda";
  timing.alone = timing.backend == "cuda";
  timing.watch = ready_.watch.get();
  timing.round_spread = ready_.machine.round_spread;
  if (!children_) children_.emplace(ready_.child, ready_.machine.overlap ? 1 : 0);
  const auto versions = references(best);
  const auto timed =
      verdict::time_suite({{&subject, built.code, versions, std::move(answers)}}, timing, *children_).front();
  if (!timed.failure.empty()) throw Error(ErrorKind::environment, subject_.name, timed.failure);
  found.cases.clear();
  stats::WeightedRatio over_best;
  for (const auto& one : timed.cases) {
    if (one.verdict == Verdict::wrong || one.verdict == Verdict::suspect) {
      found.outcome = outcome_of(one.verdict);
      found.reason = fmt::format("case \"{}\": {}", one.name, one.reason);
      return;
    }
    const auto* spec = verdict::case_named(subject, one.name);
    const double weight = spec != nullptr ? spec->weight : 1;
    const auto& base = one.comparisons.front().timing;
    const auto& last = one.comparisons.back().timing;
    over_best.add({last.ratio, std::max(last.low, 1e-6), std::min(last.high, stats::kUnknownRatio / 2)}, weight);
    found.cases.push_back({one.name, weight, base.candidate_us, base.base_us, 0, base.ratio, base.low, base.high});
  }
  set_score(found);
  const bool better = !over_best.empty() && over_best.mean().high < 1;
  found.outcome = better ? Outcome::better : Outcome::slower;
  if (!better && !over_best.empty())
    found.reason = fmt::format("{:+.2f} % [{:+.2f}, {:+.2f}] beside the best", 100 * (over_best.mean().ratio - 1),
                               100 * (over_best.mean().low - 1), 100 * (over_best.mean().high - 1));
}

// There is nothing yet that it could be timed beside.
void GateEvaluator::time_baseline(const Subject& subject, const Built& built, Evaluation& found) {
  const auto figures =
      verdict::measure_figures(ready_, {&subject, &subject.candidate, built.code}, seed_of(baseline_), {1, 20});
  if (figures.empty())
    throw Error(ErrorKind::usage, subject_.cases.path,
                fmt::format("has no performance case that runs on the {} backend", ready_.child.backend),
                "add a [[case]] with role = \"performance\"");
  for (const auto& [name, figure] : figures) {
    baseline_us_[name] = figure.us;
    const auto* spec = verdict::case_named(subject, name);
    found.cases.push_back({name, spec != nullptr ? spec->weight : 1, figure.us, figure.us, 0, 1, 1, 1});
  }
  set_score(found);
  found.outcome = Outcome::better;
}

}  // namespace kgate::search
