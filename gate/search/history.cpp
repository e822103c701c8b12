#include "gate/search/history.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/search/ablation.h"
#include "gate/search/candidate.h"
#include "gate/search/convert.h"

namespace kgate::search {

bool tunes_alone(const Proposal& proposal) {
  return std::all_of(proposal.parts.begin(), proposal.parts.end(),
                     [](const Part& part) { return part.files.empty() && part.edits.empty(); });
}

History::History(Candidate baseline, const Budgets& budgets) : baseline_(std::move(baseline)), budgets_(budgets) {
  Step& first = steps_.emplace_back();
  first.candidate = baseline_.digest;
  first.evaluation.outcome = Outcome::open;
  remember(first, baseline_);
}

void History::take(const journal::Line& line) {
  std::visit([&](const auto& one) { take_one(one); }, line);
}

Step History::resolved(const journal::Proposed& line) const {
  Step step;
  step.number = line.number;
  step.iteration = line.iteration;
  step.repair_of = line.repair_of;
  step.ablation_of = line.ablation_of;
  step.proposal = proposal_of(line);
  step.fault = line.fault;
  step.wall_s = line.wall_s;
  step.evaluation.outcome = Outcome::open;
  made_by(step);
  return step;
}

// What version it is: a function of the lines before it, so that no file but the journal and the baseline is needed.
std::optional<Candidate> History::made_by(Step& step) const {
  if (!step.fault.empty()) return std::nullopt;
  const std::string& parent = step.proposal.parent;
  const auto found = tried_.find(parent);
  if (found == tried_.end() || versions_.count(parent) == 0) {
    step.fault = fmt::format("its parent {} is no version that was tried", kgate::quoted(parent));
    return std::nullopt;
  }
  const Step& from = this->step(found->second);
  if (from.evaluation.outcome == Outcome::suspect) {
    step.fault = fmt::format("its parent {} was caught cheating", parent.substr(0, 12));
    return std::nullopt;
  }
  Applied applied = apply(step.proposal, version(parent));
  step.fault = std::move(applied.fault);
  if (!applied.candidate) return std::nullopt;
  step.candidate = applied.candidate->digest;
  for (const std::string& known : {step.candidate, likeness_of(*applied.candidate)}) {
    const auto before = tried_.find(known);
    if (before != tried_.end() && step.same_as < 0) step.same_as = before->second;
  }
  return std::move(applied.candidate);
}

void History::take_one(const journal::Proposed& line) {
  Step step = resolved(line);
  if (step.candidate != line.candidate) {
    throw Error(ErrorKind::usage, fmt::format("the search's journal, proposal {}", line.number),
                fmt::format("gives the version {}, and not {} as it says",
                            step.candidate.empty() ? "\"\"" : step.candidate.substr(0, 12),
                            kgate::quoted(line.candidate.substr(0, 12))),
                "it was changed, or another kgate wrote it: begin anew with an empty folder");
  }
  if (const auto candidate = made_by(step)) remember(step, *candidate);
  if (line.ablation_of == 0) {
    count(line.proposer, line.usage);
    ++asked_[line.proposer].proposals;
  }
  spent_.iterations = std::max(spent_.iterations, line.iteration);
  spent_.seconds = line.wall_s;
  stopped_.reset();
  steps_.push_back(std::move(step));
}

void History::remember(const Step& step, const Candidate& candidate) {
  tried_.emplace(candidate.digest, step.number);
  tried_.emplace(likeness_of(candidate), step.number);
  Version& version = versions_[candidate.digest];
  version.parameters = candidate.parameters;
  for (const auto& [path, content] : candidate.files) {
    const auto same = baseline_.files.find(path);
    if (same == baseline_.files.end() || same->second != content) version.changed[path] = content;
  }
}

void History::take_one(const journal::Judged& line) {
  Step& step = steps_[static_cast<std::size_t>(line.number)];
  step.evaluation = evaluation_of(line);
  step.repairable = line.repairable;
  spent_.gpu_seconds += line.gpu_s;
  spent_.compile_seconds += line.compile_s;
  spent_.seconds = line.wall_s;
  const Outcome outcome = step.evaluation.outcome;
  machine_failures_ = outcome == Outcome::environment ? machine_failures_ + 1 : 0;
  const bool turned_away = outcome == Outcome::refused && !closed(step.proposal).empty();
  if (outcome == Outcome::environment || turned_away) {
    // Nothing is known of it: it may come again.
    std::erase_if(tried_, [&](const auto& one) { return one.second == step.number && step.number != 0; });
  }
  if (outcome == Outcome::better) {
    if (step.candidate.empty())
      throw Error(ErrorKind::usage, fmt::format("proposal {}", step.number),
                  "is said to be better and could not be applied: somebody edited this journal",
                  "give the search a folder of its own, or remove this one");
    best_ = step.number;
    // What failed did so beside another version.
    for (auto& [name, direction] : directions_) direction.failures = 0;
  }
  if (outcome == Outcome::suspect && !step.proposal.direction.empty() && !tunes_alone(step.proposal)) {
    std::string& closed = directions_[step.proposal.direction].closed;
    if (closed.empty()) closed = fmt::format("proposal {} was caught cheating", step.number);
  }
  end_rounds();
}

void History::take_one(const journal::Unanswered& line) {
  count(line.proposer, line.usage);
  ++asked_[line.proposer].unanswered;
  spent_.seconds = line.wall_s;
  if (line.repair_of != 0) {
    steps_[static_cast<std::size_t>(line.repair_of)].repair_refused = true;
  } else {
    out_[line.proposer] = {line.refusal, line.reason};
  }
  end_rounds();
}

void History::take_one(const journal::Resumed& line) {
  spent_.seconds = line.wall_s;
  // It had ended: a server may be there again, and a budget may be larger. One that was killed goes on as it was.
  if (stopped_) std::erase_if(out_, [](const auto& one) { return one.second.kind != "exhausted"; });
  stopped_.reset();
}

void History::take_one(const journal::Stopped& line) {
  spent_.seconds = line.wall_s;
  stopped_ = line;
}

void History::count(const std::string& proposer, const journal::Usage& usage) {
  journal::ProposerCost& cost = asked_[proposer];
  cost.tokens_in += usage.tokens_in;
  cost.tokens_out += usage.tokens_out;
  cost.cost_usd += usage.cost_usd;
  cost.seconds += usage.seconds;
  spent_.tokens += usage.tokens_in + usage.tokens_out;
  spent_.cost_usd += usage.cost_usd;
}

Candidate History::version(const std::string& digest) const {
  const Version& version = versions_.at(digest);
  Candidate candidate = baseline_;
  candidate.digest = digest;
  candidate.parameters = version.parameters;
  for (const auto& [path, content] : version.changed) candidate.files[path] = content;
  return candidate;
}

std::map<std::string, std::string> History::parameters(const Step& step) const {
  const auto version = versions_.find(step.candidate);
  return version == versions_.end() ? std::map<std::string, std::string>{} : version->second.parameters;
}

std::vector<const Step*> History::trials(const Step& step) const {
  std::vector<const Step*> found;
  for (const Step& one : steps_) {
    if (one.ablation_of == step.number && one.number != 0) found.push_back(&one);
  }
  return found;
}

std::string History::closed(const Proposal& proposal) const {
  const auto found = directions_.find(proposal.direction);
  if (found == directions_.end() || tunes_alone(proposal)) return {};
  const Direction& direction = found->second;
  if (!direction.closed.empty())
    return fmt::format("the direction {} is closed: {}", kgate::quoted(proposal.direction), direction.closed);
  if (budgets_.failures_in_a_direction > 0 && direction.failures >= budgets_.failures_in_a_direction) {
    return fmt::format("the direction {} is paused until there is a new best: its last {} candidates did not compile",
                       kgate::quoted(proposal.direction), direction.failures);
  }
  return {};
}

std::int64_t History::repairs_of(std::int64_t iteration) const {
  return std::count_if(steps_.begin(), steps_.end(),
                       [&](const Step& one) { return one.iteration == iteration && one.repair_of != 0; });
}

bool History::repair_due(const Step& step) const {
  const auto gone = out_.find(step.proposal.proposer);
  if (gone != out_.end() && gone->second.kind != "exhausted") return false;
  const auto repairs_it = [&](const Step& one) { return one.repair_of == step.number; };
  return step.number != 0 && !step.is_open() && step.repairable && !step.repair_refused && step.ablation_of == 0 &&
         repairs_of(step.iteration) < budgets_.repairs && std::none_of(steps_.begin(), steps_.end(), repairs_it);
}

bool History::is_done(std::int64_t iteration) const {
  return std::none_of(steps_.begin(), steps_.end(), [&](const Step& one) {
    return one.iteration == iteration && (one.is_open() || repair_due(one) || due_trial(*this, one));
  });
}

void History::end_rounds() {
  for (std::int64_t iteration = 1; iteration <= spent_.iterations; ++iteration) {
    if (done_.count(iteration) == 0 && is_done(iteration)) end_round(iteration);
  }
}

void History::end_round(std::int64_t iteration) {
  done_.insert(iteration);
  const Step* last = nullptr;  // of its repairs
  for (const Step& one : steps_) {
    if (one.iteration == iteration && one.ablation_of == 0) last = &one;
  }
  const Outcome outcome = last->evaluation.outcome;
  if (outcome == Outcome::environment) return;
  rounds_.push_back(best().evaluation.score);
  if (last->proposal.direction.empty() || tunes_alone(last->proposal)) return;
  // A refusal or a repetition says nothing about whether the idea compiles.
  std::int64_t& failures = directions_[last->proposal.direction].failures;
  if (outcome == Outcome::does_not_compile)
    ++failures;
  else if (outcome != Outcome::refused && outcome != Outcome::duplicate)
    failures = 0;
}

}  // namespace kgate::search
