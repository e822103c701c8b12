#include "gate/verdict/timing/experiment.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "base/philox.h"
#include "gate/verdict/check/second_try.h"
#include "gate/verdict/timing/parts.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kOrderStream = 0x6f72646572;  // of no case
constexpr int kMostRepeats = 3;                       // of a suite that was disturbed

// The cases of one kernel.
class KernelExperiment {
 public:
  KernelExperiment(const TimeJob& job, const TimeOptions& options, std::int64_t decisions)
      : job_(job), options_(options), decisions_(decisions) {
    for (const auto* one : cases_for(*job.subject, options.backend)) {
      if (one->role == cases::CaseRole::performance) cases_.emplace_back(job, options, *one, decisions);
    }
  }

  bool open() const {
    return failure_.empty() && std::any_of(cases_.begin(), cases_.end(), [](const auto& one) { return one.open(); });
  }

  bool alarmed() const {
    return failure_.empty() && std::any_of(cases_.begin(), cases_.end(), [](const auto& one) { return one.alarmed(); });
  }

  std::int64_t doubt() const {
    std::int64_t most = 0;
    for (const auto& one : cases_) most = std::max(most, one.doubt());
    return most;
  }

  double used_s() const {
    double sum = 0;
    for (const auto& one : cases_) sum += one.used_s();
    return sum;
  }

  // False where the child is of no more use. What the machine does wrong is tried again, once, in the next round's
  // child; the second time it ends this kernel and no other. Once `spent`, none goes on but those that are alarmed.
  bool measure_round(runner::Client& child, std::int64_t round, const std::function<bool()>& spent) {
    try {
      load(child);
      std::vector<CaseExperiment*> order;
      for (auto& one : cases_) {
        if (one.open()) order.push_back(&one);
      }
      std::stable_sort(order.begin(), order.end(),
                       [](const auto* a, const auto* b) { return a->doubt() > b->doubt(); });
      for (auto* one : order) {
        if (spent() && !one->alarmed()) continue;
        // The other cases go on in the next round's child.
        if (!one->measure_round(child, round)) return false;
      }
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::environment) throw;
      if (trouble_.empty()) {
        trouble_ = error.what();
      } else {
        failure_ = tried_twice(error, trouble_).what();
      }
      return false;
    }
  }

  // Times earlier versions without the candidate where that has to be known; false where the child is of no more use.
  // What goes wrong here tells nothing of the candidate.
  bool measure_company(ChildPool& children, std::optional<runner::Client>& alone) {
    return without_candidate([&] {
      for (auto& one : cases_) {
        if (!one.wants_company()) continue;
        if (!alone) alone.emplace(children.take());
        load(*alone, false);
        one.measure_alone(*alone);
        if (alone->lost()) alone.reset();
      }
    });
  }

  // What the first look found is measured again, side by side and alone.
  bool confirm_company(ChildPool& children, std::optional<runner::Client>& beside,
                       std::optional<runner::Client>& again) {
    return without_candidate([&] {
      for (auto& one : cases_) {
        if (!one.slowed()) continue;
        if (!beside || beside->lost()) beside.emplace(children.take());
        if (!again || again->lost()) again.emplace(children.take());
        load(*beside);
        one.measure_beside(*beside);
        if (!one.slowed()) continue;  // it failed
        load(*again, false);
        one.measure_alone(*again);
      }
    });
  }

  // A case whose process ended twice is called wrong only where the base is timed well without it.
  void try_without_candidate(ChildPool& children) {
    for (auto& one : cases_) {
      if (!one.awaits_control()) continue;
      runner::Client child = children.take();
      one.try_without_candidate(child, [&] { load(child, false); });
    }
  }

  bool settle() {
    bool again = false;
    for (auto& one : cases_) again = one.settle() || again;
    return again && failure_.empty();
  }

  TimedKernel result(const std::string& cut_short) {
    TimedKernel kernel;
    kernel.failure = failure_;
    for (auto& one : cases_) kernel.cases.push_back(one.finish(cut_short));
    kernel.parts = parts_of(job_, kernel.cases, options_, decisions_);
    if (failure_.empty() && !trouble_.empty()) kernel.warnings.push_back("tried twice: at first " + trouble_);
    for (const auto& one : kernel.cases) {
      if (one.trouble.empty() || one.verdict == Verdict::wrong || one.verdict == Verdict::environment) continue;
      kernel.warnings.push_back(
          fmt::format("case \"{}\": tried twice: while it was timed, at first {}", one.name, one.trouble));
    }
    return kernel;
  }

 private:
  bool without_candidate(const std::function<void()>& look) {
    if (!failure_.empty()) return true;
    try {
      look();
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::environment) throw;
      failure_ = error.what();
      return false;
    }
  }

  // From the candidate on, or from the first of the references.
  void load(runner::Client& child, bool with_candidate = true) {
    const runner::Client::Seconds limit(kHandOverLimit);
    std::vector<Artifact> contenders{job_.candidate};
    for (const auto& reference : job_.references) contenders.push_back(reference.artifact);
    for (std::size_t i = with_candidate ? 0 : 1; i < contenders.size(); ++i) {
      const auto loaded =
          child.load({static_cast<std::uint32_t>(i), contenders[i]->code, contenders[i]->symbols}, limit);
      if (!loaded.outcome.ok) {
        throw Error(ErrorKind::environment, job_.subject->name,
                    "was checked, but could not be loaded to be timed: " + loaded.outcome.fault);
      }
    }
  }

  const TimeJob& job_;
  const TimeOptions& options_;
  std::int64_t decisions_;
  std::deque<CaseExperiment> cases_;
  std::string trouble_, failure_;  // of the machine, the first time and the second
};

