#include <array>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/fingerprint.h"
#include "fingerprint/nvml.h"
#include "gate/cli/runner_path.h"
#include "gate/cli/verbs.h"
#include "gate/report/report.h"
#include "runner/client.h"
#include "runner/scratch.h"

// kgate doctor --sandbox: what hostile code could do, tried by real children. Each kind of child is started three
// times, under no sandbox, under one without Landlock and under the best one: so that the table says what denies a
// thing, and what the machine denies anyway, without having to guess from an errno.
namespace kgate::cli {
namespace {

using runner::SandboxLevel;
using runner::SandboxTrial;

constexpr std::array kLevels{SandboxLevel::none, SandboxLevel::seccomp, SandboxLevel::landlock};
constexpr runner::Client::Seconds kLimit(120);

struct Kind {
  const char* name;     // a column's
  const char* meaning;  // beneath the table
  runner::ClientOptions child;
};

struct Tried {
  std::array<SandboxTrial, kLevels.size()> trials;
  runner::SandboxReport best;
};

std::vector<Kind> kinds(const Invocation& invocation, const std::filesystem::path& scratch) {
  const auto toolkit = find_toolkit(invocation.arguments, invocation.surroundings);
  runner::ClientOptions child;
  child.runner = runner_path();
  child.scratch = scratch;
  child.interrupt = &invocation.interrupt;
  const runner::ToolkitPaths paths{toolkit.nvrtc, toolkit.include_dirs, toolkit.host_compiler};
  std::vector<Kind> all;
  const auto add = [&](const char* name, const char* meaning, const char* backend, bool compiles) {
    child.backend = backend;
    child.device = compiles || child.backend == "host" ? "" : invocation.arguments.device;
    child.compiles = compiles ? std::optional(paths) : std::nullopt;
    all.push_back({name, meaning, child});
  };
  if (!toolkit.host_compiler.empty())
    add("compiler", "the C++ compiler of the host backend, and its child", "host", true);
  add("CPU kernel", "a kernel on the host backend: native code of the change", "host", false);
  if (!toolkit.nvrtc.empty()) add("NVRTC", "the CUDA compiler, in its child", "cuda", true);
  if (fingerprint::nvidia_gpu_expected())
    add("GPU child", "the process that drives the GPU; kernels are not in it", "cuda", false);
  return all;
}

Tried try_kind(const Kind& kind, const Invocation& invocation) {
  Tried tried;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    runner::ClientOptions options = kind.child;
    options.sandbox.most = kLevels[i];
    runner::Client child(options);
    tried.trials[i] = child.try_sandbox(invocation.surroundings.home, invocation.arguments.repo, kLimit);
    tried.best = child.sandbox();
  }
  return tried;
}

const runner::SandboxProbe* find(const SandboxTrial& trial, const std::string& what) {
  for (const auto& probe : trial.probes) {
    if (probe.what == what) return &probe;
  }
  return nullptr;
}

// "yes", or what says no: the first level at which it is denied.
std::string answer(const Tried& tried, const std::string& what) {
  std::array<const runner::SandboxProbe*, kLevels.size()> at{};
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = find(tried.trials[i], what);
  if (at[0] == nullptr || at[0]->error == runner::kNotThere) return "-";
  if (at[0]->error != 0) return "system";
  if (at[1]->error == EACCES) return "privileges";  // given up with the capabilities; the filter says EPERM
  if (at[1]->error != 0) return "seccomp";
  if (at[2]->error != 0) return "Landlock";
  return at[2]->needed.empty() ? "OPEN" : "needed";
}

// Every probe's name once, in the children's order.
std::vector<std::string> rows(const std::vector<Tried>& all) {
  std::vector<std::string> names;
  for (const Tried& tried : all) {
    for (const auto& probe : tried.trials.back().probes) {
      if (std::find(names.begin(), names.end(), probe.what) == names.end()) names.push_back(probe.what);
    }
  }
  return names;
}

// What the words of answer() mean.
constexpr const char* kLegend = R"(
Landlock    denied by Landlock: a file, port or process that is not on the child's list
seccomp     denied by the filter of system calls
privileges  denied because the child gave up its capabilities
system      denied to kgate as well, without any sandbox
needed      allowed, for the reason beneath
OPEN        allowed, although nothing needs it: this machine's sandbox lacks what denies it elsewhere
-           not there to be tried
)";

