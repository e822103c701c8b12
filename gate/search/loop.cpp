#include "gate/search/loop.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/search/brief.h"
#include "gate/search/convert.h"
#include "gate/search/next.h"
#include "gate/search/score.h"

// The order of things is next.cpp's, the memory is history.cpp's; what is left here is to do what is said and to write
// it down. A proposal is written before it is judged, and its judgement by another line: a process killed between the
// two judges again, which costs GPU time, and never asks again, which costs money.
namespace kgate::search {
namespace {

bool is_repairable(Outcome outcome) {
  return outcome == Outcome::does_not_compile || outcome == Outcome::wrong || outcome == Outcome::infeasible ||
         outcome == Outcome::refused;
}

std::string_view name_of(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::exhausted:
      return "exhausted";
    case Refusal::Kind::budget:
      return "budget";
    case Refusal::Kind::unavailable:
      break;
  }
  return "unavailable";
}

class Loop {
 public:
  Loop(journal::Journal& journal, const Candidate& baseline, const std::vector<Proposer*>& proposers,
       Evaluator& evaluator, const LoopOptions& options)
      : journal_(journal),
        proposers_(proposers),
        evaluator_(evaluator),
        options_(options),
        history_(baseline, options.budgets),
        begun_(options.clock()) {
    for (const Proposer* one : proposers) facts_.push_back({one->name(), one->ahead()});
  }

  History run() {
    for (const journal::Line& line : journal_.recorded()) history_.take(line);
    seconds_before_ = history_.spent().seconds;
    if (is_finished()) return std::move(history_);
    if (!journal_.recorded().empty()) write(journal::Resumed{options_.time(), bounds_of(options_.budgets), seconds()});
    while (!history_.stopped()) {
      if (options_.check) options_.check();
      std::visit([&](const auto& action) { act(action); }, next_action(history_, facts_, seconds()));
    }
    return std::move(history_);
  }

 private:
  double seconds() const { return seconds_before_ + std::max(0.0, options_.clock() - begun_); }

  // It ended by itself, with the budgets that it has now, and not for want of an answer that may come now.
  bool is_finished() const {
    if (!history_.stopped()) return false;
    if (history_.stopped()->why == name_of(StopReason::unanswered)) return false;
    journal::Resumed then{{}, journal_.header().bounds, 0}, now{{}, bounds_of(options_.budgets), 0};
    for (const journal::Line& line : journal_.recorded()) {
      if (const auto* resumed = std::get_if<journal::Resumed>(&line)) then.bounds = resumed->bounds;
    }
    return journal::to_json(then) == journal::to_json(now);
  }

  void write(const journal::Line& line) {
    journal_.append(line);
    history_.take(line);
    if (options_.told) options_.told(history_, line);
  }

  void act(const Stop& stop) {
    write(journal::Stopped{std::string(search::name_of(stop.why)), mended(stop.reason, 4000), seconds()});
  }

  void act(const Ask& ask) {
    Proposer& proposer = *proposers_[ask.proposer];
    prepare_open();
    Reply reply = proposer.propose(briefing(options_.budgets.repairs));
    if (!reply.proposal) return unanswered(proposer, 0, reply);
    propose(std::move(*reply.proposal), proposer, reply.usage, {history_.spent().iterations + 1, 0, 0});
  }

  void act(const Repair& repair) {
    const Step& failed = history_.step(repair.number);
    const auto named = [&](const Proposer* one) { return one->name() == failed.proposal.proposer; };
    const auto found = std::find_if(proposers_.begin(), proposers_.end(), named);
    if (found == proposers_.end()) {
      Reply nobody;
      nobody.refusal = {Refusal::Kind::unavailable, "its proposer is not there any more"};
      return write(unanswered_line(failed.proposal.proposer, failed.number, nobody));
    }
    const std::string complaint =
        failed.evaluation.reason + (failed.evaluation.log.empty() ? "" : "\n" + failed.evaluation.log);
    prepare_open();
    Reply reply = (*found)->repair(briefing(options_.budgets.repairs - history_.repairs_of(failed.iteration)),
                                   failed.proposal, complaint);
    if (!reply.proposal) return unanswered(**found, failed.number, reply);
    propose(std::move(*reply.proposal), **found, reply.usage, {failed.iteration, failed.number, 0});
  }

  void act(const Try& trial) {
    const Step& whole = history_.step(trial.number);
    Proposal some = whole.proposal;
    some.parts.clear();
    some.usage = {};
    for (const std::size_t part : trial.parts) some.parts.push_back(whole.proposal.parts[part]);
    propose(some, {whole.iteration, 0, whole.number});
  }

  void act(const Judge& judge) {
    prepare_open();
    const Step& step = history_.step(judge.number);
    journal::Judged line = line_of(evaluation_of(step));
    line.number = step.number;
    const bool turned_away = step.fault.empty() && (!history_.closed(step.proposal).empty() || step.same_as >= 0);
    line.repairable = step.number != 0 && !turned_away && is_repairable(outcome_of(line.outcome).value());
    line.wall_s = seconds();
    write(line);
  }

