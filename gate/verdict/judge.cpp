#include "gate/verdict/judge.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "fingerprint/fingerprint.h"
#include "fingerprint/nvml.h"
#include "fingerprint/state_reader.h"
#include "gate/trust/policy.h"
#include "gate/trust/repository.h"
#include "gate/verdict/case_data.h"
#include "gate/verdict/compiler.h"
#include "gate/verdict/correctness.h"
#include "gate/verdict/experiment.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/parallel.h"
#include "gate/verdict/setting.h"
#include "gate/verdict/subject.h"
#include "gate/verdict/watch.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPolicyFile = ".kgate/policy.toml";
constexpr std::uint64_t kMaxPolicy = 1u << 20;
constexpr double kOpenLimit = 60;  // seconds for a child to open the device
constexpr double kCalmLimit = 30;  // seconds for a hot GPU to cool down
constexpr unsigned kMaxCheckers =
    4;  // kernels checked at once: each needs two processes, and contexts start one after the other
constexpr unsigned kMaxCompilers = 16;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

struct Arms {
  Artifact candidate, base, reference;
};

class Judge {
 public:
  Judge(const JudgeOptions& options, Progress& progress, Judgement& judgement)
      : options_(options), progress_(progress), judgement_(judgement), result_(judgement.result) {}

  void run() {
    const auto start = Clock::now();
    // However it ends, the times so far are told.
    struct Total {
      Clock::time_point start;
      Result& result;
      ~Total() { result.seconds = result.total_s = seconds_since(start); }
    } total{start, result_};
    read_policy();
    read_setting();
    read_kernels();
    compile();
    check();
    if (!options_.check_only) time();
    for (auto& kernel : result_.kernels) finish(kernel);
    watch_->look();
    result_.environment = watch_->summary();
  }

 private:
  // Before anything of the change is read.
  void read_policy() {
    result_.verb = options_.check_only ? "check" : "run";
    result_.selection = options_.selection;
    result_.started = utc_now();
    result_.profile = options_.profile;
    result_.seed = fmt::format("{:016x}", options_.seed);
    result_.tool_version = options_.version;
    result_.tool_commit = options_.commit;
    repository_ = std::make_unique<trust::Repository>(trust::Repository::open(options_.repository.string()));
    base_ = trust::find_base(options_.base, *repository_);
    base_tree_ = repository_->tree(base_.commit);
    result_.source_commit = repository_->resolve("HEAD").value_or("");
    result_.source_dirty = repository_->dirty();
    result_.source_base = base_.compare;
    result_.policy_ref = base_.ref;
    result_.policy_commit = base_.commit;
    if (base_.implied)
      warn("no CI and no --policy-ref: policy and base version come from HEAD (" + base_.commit.substr(0, 10) + ")");
    const auto text = base_tree_->read(kPolicyFile, kMaxPolicy);
    if (text) {
      policy_ = trust::parse_policy(text_of(*text), kPolicyFile);
      result_.policy_digest = "sha256:" + sha256_hex(*text);
    } else {
      policy_ = trust::default_policy();
      warn(fmt::format("{} is not in the base commit {}: the defaults hold", kPolicyFile, base_.commit.substr(0, 10)));
    }
    const auto profile = policy_.profiles.find(options_.profile);
    if (profile == policy_.profiles.end()) {
      throw Error(ErrorKind::usage, fmt::format("profile \"{}\"", options_.profile), "is not in the policy",
                  "use pr, release or nightly");
    }
    judgement_.profile = profile->second;
    judgement_.new_blocks = policy_.new_blocks;
  }

