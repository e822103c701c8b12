#include "gate/drift/measure.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/utc.h"
#include "fingerprint/comparison.h"
#include "fingerprint/fingerprint.h"
#include "gate/cases/job.h"
#include "gate/stats/robust.h"
#include "gate/verdict/figures.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::drift {
namespace {

// A GPU that hangs takes minutes to say so, each time.
constexpr int kMostFailures = 3;

constexpr std::int64_t kClockSlack = 3600;  // seconds that two machines' clocks may differ by

const verdict::AcceptedVersion* accepted_of(const verdict::Subject& subject) {
  const auto found = std::find_if(subject.accepted.begin(), subject.accepted.end(),
                                  [](const auto& one) { return one.against == "accepted"; });
  return found == subject.accepted.end() ? nullptr : &*found;
}

double spread_of(const verdict::Figure& figure) {
  std::vector<double> logs;
  for (const auto& round : figure.samples) {
    for (const double us : round) logs.push_back(std::log(us));
  }
  if (logs.size() < 2) return 0;
  const double spread = stats::spread_of(stats::trimmed_location(logs), static_cast<std::int64_t>(logs.size()));
  return std::isfinite(spread) ? spread : 0;
}

// A night without a name belongs to no series.
void check_identity(const Json& fingerprint) {
  for (const std::string& field : fingerprint::compare(fingerprint, fingerprint).class_unknown) {
    if (field.rfind("device.", 0) != 0) continue;
    const auto& value = fingerprint.at("device").value(field.substr(7), Json("not known: NVML told nothing of it"));
    throw Error(ErrorKind::environment, field,
                value.is_string() ? value.get<std::string>() : value.dump() + ", which is no name",
                "a night needs to know its GPU: let this user read NVML; of MIG instances name one, --device MIG-...");
  }
}

class Measuring {
 public:
  Measuring(const verdict::Preparation& ready, const verdict::JudgeOptions& options, verdict::Progress& progress)
      : ready_(ready), options_(options), progress_(progress) {}

  void measure(NightFigures& night) {
    compile();
    progress_.phase("time", static_cast<int>(wanted_.size()));
    int failures = 0;  // in a row
    for (const Wanted& one : wanted_) {
      if (options_.interrupt != nullptr) options_.interrupt->check();
      progress_.step(one.subject->name);
      std::string why = one.why_not;
      if (why.empty() && failures >= kMostFailures) {
        why = fmt::format("not tried: the machine failed the {} kernels before it", failures);
      } else if (why.empty()) {
        why = figures_of(one, night);
        failures = why.empty() ? 0 : failures + 1;
      }
      if (!why.empty()) {
        night.missing[one.subject->name] = why;
        progress_.note(fmt::format("{}: {}", one.subject->name, why));
      }
    }
  }

 private:
  struct Wanted {
    const verdict::Subject* subject = nullptr;
    const verdict::AcceptedVersion* accepted = nullptr;
    verdict::Artifact code = nullptr;
    std::string why_not = {};
  };

