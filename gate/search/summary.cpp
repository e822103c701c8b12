#include "gate/search/summary.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "gate/search/candidate.h"
#include "gate/search/convert.h"
#include "gate/search/score.h"
#include "gate/trust/diff.h"

namespace kgate::search {
namespace {

journal::Row row_of(const History& history, const Step& step) {
  const journal::Judged judged = line_of(step.evaluation);
  journal::Row row;
  row.number = step.number;
  row.iteration = step.iteration;
  row.repair_of = step.repair_of;
  row.ablation_of = step.ablation_of;
  row.candidate = step.candidate;
  row.parent = step.proposal.parent;
  row.proposer = step.proposal.proposer;
  row.model = step.proposal.model;
  row.direction = step.proposal.direction;
  for (const Part& part : step.proposal.parts) row.hypotheses.push_back(part.hypothesis);
  row.parameters = history.parameters(step);
  row.outcome = judged.outcome;
  row.reason = judged.reason;
  row.quick = judged.quick;
  row.score = judged.score;
  row.low = judged.low;
  row.high = judged.high;
  row.cases = judged.cases;
  row.tokens = step.proposal.usage.tokens_in + step.proposal.usage.tokens_out;
  row.cost_usd = step.proposal.usage.cost_usd;
  row.compile_s = judged.compile_s;
  row.gpu_s = judged.gpu_s;
  row.wall_s = step.wall_s;
  return row;
}

journal::PayBack pay_back_of(const Summary& summary, double usd_per_gpu_hour) {
  journal::PayBack result;
  result.usd_per_gpu_hour = usd_per_gpu_hour;
  result.usd = summary.costs.cost_usd + summary.costs.gpu_s / 3600 * usd_per_gpu_hour;
  double weights = 0;
  for (const journal::CaseFigure& one : summary.winner().cases) {
    result.saved_us += one.weight * (one.baseline_us - one.us);
    weights += one.weight;
  }
  result.saved_us = weights > 0 && summary.best != 0 ? result.saved_us / weights : 0;
  const double usd_a_launch = result.saved_us * 1e-6 / 3600 * usd_per_gpu_hour;
  if (usd_a_launch > 0) result.launches_a_month = result.usd / usd_a_launch;
  return result;
}

// git's own form for a file that was not there.
std::string created(std::string diff, const std::string& path) {
  const std::string before = "--- a/" + path + "\n";
  const std::size_t at = diff.find(before);
  if (at != std::string::npos && diff.find("new file mode") == std::string::npos)
    diff.replace(at, before.size(), "new file mode 100644\n--- /dev/null\n");
  return diff;
}

std::string translation_unit(const Candidate& winner) {
  const auto sources = spec_of(winner).sources.sources;
  if (sources.size() == 1) return winner.files.at(sources.front());
  std::string text;
  for (const std::string& path : sources) text += "// ---- " + path + "\n" + winner.files.at(path);
  return text;
}

}  // namespace

Summary summarise(const History& history, const journal::Header& header, const std::vector<Replayed>& replayed,
                  double usd_per_gpu_hour) {
  Summary summary;
  summary.header = header;
  summary.header.bounds = bounds_of(history.budgets());
  summary.stopped = history.stopped();
  for (const Step& step : history.steps()) summary.rows.push_back(row_of(history, step));
  summary.rows.front().proposer = "baseline";
  summary.best = history.best().number;
  const Spent& spent = history.spent();
  summary.costs = {history.asked(),       spent.tokens,      spent.cost_usd,
                   spent.compile_seconds, spent.gpu_seconds, spent.seconds};
  if (!replayed.empty()) summary.confirmation = replayed.front().confirmation;
  if (!replayed.empty() && replayed.back().confirmation.better) {
    summary.best = replayed.back().number;
    summary.confirmation = replayed.back().confirmation;
    for (std::size_t i = 0; i + 1 < replayed.size(); ++i) {
      const auto& [number, confirmation] = replayed[i];
      summary.passed_over.push_back({number, confirmation.verdict, confirmation.reason});
    }
  }
  summary.pay_back = pay_back_of(summary, usd_per_gpu_hour);
  return summary;
}

std::string line_of_step(const History& history, const Step& step) {
  const Evaluation& evaluation = step.evaluation;
  std::string line =
      step.number == 0 ? "the baseline" : fmt::format("proposal {}, {}", step.number, step.proposal.proposer);
  if (!step.proposal.direction.empty()) line += ", " + kgate::quoted(step.proposal.direction);
  line += fmt::format(": {}", step.number == 0 && is_timed(evaluation) ? "timed" : name_of(evaluation.outcome));
  if (is_timed(evaluation) && step.number != 0) line += fmt::format(" {:+.1f} %", 100 * (evaluation.score - 1));
  if (step.number == history.best().number && step.number != 0) line += ", the best so far";
  if (!is_timed(evaluation) && !evaluation.reason.empty()) line += ", " + kgate::quoted(evaluation.reason);
  return line;
}

std::string patch_of(const Candidate& baseline, const Candidate& winner) {
  std::string patch;
  for (const auto& [path, content] : winner.files) {
    const auto before = baseline.files.find(path);
    const bool is_new = before == baseline.files.end();
    std::string diff = trust::unified_diff(path, is_new ? ByteView() : view_of(before->second), view_of(content));
    patch += is_new ? created(std::move(diff), path) : diff;
  }
  return patch;
}

bool is_refuted(const Confirmation& confirmation) {
  return confirmation.verdict == name_of(Outcome::wrong) || confirmation.verdict == name_of(Outcome::suspect);
}

void remove_winner(const std::filesystem::path& folder) {
  for (const char* name : {"best.patch", "best.kernel.toml", "best.cu", "best.cpp", "best.ptx", "best.cubin"}) {
    std::error_code failed;
    std::filesystem::remove(folder / name, failed);
    if (failed) throw system_error((folder / name).string(), "an older one cannot be removed", failed.value());
  }
}

void write_files(const std::filesystem::path& folder, const Summary& summary, const History& history,
                 const Candidate& baseline) {
  write_file_atomic(folder / "summary.json", std::string_view(journal::to_json(summary).dump(2) + "\n"));
  // What another search left would pass for this one's.
  remove_winner(folder);
  if (summary.best == 0 || (summary.confirmation && is_refuted(*summary.confirmation))) return;
  const Candidate winner = history.version(history.step(summary.best).candidate);
  const std::string name = "best" + std::filesystem::path(spec_of(winner).sources.sources.front()).extension().string();
  write_file_atomic(folder / name, std::string_view(translation_unit(winner)));
  write_file_atomic(folder / "best.kernel.toml", std::string_view(winner.files.at(winner.path)));
  write_file_atomic(folder / "best.patch", std::string_view(patch_of(baseline, winner)));
}

}  // namespace kgate::search
