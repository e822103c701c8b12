#include "gate/verdict/preparation.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory_tree.h"
#include "base/utc.h"
#include "fingerprint/fingerprint.h"
#include "fingerprint/gpu_choice.h"
#include "fingerprint/state_reader.h"
#include "gate/cases/case_files.h"
#include "gate/cases/job.h"
#include "gate/lease/strangers.h"
#include "gate/verdict/check/second_try.h"
#include "gate/verdict/setting.h"
#include "gate/verdict/subject/accepted.h"
#include "gate/verdict/subject/once_merged.h"
#include "gate/verdict/subject/past.h"
#include "gate/verdict/subject/suite_plan.h"
#include "gate/verdict/timing/disturbance.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMaxCompilers = 16;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

// Before anything of the change is read.
void Preparation::read_policy() {
  result_.verb = !options_.candidate.empty() ? "bisect" : options_.check_only ? "check" : "run";
  result_.selection = options_.selection;
  result_.started = utc_time(std::time(nullptr));
  result_.profile = options_.profile;
  result_.seed = fmt::format("{:016x}", options_.seed);
  result_.shard_index = options_.shard.index;
  result_.shard_total = options_.shard.total;
  result_.tool_version = options_.version;
  result_.tool_commit = options_.commit;
  authority = trust::read_authority(options_.repository, options_.base);
  const auto& base = authority.base;
  const bool past = !options_.candidate.empty();
  result_.source_commit = past ? options_.candidate : authority.repository->resolve("HEAD").value_or("");
  result_.source_dirty = !past && authority.repository->dirty();
  result_.source_base = base.compare;
  result_.policy_ref = base.ref;
  result_.policy_commit = base.commit;
  result_.policy_digest = authority.policy_digest;
  for (const auto& line : authority.warnings) warn(line);
  const auto profile = policy().profiles.find(options_.profile);
  if (profile == policy().profiles.end()) {
    throw Error(ErrorKind::usage, fmt::format("profile \"{}\"", options_.profile), "is not in the policy",
                "use pr, release or nightly");
  }
  judgement_.profile = profile->second;
  judgement_.new_blocks = policy().new_blocks;
  judgement_.search_on_regression = policy().search.on_regression;
  read_backend();
  read_ledger();
}

// What needs nothing but the policy is told before a ledger is fetched and a device opened.
void Preparation::read_backend() {
  result_.backend = choose_backend(options_.backend, policy().environment, fingerprint::nvidia_gpu_expected());
  // Who names a GPU wants that one, and no pass on the CPU.
  if (result_.backend == "host" && options_.backend == "auto" && !options_.device.empty()) {
    throw Error(ErrorKind::environment, "device " + options_.device, "there is no NVIDIA driver here",
                "leave --device out, or say --backend host");
  }
  if (!options_.sanitize) return;
  const auto& found = options_.sanitizer;
  result_.sanitizer = sanitize::Summary{!found.path.empty(), found.version, "", {}, {}};
  check_sanitizer(result_.backend, found, policy().environment);
}

void Preparation::read_ledger() {
  const trust::GitProgram git(authority.repository->root(), options_.environment, options_.interrupt);
  ledger.emplace(trust::read_ledger(authority, options_.fetch_ledger ? &git : nullptr));
  if (const auto unpushed = trust::unpushed_records(authority); !unpushed.empty()) warn(unpushed);
  result_.ledger_commit = ledger->commit();
  result_.ledger_sequence = ledger->sequence();
  result_.ledger_digest = ledger->digest();
}

void Preparation::read_kernels() {
  if (options_.candidate.empty()) {
    read_change();
    if (!options_.in_place.empty()) put_in_place();
  } else {
    Subject today = read_today(authority, *ledger, options_.selection.front(), utc_day(std::time(nullptr)));
    suite.subjects.push_back(read_pair(authority, std::move(today), options_.candidate, authority.base.compare));
  }
  warn_unsigned();
}

// The working tree's version is what was there before.
void Preparation::put_in_place() {
  const auto& name = options_.selection.front();
  if (suite.subjects.size() != 1)
    throw Error(ErrorKind::missing, name, "is not there any more, or its cases do not hold", "search once more");
  Subject& subject = suite.subjects.front();
  std::map<std::string, std::string> now{{subject.candidate.spec.path, subject.candidate.toml}};
  for (const auto& [path, content] : subject.candidate.files) now[path] = std::string(text_of(content));
  if (now != options_.in_place_of)
    throw Error(ErrorKind::usage, name, "was changed while it was searched, so that what was found is no change of it",
                "bring it back, or search once more");
  std::map<std::string, Bytes> files;
  for (const auto& [path, content] : options_.in_place) files[path] = bytes_of(content);
  subject.base = std::move(subject.candidate);
  subject.candidate = read_candidate(MemoryTree(std::move(files), "what a search found"), subject.path, policy());
  subject.accepted.clear();
  subject.preapproved.clear();
  subject.renamed_from.clear();
}

