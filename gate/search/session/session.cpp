#include "gate/search/session/session.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/utc.h"
#include "gate/report/search/page.h"
#include "gate/search/convert.h"
#include "gate/search/evaluate/bottleneck.h"
#include "gate/search/evaluate/common_briefing.h"
#include "gate/search/evaluate/gate_evaluator.h"
#include "gate/search/evaluate/replay.h"
#include "gate/search/loop.h"
#include "gate/search/score.h"
#include "gate/search/session/proposers.h"
#include "gate/search/summary.h"
#include "gate/verdict/preparation.h"

namespace kgate::search {
namespace {

constexpr std::size_t kMostReplays = 3;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Budgets without_model(Budgets budgets) {
  budgets.model = false;
  return budgets;
}

// Those that were the best, the last one first; then those that were right and timed beside a best one that may not
// hold, the fastest first.
std::vector<const Step*> worth_a_replay(const History& history) {
  std::vector<const Step*> best, others;
  for (const Step& step : history.steps()) {
    if (step.number == 0 || !is_timed(step.evaluation)) continue;
    if (step.evaluation.outcome == Outcome::better) best.insert(best.begin(), &step);
    if (step.evaluation.outcome == Outcome::slower && step.evaluation.score_high < 1) others.push_back(&step);
  }
  if (best.empty()) return {};
  std::stable_sort(others.begin(), others.end(),
                   [](const Step* a, const Step* b) { return a->evaluation.score < b->evaluation.score; });
  best.insert(best.end(), others.begin(), others.end());
  return best;
}

class Session {
 public:
  Session(const SessionOptions& options, verdict::Progress& progress)
      : options_(options),
        progress_(progress),
        ready_(options.judge, progress, judgement_),
        policy_(read_policy()),
        proposers_(policy_.search, *ready_.authority.tree, proposer_options()),
        budgets_(budgets_of(bounds(), options.limits, proposers_.ask_a_model())),
        evaluator_(options.judge, allowed(ready_)),
        journal_(journal::Journal::open(options.folder, header())) {}

  journal::Summary run() {
    const auto found = proposers_.begin(journal_.header().seed);
    try {
      const History history = run_search(journal_, evaluator_.baseline(), found, evaluator_, loop_options());
      evaluator_.leave();
      return write(history, replayed(history));
    } catch (const Error& error) {
      // What is known until then is worth reading, and the journal has all of it.
      write(replay(journal::read_journal(journal_.path()), evaluator_.baseline(), budgets_), {});
      if (error.kind() == ErrorKind::interrupted)
        throw Error(error.kind(), error.subject(), error.fact(), "the same command goes on with this search");
      throw;
    }
  }

 private:
  const trust::Policy& read_policy() {
    ready_.read_policy();
    return ready_.policy();
  }

  const trust::SearchBounds& bounds() const { return policy_.search; }

  std::vector<std::string> names() const {
    return options_.proposers.empty() ? bounds().proposers : options_.proposers;
  }

  ProposerOptions proposer_options() const {
    ProposerOptions proposers;
    proposers.names = names();
    proposers.key = options_.key;
    proposers.environment = options_.judge.environment;
    proposers.interrupt = options_.judge.interrupt;
    proposers.feasible = [this](const Briefing& briefing, const std::map<std::string, std::string>& values) {
      const std::string& path = evaluator_.subject().path;
      cases::KernelSpec spec = cases::parse_kernel(briefing.sources.at(path), path);
      for (const auto& [name, value] : values) spec.sources.defines[name] = value;
      return evaluator_.builder().without_room(spec).empty();
    };
    return proposers;
  }

  // Before the device is asked for.
  verdict::Preparation& allowed(verdict::Preparation& ready) const {
    if (const auto stop = forbids(budgets_)) {
      throw Error(ErrorKind::usage, "kgate search", stop->reason,
                  options_.limits.narrow_only ? "the policy's [search] has to allow it"
                  : !forbids(without_model(budgets_))
                      ? "write tokens and cost_usd into the policy, or type --tokens 500000 --cost-usd 2"
                      : "write it into the policy, or type --iterations 60 (and --seconds, --gpu-seconds)");
    }
    const auto narrowed = [&](const char* flag, const auto& typed, const auto& allowed) {
      if (typed && *typed > allowed)
        progress_.note(fmt::format("{} {}: the policy allows {}, and in a CI job that holds", flag, *typed, allowed));
    };
    if (options_.limits.narrow_only) {
      narrowed("--iterations", options_.limits.iterations, budgets_.iterations);
      narrowed("--seconds", options_.limits.seconds, budgets_.seconds);
      narrowed("--gpu-seconds", options_.limits.gpu_seconds, budgets_.gpu_seconds);
      narrowed("--tokens", options_.limits.tokens, budgets_.tokens);
      narrowed("--cost-usd", options_.limits.cost_usd, budgets_.cost_usd);
    }
    journal::Journal::check_free(options_.folder);
    return ready;
  }

