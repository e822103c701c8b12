#include <algorithm>
#include <ctime>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/utc.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/search_proposers.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/cli/version.h"
#include "gate/report/search/page.h"
#include "gate/report/search/text.h"
#include "gate/search/convert.h"
#include "gate/search/evaluate/common_briefing.h"
#include "gate/search/evaluate/gate_evaluator.h"
#include "gate/search/evaluate/replay.h"
#include "gate/search/journal/journal.h"
#include "gate/search/loop.h"
#include "gate/search/summary.h"

namespace kgate::cli {
namespace {

// What is typed bounds a search further, and never widens what the policy allows.
search::Budgets budgets_of(const trust::SearchBounds& bounds, const Arguments& arguments) {
  search::Budgets budgets;
  budgets.iterations = bounds.iterations;
  budgets.seconds = static_cast<double>(bounds.seconds);
  budgets.gpu_seconds = static_cast<double>(bounds.gpu_seconds);
  budgets.tokens = bounds.tokens;
  budgets.cost_usd = bounds.cost_usd;
  budgets.repairs = bounds.repairs;
  budgets.failures_in_a_direction = bounds.failures_in_a_direction;
  budgets.patience = bounds.patience;
  if (arguments.iterations) budgets.iterations = std::min(budgets.iterations, *arguments.iterations);
  if (arguments.seconds) budgets.seconds = std::min(budgets.seconds, *arguments.seconds);
  if (arguments.gpu_seconds) budgets.gpu_seconds = std::min(budgets.gpu_seconds, *arguments.gpu_seconds);
  if (arguments.patience) budgets.patience = *arguments.patience;
  return budgets;
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Searching {
 public:
  explicit Searching(const Invocation& invocation)
      : invocation_(invocation),
        options_(judge_options(invocation)),
        progress_(std::cerr, progress_style(invocation.arguments, invocation.surroundings)) {
    options_.queue.priority = lease::Priority::search;
  }

  ExitCode run() {
    search::GateEvaluator evaluator(options_, progress_);
    const auto& authority = evaluator.ready().authority;
    search::LoopOptions loop;
    loop.budgets = budgets_of(authority.policy.search, invocation_.arguments);
    auto header = header_of(evaluator);
    const auto proposers = make_proposers(invocation_, authority, options_.seed, header);
    loop.budgets.model = header.bounds.model;
    header.bounds = search::bounds_of(loop.budgets);
    if (const auto no = search::forbids(loop.budgets))
      throw Error(ErrorKind::usage, "kgate search", no->reason, "the policy's [search] bounds it; docs/search.md");

    auto journal = search::journal::Journal::open(folder(), header);
    loop.zone = authority.policy.zone_of(evaluator.subject().name).block;
    loop.briefing = search::common_briefing(evaluator);
    loop.clock = now_s;
    loop.time = [] { return utc_time(std::time(nullptr)); };
    loop.check = [this] { invocation_.interrupt.check(); };
    loop.told = [this](const search::History& history, const auto& line) { tell(history, line); };
    std::vector<search::Proposer*> asked;
    for (const auto& one : proposers) asked.push_back(one.get());
    progress_.phase("search", 0);
    const auto history = search::run_search(journal, evaluator.baseline(), asked, evaluator, loop);
    evaluator.leave();
    return conclude(history, journal.header(), evaluator.baseline());
  }

 private:
  std::filesystem::path folder() const { return std::filesystem::path(invocation_.arguments.out) / "search"; }

  search::journal::Header header_of(const search::GateEvaluator& evaluator) const {
    search::journal::Header header;
    header.kernel = evaluator.subject().name;
    header.baseline = evaluator.baseline().digest;
    header.policy = evaluator.ready().authority.policy_digest;
    header.seed = options_.seed;
    header.tool = kVersion;
    header.started = utc_time(std::time(nullptr));
    return header;
  }

  void tell(const search::History& history, const search::journal::Line& line) {
    const auto* judged = std::get_if<search::journal::Judged>(&line);
    if (judged == nullptr || invocation_.arguments.quiet) return;
    progress_.wait(search::line_of_step(history, history.step(judged->number)));
  }

  ExitCode conclude(const search::History& history, const search::journal::Header& header,
                    const search::Candidate& baseline) {
    std::optional<search::Confirmation> confirmation;
    if (history.best().number != 0) {
      progress_.phase("confirm", 0);
      verdict::Result result;
      const auto tried = static_cast<std::int64_t>(history.steps().size()) - 1;
      confirmation = search::confirm(options_, history.version(history.best().candidate), tried, progress_, result);
    }
    const auto summary = search::summarise(history, header, confirmation);
    search::write_files(folder(), summary, history, baseline);
    write_file_atomic(folder() / "report.html", std::string_view(report::write_search_page(summary)));
    if (invocation_.arguments.format == "json") {
      std::cout << to_json(summary).dump(2) << '\n';
    } else {
      std::cout << report::write_search_text(summary, terminal_width(STDOUT_FILENO));
    }
    return ExitCode::pass;
  }

  const Invocation& invocation_;
  verdict::JudgeOptions options_;
  TerminalProgress progress_;
};

}  // namespace

ExitCode search_better(const Invocation& invocation) {
  return Searching(invocation).run();
}

}  // namespace kgate::cli