// All is known about the last window only a while after it: where others were seen on the GPU at all.
void await_the_last_look(Watch& watch) {
  const double end = watch.now();
  watch.look();
  if (!watch.has_neighbours()) return;
  while (watch.now() < end + kUtilisationSpan) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  watch.look();
}

}  // namespace

ChildPool::ChildPool(runner::ClientOptions options, std::size_t ahead) : options_(std::move(options)), wanted_(ahead) {
  options_.warm = true;
}

void ChildPool::start() {
  while (ahead_.size() < wanted_ + 1) ahead_.emplace_back(options_);
}

runner::Client ChildPool::take() {
  start();
  runner::Client client = std::move(ahead_.front());
  ahead_.pop_front();
  return client;
}

std::vector<TimedKernel> time_suite(const std::vector<TimeJob>& jobs, const TimeOptions& options, ChildPool& children) {
  std::int64_t decisions = 0;
  for (const auto& job : jobs) {
    for (const auto* one : cases_for(*job.subject, options.backend)) {
      if (one->role == cases::CaseRole::performance) decisions += static_cast<std::int64_t>(job.references.size());
    }
  }
  decisions *= options.shards;
  std::deque<KernelExperiment> kernels;
  for (const auto& job : jobs) kernels.emplace_back(job, options, decisions);

  // Where nothing is known yet, chance decides who is first: by name, the same kernels would always lose what a suite's
  // budget leaves out.
  std::vector<KernelExperiment*> by_chance;
  for (auto& kernel : kernels) by_chance.push_back(&kernel);
  RandomStream(options.seed, kOrderStream).shuffle(by_chance);

  const auto spent = [&] {
    double sum = 0;
    for (const auto& kernel : kernels) sum += kernel.used_s();
    return options.budget.seconds_per_suite && sum > *options.budget.seconds_per_suite;
  };

  std::int64_t round = 0;
  for (int repeat = 0; repeat < kMostRepeats; ++repeat) {
    for (std::int64_t more = 0; more <= options.budget.max_rounds; ++more) {
      std::vector<KernelExperiment*> order;
      for (auto* kernel : by_chance) {
        if (spent() ? kernel->alarmed() : kernel->open()) order.push_back(kernel);
      }
      if (order.empty()) break;
      std::stable_sort(order.begin(), order.end(),
                       [](const auto* a, const auto* b) { return a->doubt() > b->doubt(); });
      ++round;
      std::optional<runner::Client> child;
      for (auto* kernel : order) {
        if (spent() && !kernel->alarmed()) continue;
        if (!child || !options.share_processes) child.emplace(children.take());
        if (kernel->measure_round(*child, round, spent)) continue;
        child.reset();
        kernel->try_without_candidate(children);
      }
    }
    if (options.watch == nullptr) break;
    await_the_last_look(*options.watch);
    bool again = false;
    for (auto& kernel : kernels) again = kernel.settle() || again;
    if (!again || spent()) break;
  }
  std::optional<runner::Client> alone, beside, again;
  for (auto& kernel : kernels) {
    if (!spent() && !kernel.measure_company(children, alone)) alone.reset();
  }
  for (auto& kernel : kernels) {
    if (kernel.confirm_company(children, beside, again)) continue;
    beside.reset();
    again.reset();
  }
  const std::string cut_short =
      spent() ? fmt::format("the suite's budget of {:.3g} s is spent", *options.budget.seconds_per_suite) : "";
  std::vector<TimedKernel> results;
  results.reserve(kernels.size());
  for (auto& kernel : kernels) results.push_back(kernel.result(cut_short));
  return results;
}

}  // namespace kgate::verdict
