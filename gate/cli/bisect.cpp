#include "gate/verdict/bisect/bisect.h"

#include <iostream>
#include <optional>
#include <set>

#include <unistd.h>

#include "base/error.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/output_folder.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/report/bisection.h"

namespace kgate::cli {
namespace {

// A line a look; what the gate tells of its steps only moves the bar, and what it warns of is said once.
class BisectProgress : public verdict::Progress {
 public:
  explicit BisectProgress(const ProgressStyle& style) : style_(style) { bar_.emplace(std::cerr, style_); }

  void phase(const std::string& what, int total) override {
    if (style_.mode == ProgressStyle::Mode::bar) bar_->phase(what, total);
  }
  void step(const std::string& what) override {
    if (style_.mode == ProgressStyle::Mode::bar) bar_->step(what);
  }
  void slow(const std::string& what, double limit_s) override { bar_->slow(what, limit_s); }
  void done(const verdict::KernelResult&) override {}
  void note(const std::string& line) override {
    if (said_.insert(line).second) bar_->note(line);
  }
  void wait(const std::string& line) override { bar_->wait(line); }
  void look(const std::string& line) {
    if (style_.mode == ProgressStyle::Mode::quiet) return;
    bar_.reset();
    std::cerr << line << std::endl;
    bar_.emplace(std::cerr, style_);
  }

 private:
  ProgressStyle style_;
  std::optional<TerminalProgress> bar_;
  std::set<std::string> said_;
};

void answer(const verdict::Bisection& found, const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.format == "json") {
    std::cout << to_json(found).dump(2) << '\n';
    return;
  }
  std::cout << report::write_bisection(found, {use_color(arguments, invocation.surroundings, STDOUT_FILENO),
                                               terminal_width(STDOUT_FILENO), arguments.quiet});
}

}  // namespace

ExitCode bisect(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const OutputFolder out(arguments.out, "bisect.json");
  out.remove_folder("bisect");
  verdict::Bisection found;
  const auto keep = [&] { out.write("bisect.json", to_json(found).dump(2) + "\n"); };
  try {
    BisectProgress progress(progress_style(arguments, invocation.surroundings));
    verdict::BisectOptions options;
    options.judge = judge_options(invocation);
    options.good = arguments.good;
    options.bad = arguments.bad;
    options.on_visit = [&](const verdict::Visit& look) {
      progress.look(report::write_visit(look, found.measurements));
      keep();
    };
    options.on_measured = [&](const trust::CommitInfo& commit, const verdict::Judgement& judgement) {
      const auto folder = out.path("bisect") / commit.id.substr(0, 10);
      OutputFolder(folder).write(judgement);
      return folder.string();
    };
    verdict::bisect(options, progress, found);
  } catch (const Error& error) {
    // What was found until then is told; then the error goes its way to main.
    found.trouble = error.what();
    found.exit_code = static_cast<int>(exit_code_of(error.kind(), invocation.interrupt.signal()));
    if (!found.looks.empty()) {
      keep();
      answer(found, invocation);
    }
    throw;
  }
  keep();
  answer(found, invocation);
  return static_cast<ExitCode>(found.exit_code);
}

}  // namespace kgate::cli