  void read_setting() {
    const bool expected = fingerprint::nvidia_gpu_expected();
    result_.backend = choose_backend(options_.backend, policy_.environment, expected);
    const bool cuda = result_.backend == "cuda";
    child_.runner = options_.runner;
    child_.backend = result_.backend;
    child_.device = options_.device;
    child_.interrupt = options_.interrupt;
    child_.scratch = scratch_.path();
    result_.fingerprint = fingerprint::take_fingerprint({options_.device, cuda}, options_.toolkit);
    result_.device_class = fingerprint::class_of(result_.fingerprint);
    std::string why_not;
    if (cuda) nvml_ = fingerprint::Nvml::open(&why_not);
    unsigned index = 0;
    if (nvml_) {
      for (const auto& gpu : nvml_->devices()) {
        if (options_.device == gpu.uuid || options_.device == std::to_string(gpu.index)) index = gpu.index;
      }
    }
    const auto state = watch_gpu(index);
    check_environment(policy_.environment, result_.fingerprint, state ? &*state : nullptr);
    runner::Client probe(child_);
    device_ = probe.probe(runner::Client::Seconds(kOpenLimit));
    result_.device_name = device_.name;
    result_.device_uuid = device_.uuid;
    if (cuda) check_toolkit(options_.toolkit, device_.driver_api);
    if (!cuda)
      warn("host backend: kernels run on the CPU; a disagreement is a strong hint, times say nothing about a GPU");
  }

  // Looks at the GPU from now on. One that must not be throttled, and is, gets time to cool down. Its state, if any.
  std::optional<fingerprint::GpuState> watch_gpu(unsigned index) {
    WatchOptions watching;
    if (nvml_) {
      watching.look = [reader = std::make_shared<fingerprint::StateReader>(*nvml_, index)] { return reader->read(); };
    }
    watching.wait = [this](double seconds) {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      if (options_.interrupt != nullptr) options_.interrupt->check();
    };
    watch_ = std::make_unique<Watch>(std::move(watching));
    if (!nvml_) return std::nullopt;
    const auto state = nvml_->state(index);
    const std::string brake = outside_brake(state);
    const auto& wishes = policy_.environment.require;
    if (brake.empty() || std::find(wishes.begin(), wishes.end(), "not-throttled") == wishes.end()) return state;
    progress_.note(fmt::format("the GPU is braked from outside: {}; waiting up to {:.0f} s", brake, kCalmLimit));
    const auto start = Clock::now();
    watch_->wait_until_calm(kCalmLimit);
    result_.wait_s += seconds_since(start);
    return nvml_->state(index);
  }

  void read_kernels() {
    working_ = std::make_shared<FolderTree>(repository_->root());
    SuiteOptions suite;
    suite.working = working_;
    suite.base =
        base_.compare == base_.commit ? base_tree_ : std::shared_ptr<const FileTree>(repository_->tree(base_.compare));
    suite.base_name = fmt::format("{} ({})", base_.compare.substr(0, 10), base_.ref);
    suite.base_decides = !base_.implied;
    suite.policy = &policy_;
    suite.selection = options_.selection;
    suite_ = read_suite(suite);
    if (policy_.unsigned_blocks) {
      throw Error(ErrorKind::untrusted, kPolicyFile,
                  "wants signed cases, which this version of kgate cannot verify yet",
                  "set [trust] unsigned = \"warn\" on the base branch until it can");
    }
    warn("cases are not signed: [trust] unsigned = \"warn\"");
    for (const auto& name : suite_.vanished) {
      KernelResult kernel;
      kernel.name = name;
      kernel.verdict = Verdict::missing;
      kernel.reason = fmt::format("the base {} has it, this tree does not", suite.base_name);
      vanished_.push_back(std::move(kernel));
    }
  }