  // What has no machine code that runs here.
  void compile() {
    std::vector<verdict::Source> sources;
    for (const auto& subject : ready_.suite.subjects) {
      const auto* accepted = accepted_of(subject);
      if (accepted == nullptr || performance_cases(subject) == 0) continue;
      wanted_.push_back({&subject, accepted, accepted->recorded});
    }
    std::vector<Wanted*> places;
    for (Wanted& one : wanted_) {
      if (one.code) continue;
      const verdict::Version& version = one.accepted->version;
      sources.push_back({&version.spec.sources, &version.files, cases::entries_of(cases::version_of(version.spec))});
      places.push_back(&one);
    }
    if (places.empty()) return;
    progress_.phase("compile", static_cast<int>(places.size()));
    const auto compiled = verdict::compile_all(sources, ready_.compiler_options());
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i]->code = compiled[i];
      if (compiled[i]->status == runner::Compiled::Status::ok) continue;
      places[i]->why_not =
          fmt::format("record {}, which is accepted, does not compile here: {}", places[i]->accepted->sequence,
                      compiled[i]->log.substr(0, compiled[i]->log.find('\n')));
    }
  }

  std::size_t performance_cases(const verdict::Subject& subject) const {
    const auto all = verdict::cases_for(subject, ready_.child.backend);
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const auto* one) { return one->role == cases::CaseRole::performance; }));
  }

  // Why not; empty: they are in the night. Once more where the machine failed, as everywhere.
  std::string figures_of(const Wanted& one, NightFigures& night) const {
    for (bool again = false;; again = true) {
      try {
        NightKernel kernel;
        kernel.accepted = one.accepted->sequence;
        kernel.code = "sha256:" + sha256_hex(one.code->code);
        kernel.compiled_here = !one.accepted->recorded;
        for (const auto& [name, figure] :
             verdict::measure_figures(ready_, {one.subject, &one.accepted->version, one.code}, options_.seed, {})) {
          kernel.cases[name] = {figure.us,     spread_of(figure),          figure.blocks,
                                figure.rounds, figure.launches_per_sample, figure.regime};
        }
        night.kernels[one.subject->name] = std::move(kernel);
        return {};
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::environment) throw;
        if (again) return error.what();
      }
    }
  }

  const verdict::Preparation& ready_;
  const verdict::JudgeOptions& options_;
  verdict::Progress& progress_;
  std::vector<Wanted> wanted_;
};

}  // namespace

std::map<std::string, KernelFacts> facts_of(const verdict::Preparation& ready, const Hardware& hardware) {
  std::map<std::string, KernelFacts> facts;
  for (const auto& subject : ready.suite.subjects) {
    KernelFacts& known = facts[subject.name];
    known.zone = ready.policy().zone_of(subject.name);
    for (const auto& one : subject.cases.cases) {
      if (const std::string bound = verdict::bound_of(subject, one); !bound.empty()) known.bounds[one.name] = bound;
    }
    if (subject.ledger_name.empty()) continue;
    ready.ledger->records(subject.ledger_name, [&](const trust::LedgerEntry& entry) {
      if (entry.ended) return false;
      const trust::Record& record = entry.record;
      AcceptedRecord accepted{record.sequence, record.time, record.release, {}};
      for (const auto& measurement : record.measurements) {
        if (measurement.backend != hardware.backend || measurement.device_name != hardware.name ||
            measurement.architecture != hardware.architecture)
          continue;
        for (const auto& [name, one] : measurement.cases) accepted.us[name] = one.us;
      }
      known.records.push_back(std::move(accepted));
      if (!record.renamed_from.empty()) known.earlier_names.push_back(record.renamed_from);
      return true;
    });
  }
  // A name that was taken again is its new kernel's.
  for (auto& [name, known] : facts)
    std::erase_if(known.earlier_names, [&](const auto& old) { return facts.contains(old); });
  return facts;
}

NightFigures measure_night(const verdict::Preparation& ready, const verdict::JudgeOptions& options,
                           const verdict::Result& setting, verdict::Progress& progress) {
  check_identity(setting.fingerprint);
  NightFigures night;
  night.time = setting.started;
  night.device_class = setting.device_class;
  night.hardware = fingerprint::hardware_of(setting.fingerprint);
  night.device_name = setting.device_name;
  night.architecture = ready.device.architecture;
  night.backend = setting.backend;
  night.commit = setting.source_commit;
  Measuring(ready, options, progress).measure(night);
  ready.watch->look();
  night.environment = ready.watch->summary();
  return night;
}

void check_clock(const std::string& newest, std::int64_t now) {
  if (newest <= utc_time(static_cast<std::time_t>(now + kClockSlack))) return;
  throw Error(ErrorKind::environment, "this machine's clock",
              fmt::format("says {}, and the newest night of the history is dated {}",
                          utc_time(static_cast<std::time_t>(now)), newest),
              "set the clock; where it is right, that record has to go: docs/ledger.md says how");
}

void check_imported(const std::string& started, std::int64_t now, const std::string& subject) {
  if (started <= utc_time(static_cast<std::time_t>(now + kClockSlack))) return;
  throw Error(ErrorKind::usage, subject,
              fmt::format("was made on {}, which is in the future: this machine's clock says {}", started,
                          utc_time(static_cast<std::time_t>(now))),
              "leave it out; where the date is right, set the clock");
}

}  // namespace kgate::drift
