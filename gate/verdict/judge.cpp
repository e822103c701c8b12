#include "gate/verdict/judge.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "gate/sanitize/command.h"
#include "gate/verdict/check/correctness.h"
#include "gate/verdict/check/long_steps.h"
#include "gate/verdict/check/sanitizing.h"
#include "gate/verdict/compile/linted.h"
#include "gate/verdict/explanation.h"
#include "gate/verdict/machine_code.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/result/consistency.h"
#include "gate/verdict/subject/case_data.h"
#include "gate/verdict/timing/experiment.h"
#include "gate/verdict/version_diff.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMaxCheckers =
    4;  // kernels checked at once: each needs two processes, and contexts start one after the other

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Slow creep has a limit of its own, with room for doubt below it as wide as the zone's.
stats::Zone zone_against(const std::string& against, const trust::Zone& zone) {
  if (against == "base" || against == kToolkit) return {zone.tolerate, zone.block, zone.absolute_us};
  const double width = std::min(zone.block - zone.tolerate, zone.creep / 2);
  return {zone.creep - width, zone.creep, zone.absolute_us};
}

class Judge {
 public:
  Judge(const JudgeOptions& options, Progress& progress, Judgement& judgement)
      : options_(options), progress_(progress), judgement_(judgement), result_(judgement.result) {}

  void run(const Afterwards& afterwards) {
    const auto start = Clock::now();
    // However it ends, the times so far are told.
    struct Total {
      Clock::time_point start;
      Result& result;
      ~Total() { result.seconds = result.total_s = seconds_since(start); }
    } total{start, result_};
    ready_.read_policy();
    ready_.read_setting();
    ready_.read_kernels();
    start_checkers();
    ready_.compile();
    describe_kernels();
    check();
    if (options_.sanitize) sanitize();
    if (!options_.check_only) time();
    if (!options_.check_only) explain();
    complete_diffs();
    for (auto& kernel : result_.kernels) finish(kernel);
    if (afterwards) afterwards(ready_);
    ready_.watch->look();
    result_.environment = ready_.watch->summary();
  }

 private:
  void describe_kernels() {
    for (std::size_t i = 0; i < subjects().size(); ++i) {
      const Artifacts& code = ready_.artifacts[i];
      baselines_.push_back(ready_.baselines(i));
      KernelResult kernel = describe(subjects()[i], *code.candidate, baselines_.back());
      kernel.lint = lint_of(subjects()[i], *code.candidate, code.base.get());
      kernel.accepted_diffs = accepted_diffs(subjects()[i], baselines_.back(), result_.fingerprint);
      judge_compilation(kernel, subjects()[i], code);
      result_.kernels.push_back(std::move(kernel));
    }
    for (const auto& kernel : ready_.suite.untrusted) result_.kernels.push_back(excluded(kernel, Verdict::untrusted));
    for (const auto& kernel : ready_.suite.vanished) result_.kernels.push_back(excluded(kernel, Verdict::missing));
  }

  // What cannot go on is concluded here; everything else is checked.
  void judge_compilation(KernelResult& kernel, const Subject& subject, const Artifacts& arms) {
    const auto& candidate = *arms.candidate;
    if (std::string why = refusal(kernel.lint, ready_.policy().compile, result_.backend); !why.empty()) {
      kernel.verdict = Verdict::wrong;
      kernel.reason = std::move(why);
    } else if (candidate.status == runner::Compiled::Status::unsupported) {
      kernel.verdict = Verdict::environment;
      kernel.reason = fmt::format("the {} backend cannot compile it: {}", result_.backend, candidate.log);
      for (const auto& baseline : baselines_.back()) {
        if (baseline.against != "base" || baseline.code->status != runner::Compiled::Status::ok) continue;
        kernel.reason += "; the base version it can: this change takes the kernel out of sight here";
      }
    } else if (candidate.status == runner::Compiled::Status::failed) {
      kernel.verdict = Verdict::wrong;
      kernel.reason = "does not compile";
    } else if (arms.reference && arms.reference->status == runner::Compiled::Status::failed && !subject.base) {
      // A change that brings a kernel brings its reference: nobody else can have broken it.
      kernel.verdict = Verdict::wrong;
      kernel.reason = fmt::format("{}: the reference does not compile: {}", subject.cases.path, arms.reference->log);
    } else if (arms.reference && arms.reference->status != runner::Compiled::Status::ok) {
      kernel.verdict = Verdict::environment;
      kernel.reason =
          fmt::format("{}: the reference does not compile here: {}", subject.cases.path, arms.reference->log);
    } else if (cases_for(subject, result_.backend).empty()) {
      kernel.verdict = Verdict::environment;
      kernel.reason = fmt::format("none of its cases runs on the {} backend", result_.backend);
    } else {
      return;
    }
    concluded_.push_back(kernel.name);
  }

