#include "gate/drift/analysis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/parallel.h"
#include "gate/drift/attribution.h"
#include "gate/drift/events.h"
#include "gate/stats/change_points.h"
#include "gate/stats/creep.h"
#include "gate/stats/robust.h"

// Problem: a thousand nights of five hundred cases, and one question: what became slower, since when, and why. Choice:
// each case's change points first, by what it shows alone; then each change is given the nearest thing that kgate
// recorded a lasting change of; then changes of one night, direction and cause are one event. Rejected: to look for
// changes only where a fingerprint changed (what is not recorded makes kernels slower too); to test events over all
// kernels at once (a driver makes some slower and others faster).
namespace kgate::drift {
namespace {

// Nights on each side that a level is told from: as many as show 1 % with a noise of 1 % (docs/drift.md).
constexpr std::size_t kStretch = 20;

// The history by time: nights in order, each series by day with the latest figure of each.
class Ordered {
 public:
  explicit Ordered(History& history) : place_(history.nights.size()) {
    std::vector<std::size_t> order(history.nights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return history.nights[a].time < history.nights[b].time; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_[order[i]] = i;
      nights.push_back(std::move(history.nights[order[i]]));
      fingerprints.push_back(std::move(history.fingerprints[order[i]]));
      if (i != 0 && nights[i].day == nights[i - 1].day) ++merged;
    }
  }

  std::vector<Point> points(std::vector<Point> found) const {
    for (Point& one : found) one.night = place_[one.night];
    std::sort(found.begin(), found.end(), [](const Point& a, const Point& b) { return a.night < b.night; });
    std::vector<Point> kept;
    for (const Point& one : found) {
      if (!kept.empty() && kept.back().day == one.day) kept.pop_back();
      kept.push_back(one);
    }
    return kept;
  }

  std::vector<Night> nights;
  std::vector<std::shared_ptr<const Json>> fingerprints;
  std::size_t merged = 0;

 private:
  std::vector<std::size_t> place_;
};

std::vector<stats::Night> logs_of(const std::vector<Point>& points) {
  std::vector<stats::Night> logs;
  logs.reserve(points.size());
  for (const Point& one : points) logs.push_back({one.day, std::log(one.us)});
  return logs;
}

void find_changes(Series& series, double least_noise) {
  stats::ChangeOptions options;
  options.least_noise = least_noise;
  const auto logs = logs_of(series.points);
  for (const auto& one : stats::change_points(logs, options)) {
    series.changes.push_back({one.index, one.last_before, one.first_after, one.ratio, one.low, one.high, one.p,
                              one.nights_before, one.nights_after, 0});
  }
  const std::size_t last = series.changes.empty() ? 0 : series.changes.back().point;
  const std::size_t from = std::max(last, logs.size() - std::min(logs.size(), kStretch));
  std::vector<double> level;
  for (std::size_t i = from; i < logs.size(); ++i) level.push_back(series.points[i].us);
  if (!level.empty()) series.level_us = stats::quantile(level, 0.5);
}

// The last nights, and the first of a version, each up to the change beside them.
Against held_against(const Series& series, const AcceptedRecord& record, const std::string& what, double least_noise,
                     const std::vector<Explanation>& why) {
  Against against;
  against.what = what;
  against.sequence = record.sequence;
  against.release = record.release;
  against.day = day_from(record.time).value_or(0);
  if (const auto us = record.us.find(series.name); us != record.us.end()) against.recorded_us = us->second;
  const auto& points = series.points;
  const auto is_its = [&](const Point& one) { return one.accepted == record.sequence; };
  const auto first = static_cast<std::size_t>(std::find_if(points.begin(), points.end(), is_its) - points.begin());
  std::size_t end = first;
  while (end < points.size() && end < first + kStretch && is_its(points[end])) ++end;
  std::size_t begin_now = points.size() - std::min(points.size(), kStretch);
  for (std::size_t i = 0; i < series.changes.size(); ++i) {
    const std::size_t at = series.changes[i].point;
    if (at > first && at < end) end = at;
    begin_now = std::max(begin_now, at);
    // What changed when the version came into use is the version's.
    if (at > first && why[i].cause != Cause::version) against.changed *= series.changes[i].ratio;
  }
  if (first == points.size()) against.changed = 1;
  const auto logs = logs_of(points);
  begin_now = std::max(begin_now, end);  // no night stands on both sides
  const auto found = stats::creep(std::span(logs).subspan(first, end - first), std::span(logs).subspan(begin_now),
                                  {stats::CreepOptions{}.interval_error, least_noise});
  against.ratio = found.ratio;
  against.low = found.low;
  against.high = found.high;
  against.nights_then = found.nights_release;
  against.nights_now = found.nights_last;
  return against;
}

class Analyser {
 public:
  Analyser(History& history, const std::map<std::string, KernelFacts>& facts, const AnalysisOptions& options)
      : ordered_(history), facts_(facts), options_(options), attribution_(ordered_.fingerprints, options.backend) {
    collect(history);
  }