// "connect by TCP: seccomp" for each column, and beneath why what is needed is.
std::string table(const std::vector<Kind>& columns, const std::vector<Tried>& all) {
  std::string text = fmt::format("{:<44}", "tried from inside");
  for (const Kind& kind : columns) text += fmt::format("  {:<10}", kind.name);
  text += '\n';
  std::vector<std::string> reasons;
  for (const std::string& name : rows(all)) {
    text += fmt::format("{:<44}", name);
    for (const Tried& tried : all) {
      const std::string word = answer(tried, name);
      text += fmt::format("  {:<10}", word);
      if (word != "needed") continue;
      const std::string reason = fmt::format("  {}: {}\n", name, find(tried.trials.back(), name)->needed);
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  text += kLegend;
  text += "\nneeded:\n";
  for (const std::string& reason : reasons) text += reason;
  return text;
}

std::string describe(const Kind& kind, const Tried& tried) {
  std::string text = fmt::format("\n{}: {}\n  sandbox {}", kind.name, kind.meaning, name_of(tried.best.level));
  if (tried.best.landlock_abi != 0) text += fmt::format(" (ABI {})", tried.best.landlock_abi);
  if (!tried.best.note.empty()) text += ": " + tried.best.note;
  text += '\n';
  if (!tried.best.relaxed.empty()) text += fmt::format("  relaxed: {}\n", tried.best.relaxed);
  const SandboxTrial& trial = tried.trials.back();
  text += fmt::format("  limits: {}\n", fmt::join(trial.limits, "; "));
  if (!trial.used_device) return text;
  if (trial.trouble.empty()) return text + "  its device works under the sandbox\n";
  const bool ours = tried.trials.front().trouble.empty();
  return text + fmt::format("  its device does not work{}: {}\n", ours ? " under the sandbox" : "", trial.trouble);
}

Json to_json(const std::vector<Kind>& columns, const std::vector<Tried>& all) {
  Json list = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Json answers = Json::object();
    for (const std::string& name : rows(all)) answers[name] = answer(all[i], name);
    list.push_back({{"child", columns[i].name},
                    {"level", name_of(all[i].best.level)},
                    {"landlock", all[i].best.landlock_abi},
                    {"note", all[i].best.note},
                    {"relaxed", all[i].best.relaxed},
                    {"limits", all[i].trials.back().limits},
                    {"trouble", all[i].trials.back().trouble},
                    {"answers", std::move(answers)}});
  }
  return {{"schema", "kgate.sandbox/1"}, {"children", std::move(list)}};
}

}  // namespace

// A machine on which the sandbox breaks a device that works without it cannot judge; one with a weaker sandbox can, if
// the policy lets it.
ExitCode show_sandbox(const Invocation& invocation) {
  if (!invocation.arguments.names.empty()) {
    throw Error(ErrorKind::usage, fmt::format("kgate doctor --sandbox {}", invocation.arguments.names.front()),
                "looks at the machine, not at kernels");
  }
  const runner::Scratch scratch(runner_path());
  const std::vector<Kind> columns = kinds(invocation, scratch.path());
  std::vector<Tried> all;
  bool broken = false;
  for (const Kind& kind : columns) {
    all.push_back(try_kind(kind, invocation));
    broken = broken || (all.back().trials.front().trouble.empty() && !all.back().trials.back().trouble.empty());
  }
  if (invocation.arguments.format == "json") {
    std::cout << to_json(columns, all).dump(2) << '\n';
  } else {
    std::string text = table(columns, all);
    for (std::size_t i = 0; i < columns.size(); ++i) text += describe(columns[i], all[i]);
    std::cout << report::neutral(text);
  }
  return broken ? ExitCode::environment : ExitCode::pass;
}

}  // namespace kgate::cli