  void compile() {
    const auto start = Clock::now();
    std::vector<Source> sources;
    std::vector<std::map<std::string, Bytes>> reference_files(suite_.subjects.size());
    progress_.phase("compile", static_cast<int>(suite_.subjects.size()));
    arms_.resize(suite_.subjects.size());
    // Three of a kernel at most: the candidate, the base, the reference; what is equal is compiled once.
    std::vector<std::pair<std::size_t, Artifact Arms::*>> wanted;
    for (std::size_t i = 0; i < suite_.subjects.size(); ++i) {
      const Subject& subject = suite_.subjects[i];
      const auto want = [&](const cases::SourceSet& set, const std::map<std::string, Bytes>& files,
                            const cases::VersionSpec& version, Artifact Arms::*place) {
        sources.push_back({&set, &files, cases::entries_of(version)});
        wanted.emplace_back(i, place);
      };
      want(subject.candidate.spec.sources, subject.candidate.files, cases::version_of(subject.candidate.spec),
           &Arms::candidate);
      if (subject.base)
        want(subject.base->spec.sources, subject.base->files, cases::version_of(subject.base->spec), &Arms::base);
      if (const auto& reference = subject.cases.reference) {
        reference_files[i] = cases::read_sources(reference->sources, *subject.cases_tree, subject.cases.path);
        want(reference->sources, reference_files[i], cases::version_of(*reference), &Arms::reference);
      }
    }
    CompilerOptions compiler;
    compiler.child = child_;
    compiler.child.device.clear();
    compiler.toolkit = {options_.toolkit.nvrtc, options_.toolkit.include_dirs, options_.toolkit.host_compiler};
    compiler.toolkit_identity =
        fmt::format("{} {} {} {} {}", options_.version, options_.toolkit.nvrtc, options_.toolkit.nvrtc_version,
                    options_.toolkit.host_compiler, options_.toolkit.host_compiler_version);
    compiler.architecture = result_.backend == "cuda" ? device_.architecture : "";
    compiler.timeout_s = policy_.compile.timeout_s;
    compiler.parallel = std::clamp(options_.threads, 1u, kMaxCompilers);
    compiler.cache = options_.cache;
    const auto artifacts = compile_all(sources, compiler);
    for (std::size_t i = 0; i < artifacts.size(); ++i) arms_[wanted[i].first].*wanted[i].second = artifacts[i];

    for (std::size_t i = 0; i < suite_.subjects.size(); ++i) {
      KernelResult kernel = describe(suite_.subjects[i], arms_[i].candidate.get(), arms_[i].base.get(), base_.compare);
      judge_compilation(kernel, suite_.subjects[i], arms_[i]);
      result_.kernels.push_back(std::move(kernel));
    }
    for (auto& kernel : vanished_) result_.kernels.push_back(kernel);
    result_.compile_s = seconds_since(start);
  }