  Analysis analyse() {
    for_each_parallel(series_.size(), options_.threads,
                      [&](std::size_t i, unsigned) { find_changes(*series_[i].series, options_.least_noise); });
    EventMaker events(ordered_.nights, kernels_);
    for (auto& one : series_) {
      one.why.reserve(one.series->changes.size());  // events point there
      for (Change& change : one.series->changes) {
        one.why.push_back(attribution_.explain(one.series->points, change.point));
        events.add({one.kernel, one.series, &change, &one.why.back()});
      }
    }
    Analysis found;
    found.events = events.events(attribution_);
    for (auto& one : series_) hold(one);
    for (Kernel& kernel : kernels_) judge(kernel, found.events);
    found.nights = std::move(ordered_.nights);
    found.kernels = std::move(kernels_);
    found.merged = ordered_.merged;
    return found;
  }

 private:
  struct Watched {
    Kernel* kernel = nullptr;
    Series* series = nullptr;
    std::vector<Explanation> why = {};  // of its changes
  };

  void collect(History& history) {
    for (const auto& [name, known] : facts_) {
      Kernel kernel;
      kernel.name = name;
      std::map<std::string, std::vector<Point>> cases;
      std::vector<std::string> names = known.earlier_names;
      names.push_back(name);
      for (const auto& one : names) {
        const auto found = history.figures.find(one);
        if (found == history.figures.end()) continue;
        for (auto& [case_name, points] : found->second) {
          auto& all = cases[case_name];
          if (all.empty()) all.swap(points);
          all.insert(all.end(), points.begin(), points.end());
        }
      }
      for (auto& [case_name, points] : cases) {
        Series series;
        series.name = case_name;
        const auto bound = known.bounds.find(case_name);
        if (bound != known.bounds.end()) series.bound = bound->second;
        series.points = ordered_.points(std::move(points));
        kernel.cases.push_back(std::move(series));
      }
      kernels_.push_back(std::move(kernel));
    }
    for (Kernel& kernel : kernels_) {
      for (Series& series : kernel.cases) series_.push_back({&kernel, &series});
    }
  }

  void hold(Watched& one) const {
    const auto& records = facts_.at(one.kernel->name).records;
    if (records.empty()) return;
    one.series->against.push_back(
        held_against(*one.series, records.front(), "accepted", options_.least_noise, one.why));
    const auto release =
        std::find_if(records.begin(), records.end(), [](const auto& record) { return !record.release.empty(); });
    if (release == records.end()) return;
    one.series->against.push_back(held_against(*one.series, *release, "last-release", options_.least_noise, one.why));
  }

