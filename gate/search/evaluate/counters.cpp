#include "gate/search/evaluate/counters.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "gate/counters/command.h"
#include "gate/counters/report.h"
#include "gate/counters/summary.h"
#include "gate/search/propose/words.h"
#include "gate/verdict/check/observed_run.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {
namespace {

using counters::Readings;
using counters::Trouble;

constexpr std::uint64_t kMostOfReport = 64U << 20, kMostOfOutput = 1U << 20;
constexpr std::size_t kMostEntries = 4;

constexpr const char* kNotPermitted =
    "the driver does not let this user read performance counters (load the nvidia module with "
    "NVreg_RestrictProfilingToAdminUsers=0, or give kgate CAP_PERFMON, which drivers from 565 on accept)";

std::string text_in(const std::filesystem::path& file, std::uint64_t most) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  return std::string(text_of(read_file(file, most)));
}

// What the tool complained of in its report or in what it printed; else what went wrong with the run.
std::string failure_of(const counters::Report& report, const counters::Report& printed, const std::string& fault) {
  for (const auto* said : {&report, &printed}) {
    if (said->trouble == Trouble::not_permitted) return kNotPermitted;
  }
  // Its report names no kernel: the other one says why, if anything does.
  const std::string& words = printed.trouble == Trouble::failed ? printed.words : report.words;
  return fmt::format("Nsight Compute failed: {}{}{}", words.empty() ? "its report has none of the entries" : words,
                     fault.empty() ? "" : "; ", one_line(fault, 200));
}

// Those that take longest, the longest first. What is no entry of kernel.toml's is not told.
std::vector<std::pair<std::string, const Readings*>> entries_in(const counters::Report& report,
                                                                const std::map<std::string, std::string>& symbols) {
  std::vector<std::pair<std::string, const Readings*>> found;
  for (const auto& [entry, symbol] : symbols) {
    const auto one = report.kernels.find(symbol);
    if (one != report.kernels.end()) found.emplace_back(entry, &one->second);
  }
  const auto duration = [](const auto& one) {
    return counters::find(*one.second, counters::kDuration).value.value_or(0);
  };
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return duration(a) > duration(b); });
  if (found.size() > kMostEntries) found.resize(kMostEntries);
  return found;
}

// The sentences of one case, one for each entry; or none, and why.
std::string count_case(const verdict::Subject& subject, const verdict::Artifact& code, const cases::CaseSpec& one,
                       const CountOptions& options, std::string& why_not) {
  const TemporaryFolder folder("kgate-observed-", options.scratch);
  const auto log = folder.path() / "report";
  verdict::ObservedRun run{&subject, &one, code, options.child, options.seed, options.threads};
  run.child.observer = runner::Observer{counters::launcher(options.program, log, one.cold), folder.path(), true};
  run.start_limit_s = options.start_limit_s;
  run.run_limit_s = options.run_limit_s;
  run.end_limit_s = options.end_limit_s;
  const std::string fault = verdict::run_observed(run);
  const auto report = counters::read_report(text_in(log, kMostOfReport));
  const auto entries = entries_in(report, code->symbols);
  if (entries.empty()) {
    const auto printed = counters::read_output(text_in(folder.path() / runner::kObserverOutput, kMostOfOutput));
    why_not = failure_of(report, printed, fault);
  }
  std::string text;
  for (const auto& [entry, readings] : entries) {
    if (const auto sentence = counters::summarise(entry, *readings, why_not))
      text += fmt::format("{}{}", text.empty() ? "" : ". ", *sentence);
  }
  return text;
}

}  // namespace

std::string obstacle_to_counting(const CountOptions& options) {
  if (options.child.backend != "cuda") return fmt::format("the {} backend has none", options.child.backend);
  if (options.program.path.empty() && !options.program.broken.empty())
    return "Nsight Compute does not start here: " + one_line(options.program.broken, 200);
  if (options.program.path.empty()) return "Nsight Compute (ncu) was not found in PATH nor in the CUDA toolkit's bin";
  if (options.needs_landlock)
    return "the policy requires the sandbox landlock, and a child under Nsight Compute has a weaker one";
  return {};
}

Counted count(const verdict::Subject& subject, const verdict::Artifact& code, const CountOptions& options) {
  Counted counted;
  counted.why_not = obstacle_to_counting(options);
  if (!counted.why_not.empty()) return counted;
  counted.why_not = "there is no performance case";
  const auto start = std::chrono::steady_clock::now();
  std::size_t left = options.cases;
  for (const auto* one : verdict::cases_for(subject, options.child.backend)) {
    if (one->role != cases::CaseRole::performance || left == 0) continue;
    --left;
    std::string text;
    try {
      text = count_case(subject, code, *one, options, counted.why_not);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) throw;
      counted.why_not = "Nsight Compute failed: " + one_line(error.what(), 300);
    }
    if (text.empty()) break;  // what fails once fails again
    counted.text += fmt::format(" In case {}: {}.", kgate::quoted(one->name), text);
  }
  counted.gpu_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (counted.text.empty()) return counted;
  counted.text =
      fmt::format("from the GPU's performance counters (Nsight Compute {}):{}", options.program.version, counted.text);
  counted.why_not.clear();
  return counted;
}

}  // namespace kgate::search