  // On a GPU, where a process's start is dear and a kernel cannot reach the process itself; on the host a kernel is
  // native code.
  bool share_processes() const { return result_.backend == "cuda"; }

  // What a reviewer asks beyond the verdict. On the host there is no machine code to compare: it is the CPU's.
  void complete_diffs() {
    for (std::size_t i = 0; i < subjects().size(); ++i)
      add_error_growth(result_.kernels[i], subjects()[i], ready_.artifacts[i].base.get(), baselines_[i]);
    if (options_.check_only || result_.backend != "cuda") return;
    add_machine_code(result_.kernels, ready_.artifacts, baselines_,
                     {ready_.compiler_options().child, options_.disassembler, options_.threads});
  }

  // What all that is known about a kernel comes to.
  void settle(KernelResult& kernel, const Subject& subject) const {
    conclude(kernel);
    check_limits(kernel, ready_.policy());
    approve(kernel, subject.preapproved);
  }

  // The versions to time a candidate against, less those that do not compile here.
  std::vector<Reference> references(std::size_t i, KernelResult& kernel) const {
    // A new name does not bring another zone along: by its old one it is compared.
    const Subject& subject = subjects()[i];
    const auto zone = ready_.policy().zone_of(subject.renamed_from.empty() ? subject.name : subject.renamed_from);
    std::vector<Reference> references;
    std::vector<const Version*> compared;
    for (const auto& baseline : baselines_[i]) {
      if (baseline.code->status != runner::Compiled::Status::ok) {
        kernel.warnings.push_back(
            fmt::format("not compared with the {} version, which does not compile here", baseline.against));
        continue;
      }
      Reference reference{baseline.against, baseline.code, cases::version_of(baseline.version->spec),
                          zone_against(baseline.against, zone), baseline.recorded};
      if (baseline.against == kToolkit) {
        const auto same = std::find(compared.begin(), compared.end(), baseline.version);
        reference.other = static_cast<std::size_t>(same - compared.begin());
      }
      compared.push_back(baseline.version);
      references.push_back(std::move(reference));
    }
    return references;
  }

  bool is_concluded(const KernelResult& kernel) const {
    return std::find(concluded_.begin(), concluded_.end(), kernel.name) != concluded_.end();
  }

  // Contexts are made one after the other, 0.13 s each on an H200, while code is compiled.
  void start_checkers() {
    const unsigned workers = std::clamp(options_.threads / 2, 1u, kMaxCheckers);
    for (unsigned i = 0; i < workers; ++i) {
      for (auto* processes : {&checkers_.trusted, &checkers_.candidates}) {
        processes->emplace_back(ready_.child);
        if (share_processes()) processes->back().start_ahead();
      }
    }
  }