  // By the worst of its cases.
  void judge(Kernel& kernel, const std::vector<Event>& events) const {
    const trust::Zone& zone = facts_.at(kernel.name).zone;
    double worst = 1;
    for (const Series& series : kernel.cases) {
      for (const Against& against : series.against) {
        const auto& compare = options_.profile.compare;
        if (std::find(compare.begin(), compare.end(), against.what) == compare.end()) continue;
        const auto consider = [&](double ratio, double limit, Cause cause, const std::string& reason) {
          if (!(ratio > 1 + limit) || !(ratio > worst) || (ratio - 1) * series.level_us <= zone.absolute_us) return;
          worst = ratio;
          kernel.verdict = verdict::Verdict::regressed;
          kernel.cause = cause;
          kernel.reason = reason;
        };
        const Event* const blame = largest_since(series, against, events);
        if (blame != nullptr) {
          consider(against.changed, zone.block, blame->cause,
                   fmt::format("{}: {:+.1f} % since {}, {}", series.name, (against.changed - 1) * 100,
                               day_text(blame->day), why_of(*blame)));
        }
        // Of another version the ratio is the version's too.
        if (against.sequence != facts_.at(kernel.name).records.front().sequence) continue;
        // Small steps, and steps that another one made up for, creep too.
        const bool by_change = blame != nullptr && against.changed > 1 + zone.block;
        if (!by_change && against.low > 1 + zone.creep) {
          consider(against.ratio, zone.creep, Cause::machine,
                   fmt::format("{}: crept by {:+.1f} % since record {} was accepted, {}", series.name,
                               (against.ratio - 1) * 100, against.sequence,
                               blame == nullptr ? "on no one night" : "in steps that are each within the zone"));
        }
      }
    }
  }

  // Of the changes that count since then, the one that cost most; null: there was none.
  static const Event* largest_since(const Series& series, const Against& against, const std::vector<Event>& events) {
    if (against.changed == 1) return nullptr;
    const Event* found = nullptr;
    double largest = 0;
    const auto first = std::find_if(series.points.begin(), series.points.end(),
                                    [&](const Point& one) { return one.accepted == against.sequence; });
    for (const Change& change : series.changes) {
      const Event& event = events[change.event];
      if (static_cast<std::ptrdiff_t>(change.point) <= first - series.points.begin()) continue;
      if (event.cause == Cause::version || change.ratio <= largest) continue;
      largest = change.ratio;
      found = &event;
    }
    return found;
  }

  Ordered ordered_;
  const std::map<std::string, KernelFacts>& facts_;
  const AnalysisOptions& options_;
  Attribution attribution_;
  std::vector<Kernel> kernels_;
  std::vector<Watched> series_;
};

bool listed(const trust::Profile& profile, const char* what) {
  return std::find(profile.block_on.begin(), profile.block_on.end(), what) != profile.block_on.end();
}

bool blocks(const Kernel& kernel, const trust::Profile& profile) {
  switch (kernel.verdict) {
    case verdict::Verdict::regressed:
      return kernel.cause && listed(profile, name_of(*kernel.cause));
    case verdict::Verdict::environment:
    case verdict::Verdict::missing:
      return listed(profile, verdict::name_of(kernel.verdict));
    default:
      return !verdict::passes(kernel.verdict);
  }
}

}  // namespace

Analysis analyse(History history, const std::map<std::string, KernelFacts>& facts, const AnalysisOptions& options) {
  return Analyser(history, facts, options).analyse();
}

void conclude(Drift& drift, const trust::Profile& profile) {
  std::vector<verdict::Verdict> all, blocking;
  for (Kernel& kernel : drift.kernels) {
    kernel.blocks = blocks(kernel, profile);
    all.push_back(kernel.verdict);
    if (kernel.blocks) blocking.push_back(kernel.verdict);
  }
  drift.verdict = all.empty() ? verdict::Verdict::missing : verdict::worst(all);
  drift.exit_code = static_cast<int>(all.empty()        ? ExitCode::missing
                                     : blocking.empty() ? ExitCode::pass
                                                        : verdict::exit_code_of(verdict::worst(blocking)));
  drift.reason = all.empty() ? "no kernel was looked at" : "";
  for (const Kernel& kernel : drift.kernels) {
    if (kernel.verdict != drift.verdict || verdict::passes(kernel.verdict)) continue;
    drift.reason = fmt::format("{}: {}", kernel.name, kernel.reason);
    break;
  }
}

}  // namespace kgate::drift
