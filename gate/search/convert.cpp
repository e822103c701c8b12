#include "gate/search/convert.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utf8.h"

namespace kgate::search {
namespace {

// A reply has at most 1 MiB; who proposes otherwise than by a reply gets some more.
constexpr std::size_t kMostText = 4 << 20, kMostWords = 4000, kMostReason = 4000, kMostLog = 32000;

double counted(double number, double most) {
  return std::isfinite(number) && number > 0 ? std::min(number, most) : 0;
}

// Contents go into the journal as they are, or not at all.
class Contents {
 public:
  std::string take(const std::string& text) {
    bytes_ += text.size();
    if (bytes_ > kMostText) fault_ = "is larger than 4 MiB";
    if (valid_utf8(text) != text) fault_ = "is not UTF-8";
    return fault_.empty() ? text : std::string();
  }
  const std::string& fault() const { return fault_; }

 private:
  std::size_t bytes_ = 0;
  std::string fault_;
};

journal::Part line_of(const Part& part, Contents& contents) {
  journal::Part line;
  line.name = mended(part.name, kMostWords);
  line.hypothesis = mended(part.hypothesis, kMostWords);
  line.risk = mended(part.risk, kMostWords);
  line.expected_gain = counted(part.expected_gain, 1);
  for (const auto& [path, content] : part.files) line.files[contents.take(path)] = contents.take(content);
  for (const auto& [name, value] : part.parameters) line.parameters[contents.take(name)] = contents.take(value);
  for (const Edit& edit : part.edits)
    line.edits.push_back({contents.take(edit.file), contents.take(edit.find), contents.take(edit.replace)});
  return line;
}

Part part_of(const journal::Part& line) {
  Part part{line.name, line.hypothesis, line.expected_gain, line.risk, line.files, {}, line.parameters};
  for (const journal::Edit& edit : line.edits) part.edits.push_back({edit.file, edit.find, edit.replace});
  return part;
}

double figure(double number) {
  if (!std::isfinite(number) || number < 0 || number > 1e15)
    throw Error(ErrorKind::internal, "evaluation", fmt::format("has the figure {}", number));
  return number;
}

// Of what is known too badly no bound is known: a journal has no infinity.
double upper_bound(double number) {
  return figure(std::min(number, 1e6));
}

}  // namespace

std::string mended(const std::string& text, std::size_t most_bytes) {
  constexpr std::string_view kCut = " [cut]";
  if (text.size() <= most_bytes) return valid_utf8(text);
  return valid_utf8(text.substr(0, most_bytes)) + std::string(kCut);
}

journal::Bounds bounds_of(const Budgets& budgets) {
  journal::Bounds bounds;
  bounds.iterations = budgets.iterations;
  bounds.repairs = budgets.repairs;
  bounds.failures_in_a_direction = budgets.failures_in_a_direction;
  bounds.patience = budgets.patience;
  bounds.tokens = budgets.tokens;
  bounds.seconds = budgets.seconds;
  bounds.gpu_seconds = budgets.gpu_seconds;
  bounds.cost_usd = budgets.cost_usd;
  bounds.least_gain = budgets.least_gain;
  bounds.model = budgets.model;
  return bounds;
}

journal::Usage line_of(const Usage& usage) {
  constexpr std::int64_t kMostTokens = 1'000'000'000'000;
  return {std::clamp<std::int64_t>(usage.tokens_in, 0, kMostTokens),
          std::clamp<std::int64_t>(usage.tokens_out, 0, kMostTokens), counted(usage.cost_usd, 1e9),
          counted(usage.seconds, 1e9)};
}

journal::Proposed line_of(const Proposal& proposal) {
  journal::Proposed line;
  line.parent = mended(proposal.parent, 100);
  line.proposer = mended(proposal.proposer, 100);
  line.direction = mended(proposal.direction, 200);
  line.differs = mended(proposal.differs, kMostWords);
  line.model = mended(proposal.model, 200);
  line.prompt = mended(proposal.prompt, 100);
  line.seed = proposal.seed;
  line.temperature = counted(proposal.temperature, 1e6);
  line.usage = line_of(proposal.usage);
  Contents contents;
  for (const Part& part : proposal.parts) line.parts.push_back(line_of(part, contents));
  if (!contents.fault().empty()) {
    line.fault = "the proposal " + contents.fault();
    for (journal::Part& part : line.parts) {
      part.files.clear();
      part.edits.clear();
      part.parameters.clear();
    }
  } else if (line.parts.empty()) {
    line.fault = "the proposal has no part";
  }
  return line;
}

Proposal proposal_of(const journal::Proposed& line) {
  Proposal proposal;
  proposal.proposer = line.proposer;
  proposal.parent = line.parent;
  proposal.direction = line.direction;
  for (const journal::Part& part : line.parts) proposal.parts.push_back(part_of(part));
  proposal.differs = line.differs;
  proposal.model = line.model;
  proposal.prompt = line.prompt;
  proposal.seed = line.seed;
  proposal.temperature = line.temperature;
  proposal.usage = {line.usage.tokens_in, line.usage.tokens_out, line.usage.cost_usd, line.usage.seconds};
  return proposal;
}

journal::Judged line_of(const Evaluation& evaluation) {
  journal::Judged line;
  line.outcome = name_of(evaluation.outcome);
  line.reason = mended(evaluation.reason, kMostReason);
  line.log = mended(evaluation.log, kMostLog);
  line.quick = evaluation.quick;
  line.score = figure(evaluation.score);
  line.low = figure(evaluation.score_low);
  line.high = upper_bound(evaluation.score_high);
  for (const CaseTime& one : evaluation.cases) {
    line.cases.push_back({one.name, figure(one.weight), figure(one.us), figure(one.baseline_us), figure(one.floor_us),
                          figure(one.ratio), figure(one.low), upper_bound(one.high)});
  }
  line.resources = evaluation.resources;
  line.compile_s = figure(evaluation.cost.compile_s);
  line.gpu_s = figure(evaluation.cost.gpu_s);
  return line;
}

Evaluation evaluation_of(const journal::Judged& line) {
  Evaluation evaluation;
  evaluation.outcome = outcome_of(line.outcome).value_or(Outcome::environment);
  evaluation.reason = line.reason;
  evaluation.log = line.log;
  evaluation.quick = line.quick;
  evaluation.score = line.score;
  evaluation.score_low = line.low;
  evaluation.score_high = line.high;
  for (const journal::CaseFigure& one : line.cases) {
    evaluation.cases.push_back(
        {one.name, one.weight, one.us, one.baseline_us, one.floor_us, one.ratio, one.low, one.high});
  }
  evaluation.resources = line.resources;
  evaluation.cost = {line.compile_s, line.gpu_s};
  return evaluation;
}

}  // namespace kgate::search