// The working tree's.
void Preparation::read_change() {
  working = authority.repository->working_tree();
  const auto& base = authority.base;
  const auto pending = trust::pending_changes(authority, *working);
  if (!pending.empty()) {
    warn(fmt::format("{} differ{} from the base commit's: what they say takes effect once it is merged",
                     fmt::join(pending, ", "), pending.size() == 1 ? "s" : ""));
    for (const auto& line : once_merged({&authority, working.get(), utc_day(std::time(nullptr)), options_.threads}))
      warn(line);
  }
  SuiteOptions wanted;
  wanted.working = working;
  wanted.base = base.compare == base.commit ? authority.tree
                                            : std::shared_ptr<const FileTree>(authority.repository->tree(base.compare));
  if (base.compare != base.commit) {
    wanted.target = authority.tree;
    wanted.target_name = fmt::format("{} ({})", base.commit.substr(0, 10), base.ref);
  }
  wanted.base_name = fmt::format("{} ({})", base.compare.substr(0, 10), base.ref);
  wanted.base_decides = !base.implied;
  // Who writes a kernel checks it before anybody signs its cases; what is merged is for the job.
  wanted.unsigned_passes = (options_.check_only || options_.searching) && !trust::is_ci_job(options_.base.variables);
  wanted.policy = &policy();
  wanted.keyring = &authority.keyring;
  wanted.ledger = &*ledger;
  wanted.day = utc_day(std::time(nullptr));
  wanted.selection = options_.selection;
  wanted.renamed_from = options_.renamed_from;
  if (options_.shard.total > 1 || options_.lane.total > 1) choose_part(wanted);
  suite = read_suite(wanted);
  for (const auto& note : suite.notes) warn(note);
  if (options_.committed_only) check_committed();
  for (auto& subject : suite.subjects) {
    // Cases of a higher revision may change the interface: an older version is then no yardstick.
    if (const auto why = subject.base ? misfit(subject, *subject.base) : ""; !why.empty()) {
      subject.warnings.push_back("not compared with the base: " + why);
      subject.base.reset();
    }
    add_accepted(subject, {&*ledger, compare(), result_.device_class, result_.backend, device.name, device.architecture,
                           policy().any_class, authority.repository.get(), base.compare});
  }
}

// Of the whole selection the shard's kernels, of these the lane's.
void Preparation::choose_part(SuiteOptions& wanted) {
  const auto plan = plan_suite(wanted, {options_.shard.total, options_.check_only, options_.time_unchanged});
  if (options_.shard.total > 1) {
    result_.shard_planned = plan.names();
    result_.shard_plan = plan.digest();
  }
  std::vector<KernelCost> costs;
  for (const auto& kernel : plan.kernels) {
    if (kernel.shard == options_.shard.index) costs.push_back({kernel.name, kernel.cost_us});
  }
  const auto lanes = split(costs, options_.lane.total);
  wanted.own.emplace();
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (lanes[i] == options_.lane.index) wanted.own->insert(costs[i].name);
  }
  wanted.tells_gone = options_.shard.index == 1 && options_.lane.index == 1;
}

void Preparation::warn_unsigned() {
  std::vector<std::string> bare;
  for (const auto& subject : suite.subjects) {
    if (subject.cases_signers.empty()) bare.push_back(subject.name);
  }
  if (!bare.empty()) {
    warn(policy().unsigned_blocks
             ? fmt::format("cases are not signed, which kgate run does not let pass: {}", fmt::join(bare, ", "))
             : fmt::format("cases are not signed ([trust] unsigned = \"warn\"): {}", fmt::join(bare, ", ")));
  }
}

// What goes on record has a commit, where everybody finds it.
void Preparation::check_committed() const {
  const auto head = authority.repository->resolve("HEAD");
  if (!head) throw Error(ErrorKind::usage, authority.repository->root(), "has no commit yet", "commit first");
  const auto committed = authority.repository->tree(*head);
  for (const auto& subject : suite.subjects) {
    bool same = false;
    try {
      const auto cases = join_beneath(parent_of(subject.path), "cases.toml");
      same = read_version(*committed, subject.path).digest == subject.candidate.digest &&
             committed->read(cases, cases::kMostCasesBytes) == working->read(cases, cases::kMostCasesBytes);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
    }
    if (!same)
      throw Error(ErrorKind::usage, subject.path, "or what belongs to it differs from HEAD", "commit it first");
  }
}