  void check() {
    const auto start = Clock::now();
    answers_.resize(subjects().size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < subjects().size(); ++i) {
      if (!is_concluded(result_.kernels[i])) open.push_back(i);
    }
    int steps = 0;
    for (const auto i : open) steps += static_cast<int>(cases_for(subjects()[i], result_.backend).size());
    progress_.phase("check", steps);
    std::mutex lock;
    auto& [trusted, candidates] = checkers_;
    const auto workers = static_cast<unsigned>(trusted.size());
    LongSteps running(kLongStep, [&](const std::string& what) {
      const std::lock_guard guard(lock);
      progress_.slow(what, CheckOptions{}.run_limit_s);
    });
    for_each_parallel(open.size(), workers, [&](std::size_t n, unsigned worker) {
      const Subject& subject = subjects()[open[n]];
      const Artifacts& arms = ready_.artifacts[open[n]];
      CheckOptions check;
      check.child = ready_.child;
      check.seed = options_.seed;
      check.threads = std::max(1u, options_.threads / workers);
      check.on_case = [&](const std::string& name) {
        running.begin(worker, subject.name + ": " + name);
        const std::lock_guard guard(lock);
        progress_.step(subject.name + ": " + name);
      };
      const bool compare_base =
          result_.kernels[open[n]].code == "changed" && arms.base && arms.base->status == runner::Compiled::Status::ok;
      if (!share_processes()) candidates[worker].replace();
      candidates[worker].start_ahead();
      guarded(result_.kernels[open[n]], lock, [&](KernelResult& kernel) {
        KernelAnswers answers;
        KernelResult scratch = kernel;
        const auto versions = references(open[n], scratch);
        if (!options_.check_only && to_be_timed(kernel)) {
          check.on_passed = [&](PassedCase passed) {
            if (passed.spec.role != cases::CaseRole::performance) return;
            const AnswerJob job{&subject,       &trusted[worker], &candidates[worker],
                                arms.candidate, arms.reference,   &versions};
            answers.insert_or_assign(
                passed.spec.name,
                find_answers(job, std::move(passed), {check.child, check.seed, check.threads, check.run_limit_s}));
          };
        }
        const KernelCheck found = check_kernel({&subject, &trusted[worker], &candidates[worker], arms.candidate,
                                                arms.reference, compare_base ? arms.base : nullptr},
                                               check);
        const bool all_right = std::all_of(found.cases.begin(), found.cases.end(),
                                           [](const auto& one) { return one.verdict == Verdict::pass; });
        if (!all_right) answers.clear();
        const std::lock_guard guard(lock);
        add_check(kernel, found);
        for (auto& one : kernel.cases) {
          const auto known = answers.find(one.name);
          if (known != answers.end()) {
            for (const auto& note : known->second.notes)
              kernel.warnings.push_back(fmt::format("case \"{}\", on further inputs: {}", one.name, note));
          }
          if (known == answers.end() || known->second.wrong.empty()) continue;
          one.verdict = Verdict::wrong;
          one.reason = known->second.wrong;
        }
        settle(kernel, subject);
        answers_[open[n]] = std::make_shared<const KernelAnswers>(std::move(answers));
      });
      running.end(worker);
    });
    // The next processes open the device while these close it, all at once: 0.1 s each on an H200.
    if (any_to_be_timed()) children().start();
    for_each_parallel(workers, workers, [&](std::size_t n, unsigned) {
      trusted[n].replace();
      candidates[n].replace();
    });
    result_.check_s = seconds_since(start);
  }

  // For timing.
  ChildPool& children() {
    if (!children_) children_.emplace(ready_.child, ready_.machine.overlap ? 1 : 0);
    return *children_;
  }

  bool any_to_be_timed() const {
    return !options_.check_only &&
           std::any_of(answers_.begin(), answers_.end(), [](const auto& known) { return known && !known->empty(); });
  }

  // One kernel after the other: the tools fill the machine by themselves.
  void sanitize() {
    const auto start = Clock::now();
    std::vector<std::size_t> open;
    std::vector<const Subject*> wanted;
    for (std::size_t i = 0; i < subjects().size(); ++i) {
      if (is_concluded(result_.kernels[i])) continue;
      open.push_back(i);
      wanted.push_back(&subjects()[i]);
    }
    const auto with_lines = compile_with_lines(wanted, ready_.compiler_options());
    result_.sanitizer->tools = sanitize::tools();
    result_.sanitizer->sandbox = runner::name_of(std::min(ready_.child.sandbox.least, runner::SandboxLevel::seccomp));
    progress_.phase("sanitize", 0);
    std::mutex lock;
    for (std::size_t n = 0; n < open.size(); ++n) {
      const Subject& subject = *wanted[n];
      SanitizeOptions options;
      options.program = options_.sanitizer;
      options.child = ready_.child;
      options.seed = options_.seed;
      options.threads = options_.threads;
      options.scratch = ready_.scratch->path();
      options.on_case = [&](const std::string& what) { progress_.step(subject.name + ": " + what); };
      bool proven = false;
      guarded(result_.kernels[open[n]], lock, [&](KernelResult& kernel) {
        const Artifact& code = with_lines[n] ? with_lines[n] : ready_.artifacts[open[n]].candidate;
        const Sanitized found = sanitize_kernel(subject, code, options);
        auto& all = result_.sanitizer->findings;
        all.insert(all.end(), found.findings.begin(), found.findings.end());
        add_sanitized(kernel, found);
        settle(kernel, subject);
        proven = found.trouble.empty();
        if (proven) return;
        if (worst({kernel.verdict, Verdict::environment}) != Verdict::environment) {
          kernel.warnings.push_back(found.trouble);
          return;
        }
        throw Error(ErrorKind::environment, "compute-sanitizer", found.trouble,
                    "see docs/sanitize.md, or leave --sanitize out");
      });
      if (!proven) judgement_.unproven.push_back(subject.name);
    }
    result_.check_s += seconds_since(start);
  }