  // Where a proposal stands among the others.
  struct Place {
    std::int64_t iteration, repair_of, ablation_of;
  };

  void propose(Proposal proposal, const Proposer& proposer, const Usage& usage, const Place& place) {
    proposal.proposer = proposer.name();
    proposal.usage = usage;
    propose(proposal, place);
  }

  void propose(const Proposal& proposal, const Place& place) {
    journal::Proposed line = line_of(proposal);
    line.number = static_cast<std::int64_t>(history_.steps().size());
    line.iteration = place.iteration;
    line.repair_of = place.repair_of;
    line.ablation_of = place.ablation_of;
    if (line.parent.empty()) line.parent = history_.baseline().digest;
    line.wall_s = seconds();
    line.candidate = history_.resolved(line).candidate;
    write(line);
    prepare_open();
  }

  void unanswered(const Proposer& proposer, std::int64_t repair_of, const Reply& reply) {
    write(unanswered_line(proposer.name(), repair_of, reply));
  }

  journal::Unanswered unanswered_line(const std::string& proposer, std::int64_t repair_of, const Reply& reply) const {
    return {proposer,
            repair_of,
            std::string(name_of(reply.refusal.kind)),
            mended(reply.refusal.reason, 4000),
            line_of(reply.usage),
            seconds()};
  }

  // What is judged without an evaluation; nothing: it needs one.
  std::optional<Evaluation> judged_at_sight(const Step& step) const {
    Evaluation result;
    result.outcome = Outcome::refused;
    result.reason = step.fault;
    if (!result.reason.empty()) return result;
    result.reason = history_.closed(step.proposal);
    if (!result.reason.empty()) return result;
    if (step.same_as < 0) return std::nullopt;
    result.outcome = Outcome::duplicate;
    const Evaluation& before = history_.step(step.same_as).evaluation;
    result.reason = step.same_as == 0
                        ? "it is the baseline"
                        : fmt::format("it is proposal {} once more, which {}", step.same_as,
                                      before.outcome == Outcome::open
                                          ? "is not judged yet"
                                          : fmt::format("was judged: {}", search::name_of(before.outcome)));
    return result;
  }

  Evaluation evaluation_of(const Step& step) {
    if (auto result = judged_at_sight(step)) return *result;
    const double gpu_left = options_.budgets.gpu_seconds - history_.spent().gpu_seconds;
    const Step& best = history_.best();
    const Candidate best_version = history_.version(best.candidate);
    Evaluation result = evaluator_.evaluate(history_.version(step.candidate), {best_version, best.evaluation},
                                            {options_.budgets.seconds - seconds(), gpu_left});
    if (result.outcome == Outcome::open) throw Error(ErrorKind::internal, "evaluation", "says that it is still open");
    if (result.outcome != Outcome::slower && result.outcome != Outcome::better) return result;
    if (result.cases.empty()) {
      result.outcome = Outcome::environment;
      result.reason = "no case was timed";
      return result;
    }
    const stats::Interval score = score_of(result.cases);
    result.score = score.ratio;
    result.score_low = score.low;
    result.score_high = score.high;
    const Judgement judgement = step.number == 0 ? Judgement{true, "the version to begin with"}
                                                 : judge(result, history_.best().evaluation, options_.zone);
    result.outcome = judgement.better ? Outcome::better : Outcome::slower;
    result.reason = judgement.reason + (result.reason.empty() ? "" : "; " + result.reason);
    return result;
  }

  Briefing briefing(std::int64_t repairs_left) {
    const Step& best = history_.best();
    if (options_.bottleneck && bottleneck_of_ != best.candidate) {
      bottleneck_ = options_.bottleneck(history_.version(best.candidate));
      bottleneck_of_ = best.candidate;
    }
    Briefing briefing = brief(history_, options_.briefing, seconds());
    if (options_.bottleneck) briefing.bottleneck = bottleneck_;
    briefing.repairs_left = repairs_left;
    return briefing;
  }

  // Whatever waits for its evaluation is compiled meanwhile; in a resumed search that is what the killed one left open.
  void prepare_open() {
    for (const Step& step : history_.steps()) {
      if (!step.is_open() || step.number == 0 || !prepared_.insert(step.number).second || judged_at_sight(step))
        continue;
      evaluator_.prepare(history_.version(step.candidate));
    }
  }

  journal::Journal& journal_;
  const std::vector<Proposer*>& proposers_;
  Evaluator& evaluator_;
  const LoopOptions& options_;
  History history_;
  std::vector<ProposerFacts> facts_;
  std::set<std::int64_t> prepared_;
  std::string bottleneck_, bottleneck_of_;
  double begun_ = 0, seconds_before_ = 0;
};

}  // namespace

History run_search(journal::Journal& journal, const Candidate& baseline, const std::vector<Proposer*>& proposers,
                   Evaluator& evaluator, const LoopOptions& options) {
  return Loop(journal, baseline, proposers, evaluator, options).run();
}

History replay(const journal::Recorded& recorded, const Candidate& baseline, const Budgets& budgets) {
  History history(baseline, budgets);
  for (const journal::Line& line : recorded.lines) history.take(line);
  return history;
}

}  // namespace kgate::search