  journal::Header header() const {
    journal::Header header;
    header.kernel = evaluator_.subject().name;
    header.baseline = evaluator_.baseline().digest;
    // Figures of two suites of cases do not go together either.
    header.policy =
        sha256_hex(bytes_of(ready_.authority.policy_digest + " " + ready_.suite.subjects.front().cases_digest));
    header.seed = options_.judge.seed;
    header.bounds = bounds_of(budgets_);
    header.proposers = names();
    header.prompts = proposers_.prompts();
    header.tool = options_.judge.version;
    header.started = options_.started;
    return header;
  }

  LoopOptions loop_options() {
    LoopOptions loop;
    loop.budgets = budgets_;
    loop.zone = ready_.policy().zone_of(evaluator_.subject().name).block;
    loop.briefing = common_briefing(evaluator_);
    // The tuner has no use for it, and counters take seconds of the GPU for each new best.
    const auto listed = names();
    if (std::any_of(listed.begin(), listed.end(), [](const std::string& name) { return name != "tuner"; }))
      loop.bottleneck = [this](const Candidate& best) { return bottleneck_of(evaluator_, best_found_, best).text; };
    loop.clock = now_s;
    loop.time = [] { return utc_time(std::time(nullptr)); };
    loop.check = [this] {
      if (options_.judge.interrupt != nullptr) options_.judge.interrupt->check();
    };
    loop.told = [this](const History& history, const journal::Line& line) { tell(history, line); };
    return loop;
  }

  void tell(const History& history, const journal::Line& line) {
    best_found_ = history.best().evaluation;
    if (!options_.told) return;
    if (const auto* judged = std::get_if<journal::Judged>(&line))
      options_.told(line_of_step(history, history.step(judged->number)));
    const auto* unanswered = std::get_if<journal::Unanswered>(&line);
    if (unanswered != nullptr && (unanswered->repair_of == 0 || unanswered->refusal != "exhausted"))
      options_.told(fmt::format("{}: {}: {}", unanswered->proposer, unanswered->refusal, unanswered->reason));
  }

  // The best one is judged anew. Where it does not hold (it remembers its inputs, and nobody had the time to notice),
  // there were others.
  std::vector<Replayed> replayed(const History& history) {
    std::vector<Replayed> found;
    const auto tried = static_cast<std::int64_t>(history.steps().size()) - 1;
    for (const Step* step : worth_a_replay(history)) {
      if (found.size() == kMostReplays) break;
      progress_.phase("confirm", 0);
      verdict::Result result;
      found.push_back({step->number, confirm(options_.judge, evaluator_.baseline(), history.version(step->candidate),
                                             tried, progress_, result)});
      const std::string& verdict = found.back().confirmation.verdict;
      if (!is_refuted(found.back().confirmation) && verdict != name_of(verdict::Verdict::inconclusive)) break;
    }
    return found;
  }

  journal::Summary write(const History& history, const std::vector<Replayed>& replayed) const {
    auto summary = summarise(history, journal_.header(), replayed, options_.usd_per_gpu_hour);
    write_files(options_.folder, summary, history, evaluator_.baseline());
    write_file_atomic(options_.folder / "report.html", std::string_view(report::write_search_page(summary)));
    return summary;
  }

  const SessionOptions& options_;
  verdict::Progress& progress_;
  verdict::Judgement judgement_;
  verdict::Preparation ready_;
  const trust::Policy& policy_;  // once it is read: what follows needs it
  Proposers proposers_;
  Budgets budgets_;
  GateEvaluator evaluator_;
  journal::Journal journal_;
  Evaluation best_found_;
};

}  // namespace

journal::Summary run_session(const SessionOptions& options, verdict::Progress& progress) {
  return Session(options, progress).run();
}

void forget_search(const std::filesystem::path& folder) {
  journal::Journal::check_free(folder);
  remove_winner(folder);
  for (const char* name : {"journal.jsonl", "summary.json", "report.html"}) {
    std::error_code failed;
    std::filesystem::remove(folder / name, failed);
    if (failed) throw system_error((folder / name).string(), "an older search cannot be removed", failed.value());
  }
}

}  // namespace kgate::search