  bool to_be_timed(const KernelResult& kernel) const {
    return kernel.code == "changed" || (options_.time_unchanged && kernel.code == "unchanged");
  }

  // A failure of the machine while one kernel is worked on is that kernel's `environment`; the rest of the suite goes
  // on.
  void guarded(KernelResult& kernel, std::mutex& lock, const std::function<void(KernelResult&)>& work) {
    try {
      work(kernel);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::environment) throw;
      const std::lock_guard guard(lock);
      kernel.verdict = Verdict::environment;
      kernel.reason = error.what();
      concluded_.push_back(kernel.name);
    }
  }

  void time() {
    const auto start = Clock::now();
    std::vector<std::size_t> open;
    std::vector<TimeJob> jobs;
    std::int64_t timed_cases = 0;
    for (std::size_t i = 0; i < subjects().size(); ++i) {
      auto& kernel = result_.kernels[i];
      if (is_concluded(kernel) || !to_be_timed(kernel) ||
          !(passes(kernel.verdict) || kernel.verdict == Verdict::regressed))
        continue;
      TimeJob job{&subjects()[i], ready_.artifacts[i].candidate, references(i, kernel), answers_[i]};
      if (job.references.empty()) {
        kernel.verdict = Verdict::inconclusive;
        const std::string& log = baselines_[i].front().code->log;
        kernel.reason = fmt::format("right, but the base version does not compile here ({}): nothing to compare with",
                                    log.substr(0, log.find('\n')));
        concluded_.push_back(kernel.name);
        continue;
      }
      const auto cases = cases_for(subjects()[i], result_.backend);
      const auto count = std::count_if(cases.begin(), cases.end(),
                                       [](auto* one) { return one->role == cases::CaseRole::performance; });
      if (count == 0) {
        kernel.warnings.emplace_back("no performance case: checked, not timed");
        continue;
      }
      timed_cases += count;
      open.push_back(i);
      jobs.push_back(std::move(job));
    }
    for (std::size_t i = 0; i < result_.kernels.size(); ++i) {
      if (std::find(open.begin(), open.end(), i) == open.end()) finish(result_.kernels[i]);
    }
    if (open.empty()) return;
    progress_.phase("time", static_cast<int>(timed_cases));
    TimeOptions timing;
    timing.backend = result_.backend;
    timing.seed = options_.seed;
    timing.threads = options_.threads;
    timing.budget = ready_.policy().budget;
    timing.pool_bytes = ready_.pool_bytes();
    timing.share_processes = share_processes();
    timing.apart = options_.time_unchanged;
    timing.shards = options_.shard.total;
    timing.alone = result_.backend == "cuda";  // the host's absolute times say nothing
    std::mutex lock;
    LongSteps running(kLongStep, [&](const std::string& what) {
      const std::lock_guard guard(lock);
      progress_.slow(what, kFirstLimit);
    });
    timing.on_case = [&](const std::string& kernel, const std::string& one) {
      running.begin(0, kernel + ": " + one);
      const std::lock_guard guard(lock);
      progress_.step(kernel + ": " + one);
    };
    timing.watch = ready_.watch.get();
    timing.round_spread = ready_.machine.round_spread;
    const auto timed = time_suite(jobs, timing, children());
    running.end(0);
    for (std::size_t n = 0; n < open.size(); ++n) {
      KernelResult& kernel = result_.kernels[open[n]];
      kernel.comparisons.clear();
      kernel.not_compared.clear();
      for (const auto& baseline : baselines_[open[n]]) {
        if (baseline.code->status == runner::Compiled::Status::ok && baseline.against != kToolkit)
          kernel.comparisons.push_back(comparison_with(baseline));
      }
      add_times(kernel, subjects()[open[n]], timed[n].cases);
      add_parts(kernel, timed[n].parts);
      for (const auto& one : timed[n].cases) judgement_.samples.push_back({kernel.name, one.name, one.arms, one.us});
      kernel.warnings.insert(kernel.warnings.end(), timed[n].warnings.begin(), timed[n].warnings.end());
      settle(kernel, subjects()[open[n]]);
      if (!timed[n].failure.empty()) {
        kernel.verdict = worst({kernel.verdict, Verdict::environment});
        if (kernel.verdict == Verdict::environment) kernel.reason = timed[n].failure;
      }
      explanation_.name_record(kernel, subjects()[open[n]]);
      if (!explanation_.wanted(kernel, subjects()[open[n]])) finish(kernel);
    }
    result_.time_s = seconds_since(start);
  }

  // Afterwards, when nothing is timed side by side any more.
  void explain() {
    const auto start = Clock::now();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < subjects().size(); ++i) {
      if (!is_concluded(result_.kernels[i]) && explanation_.wanted(result_.kernels[i], subjects()[i]))
        open.push_back(i);
    }
    if (open.empty()) return;
    progress_.phase("explain", static_cast<int>(open.size()));
    for (const auto i : open) {
      progress_.step(subjects()[i].name);
      explanation_.measure(result_.kernels[i], subjects()[i]);
      finish(result_.kernels[i]);
    }
    result_.time_s += seconds_since(start);
  }

  void finish(const KernelResult& kernel) {
    auto& finished = judgement_.finished;
    if (std::find(finished.begin(), finished.end(), kernel.name) != finished.end()) return;
    finished.push_back(kernel.name);
    progress_.done(kernel);
  }

  const std::vector<Subject>& subjects() const { return ready_.suite.subjects; }

  struct Checkers {
    std::vector<CheckProcess> trusted, candidates;
  };

  const JudgeOptions& options_;
  Progress& progress_;
  Judgement& judgement_;
  Result& result_;
  Preparation ready_{options_, progress_, judgement_};
  Explanation explanation_{options_, ready_, judgement_};
  std::vector<std::vector<Baseline>> baselines_;               // of each subject
  std::vector<std::shared_ptr<const KernelAnswers>> answers_;  // of each subject
  std::vector<std::string> concluded_;
  Checkers checkers_;
  std::optional<ChildPool> children_;
};

}  // namespace

