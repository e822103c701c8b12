#include "gate/cli/search.h"

#include <ctime>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/utc.h"
#include "fingerprint/nsight_compute.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/output_folder.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/report/search/text.h"
#include "gate/trust/base_commit.h"

namespace kgate::cli {
namespace {

// What a search found is no verdict on anybody's change: 0 where it could look, whatever came of it.
ExitCode exit_code_of(const search::journal::Summary& summary) {
  if (summary.confirmation && summary.confirmation->verdict == "environment") return ExitCode::environment;
  if (!summary.stopped || summary.best != 0) return ExitCode::pass;
  const std::string& why = summary.stopped->why;
  const std::string& baseline = summary.rows.front().outcome;
  if (why == "environment") return ExitCode::environment;
  if (why == "baseline") {
    if (baseline == "wrong" || baseline == "suspect") return ExitCode::wrong;
    return baseline == "environment" ? ExitCode::environment : ExitCode::regressed;
  }
  return why == "unanswered" ? ExitCode::environment : ExitCode::pass;
}

// Larger ones are in the folder alone.
constexpr std::size_t kMostPatch = 40'000;

// The one that lost most time beside what it is compared with; null: none did.
const verdict::KernelResult* worst_regressed(const verdict::Result& result) {
  const verdict::KernelResult* worst = nullptr;
  double most = 1;
  for (const auto& kernel : result.kernels) {
    if (kernel.verdict != verdict::Verdict::regressed) continue;
    for (const auto& comparison : kernel.comparisons) {
      if (!comparison.timed() || comparison.ratio <= most) continue;
      most = comparison.ratio;
      worst = &kernel;
    }
  }
  return worst;
}

std::string patch_in(const std::filesystem::path& folder) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(folder / "best.patch", failed);
  return failed || bytes > kMostPatch ? "" : std::string(text_of(read_file(folder / "best.patch", kMostPatch)));
}

}  // namespace

search::SessionOptions session_options(const Invocation& invocation, verdict::JudgeOptions judge) {
  const auto& arguments = invocation.arguments;
  search::SessionOptions options;
  options.folder = std::filesystem::path(arguments.out) / "search";
  options.judge = std::move(judge);
  options.judge.queue.priority = lease::Priority::search;
  options.judge.searching = true;
  const auto path = invocation.surroundings.environment.find("PATH");
  options.judge.counters = fingerprint::find_nsight_compute(
      path == invocation.surroundings.environment.end() ? "" : path->second, options.judge.toolkit.root);
  options.limits = {arguments.iterations,
                    arguments.patience,
                    arguments.tokens,
                    arguments.seconds,
                    arguments.gpu_seconds,
                    arguments.cost_usd,
                    trust::is_ci_job(invocation.surroundings.ci)};
  options.proposers = arguments.proposers;
  options.usd_per_gpu_hour = arguments.usd_per_gpu_hour;
  options.key = invocation.surroundings.search_key;
  options.started = utc_time(std::time(nullptr));
  return options;
}

void search_what_regressed(const Invocation& invocation, verdict::JudgeOptions judge, verdict::Progress& progress,
                           verdict::Judgement& judgement) {
  if (!judgement.search_on_regression) return;
  const auto* kernel = worst_regressed(judgement.result);
  auto options = session_options(invocation, std::move(judge));
  verdict::SearchFound found;
  found.folder = options.folder.string();
  if (kernel != nullptr) found.kernel = kernel->name;
  options.told = [&](const std::string& line) { progress.wait(line); };
  try {
    std::error_code none;
    if (kernel == nullptr && !std::filesystem::exists(std::filesystem::symlink_status(options.folder, none))) return;
    const OutputFolder inner(options.folder, "");  // refuses links
    // What lies there is another run's, or a stranger's who committed it.
    search::forget_search(options.folder);
    if (kernel == nullptr) return;
    options.judge.selection = {kernel->name};
    options.judge.shard = {};
    if (!kernel->device_uuid.empty()) options.judge.device = kernel->device_uuid;
    progress.phase("search", 0);
    const auto summary = search::run_session(options, progress);
    found.better = summary.confirmation && summary.confirmation->better;
    found.headline = fmt::format("beside the version that regressed, {}; {}", report::search_headline(summary),
                                 report::search_end(summary));
    if (summary.best != 0) found.patch = patch_in(options.folder);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    found.headline = std::string("no search: ") + error.what();
    progress.note("search: " + std::string(error.what()));
  } catch (const std::exception& error) {  // a defect; the run's verdict has nothing to do with it
    found.headline = std::string("no search: a defect of kgate's own: ") + error.what();
    progress.note("search: a defect of kgate's own: " + std::string(error.what()));
  }
  if (kernel != nullptr) judgement.result.searches.push_back(std::move(found));
}

ExitCode search_better(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const OutputFolder out(arguments.out, "");
  const OutputFolder inner(out.path("search"), "");  // it too could be a link that a change brought
  TerminalProgress progress(std::cerr, progress_style(arguments, invocation.surroundings));
  auto options = session_options(invocation, judge_options(invocation));
  options.told = [&](const std::string& line) { progress.wait(line); };
  const auto summary = search::run_session(options, progress);
  if (arguments.format == "json") {
    std::cout << search::journal::to_json(summary).dump(2) << '\n';
  } else if (arguments.quiet) {
    std::cout << summary.header.kernel << ": " << report::search_headline(summary) << '\n';
  } else {
    std::cout << report::write_search_text(summary, terminal_width(STDOUT_FILENO), options.folder.string())
              << "report: " << (options.folder / "report.html").string() << '\n';
  }
  return exit_code_of(summary);
}

}  // namespace kgate::cli