  // What cannot go on is concluded here; everything else is checked.
  void judge_compilation(KernelResult& kernel, const Subject& subject, const Arms& arms) {
    const auto& candidate = *arms.candidate;
    if (candidate.status == runner::Compiled::Status::unsupported) {
      kernel.verdict = Verdict::environment;
      kernel.reason = "the host backend cannot compile it: " + candidate.log;
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

  bool is_concluded(const KernelResult& kernel) const {
    return std::find(concluded_.begin(), concluded_.end(), kernel.name) != concluded_.end();
  }

  void check() {
    const auto start = Clock::now();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < suite_.subjects.size(); ++i) {
      if (!is_concluded(result_.kernels[i])) open.push_back(i);
    }
    int steps = 0;
    for (const auto i : open) steps += static_cast<int>(cases_for(suite_.subjects[i], result_.backend).size());
    progress_.phase("check", steps);
    std::mutex lock;
    const unsigned workers = std::clamp(options_.threads / 2, 1u, kMaxCheckers);
    std::vector<CheckProcess> trusted, candidates;
    for (unsigned i = 0; i < workers; ++i) {
      trusted.emplace_back(child_);
      candidates.emplace_back(child_);
    }
    for_each_parallel(open.size(), workers, [&](std::size_t n, unsigned worker) {
      const Subject& subject = suite_.subjects[open[n]];
      const Arms& arms = arms_[open[n]];
      CheckOptions check;
      check.child = child_;
      check.seed = options_.seed;
      check.threads = std::max(1u, options_.threads / workers);
      check.on_case = [&](const std::string& name) {
        const std::lock_guard guard(lock);
        progress_.step(subject.name + ": " + name);
      };
      const bool compare_base =
          result_.kernels[open[n]].code == "changed" && arms.base && arms.base->status == runner::Compiled::Status::ok;
      if (!share_processes()) candidates[worker].replace();
      candidates[worker].start_ahead();
      guarded(result_.kernels[open[n]], lock, [&](KernelResult& kernel) {
        const KernelCheck found = check_kernel({&subject, &trusted[worker], &candidates[worker], arms.candidate,
                                                arms.reference, compare_base ? arms.base : nullptr},
                                               check);
        const std::lock_guard guard(lock);
        add_check(kernel, found);
        conclude(kernel);
        check_limits(kernel, policy_);
      });
    });
    result_.check_s = seconds_since(start);
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
    std::int64_t timed_cases = 0;
    for (std::size_t i = 0; i < suite_.subjects.size(); ++i) {
      auto& kernel = result_.kernels[i];
      if (is_concluded(kernel) || kernel.code != "changed" ||
          !(passes(kernel.verdict) || kernel.verdict == Verdict::regressed))
        continue;
      if (arms_[i].base->status != runner::Compiled::Status::ok) {
        kernel.verdict = Verdict::inconclusive;
        kernel.reason = "right, but the base version does not compile here: nothing to compare with";
        concluded_.push_back(kernel.name);
        continue;
      }
      const auto cases = cases_for(suite_.subjects[i], result_.backend);
      const auto count = std::count_if(cases.begin(), cases.end(),
                                       [](auto* one) { return one->role == cases::CaseRole::performance; });
      if (count == 0) {
        kernel.warnings.emplace_back("no performance case: checked, not timed");
        continue;
      }
      timed_cases += count;
      open.push_back(i);
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
    timing.budget = policy_.budget;
    timing.pool_bytes =
        std::min(static_cast<std::uint64_t>(policy_.budget.pool_gib * 1073741824.0), device_.free_bytes / 2);
    timing.share_processes = share_processes();
    timing.on_case = [&](const std::string& kernel, const std::string& one) { progress_.step(kernel + ": " + one); };
    std::vector<TimeJob> jobs;
    for (const auto i : open) {
      jobs.push_back(
          {&suite_.subjects[i], arms_[i].candidate, arms_[i].base, policy_.zone_of(suite_.subjects[i].name)});
    }
    ChildPool children(child_, 1);
    const auto timed = time_suite(jobs, timing, children);
    for (std::size_t n = 0; n < open.size(); ++n) {
      KernelResult& kernel = result_.kernels[open[n]];
      kernel.comparisons.push_back({"base", base_.compare, 1, 1, 1, Verdict::pass});
      add_times(kernel, suite_.subjects[open[n]], timed[n].cases);
      for (const auto& one : timed[n].cases) judgement_.samples.push_back({kernel.name, one.name, one.us});
      conclude(kernel);
      check_limits(kernel, policy_);
      if (!timed[n].failure.empty()) {
        kernel.verdict = worst({kernel.verdict, Verdict::environment});
        if (kernel.verdict == Verdict::environment) kernel.reason = timed[n].failure;
      }
      finish(kernel);
    }
    result_.time_s = seconds_since(start);
  }

  void finish(const KernelResult& kernel) {
    auto& finished = judgement_.finished;
    if (std::find(finished.begin(), finished.end(), kernel.name) != finished.end()) return;
    finished.push_back(kernel.name);
    progress_.done(kernel);
  }

  void warn(const std::string& line) {
    result_.warnings.push_back(line);
    progress_.note(line);
  }

  const JudgeOptions& options_;
  Progress& progress_;
  Judgement& judgement_;
  Result& result_;
  std::unique_ptr<trust::Repository> repository_;
  trust::BaseCommit base_;
  std::shared_ptr<const FileTree> base_tree_, working_;
  trust::Policy policy_;
  std::unique_ptr<fingerprint::Nvml> nvml_;
  std::unique_ptr<Watch> watch_;
  TemporaryFolder scratch_{"kgate"};  // of the children: what a killed one leaves goes with it
  runner::ClientOptions child_;
  runner::DeviceInfo device_;
  Suite suite_;
  std::vector<Arms> arms_;
  std::vector<KernelResult> vanished_;
  std::vector<std::string> concluded_;
};

}  // namespace

void judge(const JudgeOptions& options, Progress& progress, Judgement& judgement) {
  Judge(options, progress, judgement).run();
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
  for (const auto& kernel : result.kernels) {
    all.push_back(kernel.verdict);
    if (blocks(kernel.verdict, judgement.profile, judgement.new_blocks)) blocking.push_back(kernel.verdict);
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