void judge(const JudgeOptions& options, Progress& progress, Judgement& judgement, const Afterwards& afterwards) {
  Judge(options, progress, judgement).run(afterwards);
}

void seal(Judgement& judgement, const Error* error, int signal) {
  Result& result = judgement.result;
  if (error != nullptr) {
    for (auto& kernel : result.kernels) {
      if (std::find(judgement.finished.begin(), judgement.finished.end(), kernel.name) != judgement.finished.end())
        continue;
      kernel.verdict = Verdict::environment;
      kernel.reason = fmt::format("not finished: {}", error->what());
    }
    const ExitCode code = exit_code_of(error->kind(), signal);
    result.exit_code = static_cast<int>(code);
    result.verdict = code == ExitCode::untrusted ? Verdict::untrusted
                     : code == ExitCode::missing ? Verdict::missing
                                                 : Verdict::environment;
    result.reason = error->what();
    return;
  }
  std::vector<Verdict> all, blocking;
  for (auto& kernel : result.kernels) {
    all.push_back(kernel.verdict);
    const auto& unproven = judgement.unproven;
    kernel.blocks = blocks(kernel, judgement.profile, judgement.new_blocks) ||
                    std::find(unproven.begin(), unproven.end(), kernel.name) != unproven.end();
    if (kernel.blocks) blocking.push_back(kernel.verdict);
  }
  if (is_empty_shard(result)) {
    result.verdict = Verdict::pass;
    result.exit_code = static_cast<int>(ExitCode::pass);
    const auto planned = result.shard_planned.size();
    result.reason = fmt::format("shard {} of {} has no kernel: {} {} planned", result.shard_index, result.shard_total,
                                planned, planned == 1 ? "kernel was" : "kernels were");
    return;
  }
  result.verdict = all.empty() ? Verdict::missing : worst(all);
  result.exit_code = static_cast<int>(all.empty()        ? ExitCode::missing
                                      : blocking.empty() ? ExitCode::pass
                                                         : exit_code_of(worst(blocking)));
  result.reason = all.empty() ? "no kernel was judged" : "";
  for (const auto& kernel : result.kernels) {
    if (kernel.verdict == result.verdict && !passes(kernel.verdict)) {
      result.reason = fmt::format("{}: {}", kernel.name, kernel.reason);
      break;
    }
  }
}

}  // namespace kgate::verdict