std::vector<Baseline> Preparation::baselines(std::size_t subject) const {
  return baselines_of(suite.subjects[subject], artifacts[subject], compare(), authority.base.compare);
}

const std::vector<std::string>& Preparation::compare() const {
  return options_.compare.empty() ? judgement_.profile.compare : options_.compare;
}

std::uint64_t Preparation::pool_bytes() const {
  return std::min(static_cast<std::uint64_t>(policy().budget.pool_gib * 1073741824.0), device.free_bytes / 2);
}

CompilerOptions Preparation::compiler_options() const {
  return compiler_options_for(options_, child, device, policy().compile.timeout_s);
}

CompilerOptions compiler_options_for(const JudgeOptions& options, const runner::ClientOptions& child,
                                     const runner::DeviceInfo& device, double timeout_s) {
  CompilerOptions compiler;
  compiler.child = child;
  compiler.child.on_process = {};  // compilers do not touch the GPU
  compiler.child.device.clear();
  compiler.child.compiles =
      compiler.toolkit = {options.toolkit.nvrtc, options.toolkit.include_dirs, options.toolkit.host_compiler};
  compiler.toolkit_identity =
      fmt::format("{} {} {} {} {}", options.version, options.toolkit.nvrtc, options.toolkit.nvrtc_version,
                  options.toolkit.host_compiler, options.toolkit.host_compiler_version);
  compiler.architecture = child.backend == "cuda" ? device.architecture : "";
  compiler.timeout_s = timeout_s;
  compiler.parallel = std::clamp(options.threads, 1u, kMaxCompilers);
  compiler.cache = options.cache;
  return compiler;
}

void Preparation::compile() {
  progress_.phase("compile", static_cast<int>(suite.subjects.size()));
  compile({});
}

void Preparation::compile(const std::function<void(std::size_t)>& on_ready) {
  const auto start = Clock::now();
  std::vector<Source> sources;
  std::vector<std::map<std::string, Bytes>> reference_files(suite.subjects.size());
  artifacts.assign(suite.subjects.size(), {});
  // Of a kernel the candidate, the base, the reference and what was accepted; what is equal is compiled once.
  struct Place {
    Artifact* artifact;
    std::size_t subject;
  };
  std::vector<Place> wanted;
  std::vector<std::size_t> missing(suite.subjects.size());
  for (std::size_t i = 0; i < suite.subjects.size(); ++i) {
    const Subject& subject = suite.subjects[i];
    const auto want = [&](const cases::SourceSet& set, const std::map<std::string, Bytes>& files,
                          const cases::VersionSpec& version, Artifact& place) {
      sources.push_back({&set, &files, cases::entries_of(version)});
      wanted.push_back({&place, i});
      ++missing[i];
    };
    want(subject.candidate.spec.sources, subject.candidate.files, cases::version_of(subject.candidate.spec),
         artifacts[i].candidate);
    if (subject.base)
      want(subject.base->spec.sources, subject.base->files, cases::version_of(subject.base->spec), artifacts[i].base);
    artifacts[i].accepted.resize(subject.accepted.size());
    artifacts[i].rebuilt.resize(subject.accepted.size());
    for (std::size_t n = 0; n < subject.accepted.size(); ++n) {
      const Version& version = subject.accepted[n].version;
      artifacts[i].accepted[n] = subject.accepted[n].recorded;
      want(version.spec.sources, version.files, cases::version_of(version.spec),
           artifacts[i].accepted[n] ? artifacts[i].rebuilt[n] : artifacts[i].accepted[n]);
    }
    if (const auto& reference = subject.cases.reference) {
      reference_files[i] = cases::read_sources(reference->sources, *subject.cases_tree, subject.cases.path);
      want(reference->sources, reference_files[i], cases::version_of(*reference), artifacts[i].reference);
    }
  }
  std::mutex lock;
  compile_all(sources, compiler_options(), [&](std::size_t source, const Artifact& code) {
    const auto [artifact, subject] = wanted[source];
    {
      const std::lock_guard guard(lock);
      *artifact = code;
      if (--missing[subject] > 0) return;
    }
    if (on_ready) on_ready(subject);
  });
  result_.compile_s = seconds_since(start);
}

void Preparation::warn(const std::string& line) {
  result_.warnings.push_back(line);
  progress_.note(line);
}

}  // namespace kgate::verdict
