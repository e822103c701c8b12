#include "gate/report/drift.h"

#include <algorithm>
#include <ctime>
#include <future>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utc.h"
#include "fingerprint/fingerprint.h"
#include "gate/cli/drift_input.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/output_folder.h"
#include "gate/cli/signing_key.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/drift/analysis.h"
#include "gate/drift/measure.h"
#include "gate/report/drift_html.h"
#include "gate/trust/authority.h"
#include "gate/verdict/preparation.h"

// Problem: a machine becomes slower without anybody changing a kernel, and nobody can say since when. Choice: every
// night times the machine code that was accepted, beside nothing, and signs what it found; the analysis is made anew
// each time from all nights, so that a better one needs no new history. Who has no key measures and reports all the
// same; only the record is missing then, and that is said.
namespace kgate::cli {
namespace {

verdict::JudgeOptions options_of(const Invocation& invocation) {
  auto options = judge_options(invocation);
  options.compare = {"accepted", "last-release"};  // what is looked up in the ledger
  return options;
}

class Drifter {
 public:
  explicit Drifter(const Invocation& invocation)
      : invocation_(invocation),
        arguments_(invocation.arguments),
        options_(options_of(invocation)),
        progress_(std::cerr, progress_style(arguments_, invocation.surroundings)),
        ready_(options_, progress_, judgement_) {}

  ExitCode run() {
    check_drift_arguments(arguments_);
    const auto since = first_day(arguments_);
    const auto imported = read_imports(arguments_.imports, std::time(nullptr));
    const OutputFolder out(arguments_.out, "drift.json");
    out.remove("drift.html");
    ready_.read_policy();
    take_key();
    git_.emplace(ready_.authority.repository->root(), options_.environment, options_.interrupt);
    const trust::Ledger history = trust::read_history(ready_.authority, options_.fetch_ledger ? &*git_ : nullptr);
    const auto known = drift::hardware_in(history);
    drift_.sequence = history.sequence();
    drift_.digest = history.digest();
    if (!arguments_.no_measure) drift::check_clock(history.time(), std::time(nullptr));

    std::optional<drift::NightFigures> tonight;
    if (!arguments_.no_measure) ready_.read_setting();
    ready_.read_kernels();
    if (!arguments_.no_measure) check_accepted();
    if (!arguments_.no_measure) tonight = drift::measure_night(ready_, options_, judgement_.result, progress_);

    describe(known, tonight, imported);
    drift_.since = arguments_.since;
    auto nights = drift::read_history(history, {drift_.hardware.key, since, options_.threads});
    for (const auto& [night, fingerprint, path] : imported) add(nights, night, fingerprint, path);
    std::optional<Error> not_appended;
    if (tonight && !tonight->kernels.empty()) {
      drift_.measured = true;
      add(nights, *tonight, drift::lasting(judgement_.result.fingerprint), "now");
      try {
        append(*tonight);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) throw;
        not_appended = error;  // what was measured is told before
      }
    }
    if (since) leave_out(nights, *since);
    if (since && !tonight) check_nights(nights);
    analyse(std::move(nights));
    add_troubles(tonight);
    notes(tonight, not_appended);
    drift::conclude(drift_, judgement_.profile);
    if (not_appended && drift_.exit_code == 0)
      drift_.exit_code = static_cast<int>(exit_code_of(not_appended->kind(), 0));
    write(out);
    if (not_appended) throw *not_appended;
    return static_cast<ExitCode>(drift_.exit_code);
  }

 private:
  // Before minutes of measuring, not after.
  void take_key() {
    const auto& surroundings = invocation_.surroundings;
    const bool given = !arguments_.key.empty() || !arguments_.key_command.empty() || !surroundings.key.empty() ||
                       !surroundings.key_file.empty();
    if (!given || arguments_.no_measure) return;
    key_ = signing_key(arguments_, surroundings);
    ready_.authority.keyring.require(key_->public_key(), "history", utc_day(std::time(nullptr)));
  }

  // A night in which nothing can be timed is no night.
  void check_accepted() const {
    const auto& subjects = ready_.suite.subjects;
    const bool none =
        std::all_of(subjects.begin(), subjects.end(), [](const auto& one) { return one.accepted.empty(); });
    if (!none) return;
    std::string why = "has nothing that was accepted of the kernels that were selected";
    for (const auto& subject : subjects) {
      if (!subject.ledger_name.empty() && !subject.warnings.empty())
        why = fmt::format("cannot be timed: {}: {}", subject.name, subject.warnings.back());
    }
    throw Error(ErrorKind::missing, ready_.policy().ledger_branch, why, "kgate accept KERNEL --reason TEXT");
  }

  // Whose nights these are: this machine's; where nothing is measured those that were asked for, else the newest.
  void describe(const std::vector<drift::Hardware>& known, const std::optional<drift::NightFigures>& tonight,
                const std::vector<ImportedNight>& imported) {
    const auto of_night = [](const drift::NightFigures& night) {
      return drift::Hardware{night.hardware, night.device_name, night.architecture, night.backend,
                             night.time.substr(0, 10)};
    };
    std::vector<drift::Hardware> all = known;
    for (const auto& one : imported) {
      const bool there =
          std::any_of(all.begin(), all.end(), [&](const auto& other) { return other.key == one.night.hardware; });
      if (!there) all.push_back(of_night(one.night));
    }
    if (tonight) {
      drift_.hardware = of_night(*tonight);
    } else if (!arguments_.hardware.empty()) {
      const auto asked = std::find_if(all.begin(), all.end(), [&](const auto& one) {
        return one.key == arguments_.hardware || one.name == arguments_.hardware;
      });
      if (asked == all.end()) {
        std::vector<std::string> names;
        for (const auto& one : all) names.push_back(fmt::format("\"{}\" ({})", one.name, one.key));
        throw Error(ErrorKind::missing, fmt::format("--hardware \"{}\"", arguments_.hardware), "has no nights",
                    names.empty() ? "nothing was recorded yet" : fmt::format("there are {}", fmt::join(names, ", ")));
      }
      drift_.hardware = *asked;
    } else {
      if (all.empty())
        throw Error(ErrorKind::missing, ready_.policy().history_branch, "has no nights yet",
                    "run kgate drift where the GPU is, with --key to record the night; or import results, --import");
      drift_.hardware = *std::max_element(all.begin(), all.end(),
                                          [](const auto& a, const auto& b) { return a.last_night < b.last_night; });
    }
    for (const auto& one : all) {
      if (one.key == drift_.hardware.key) {
        drift_.hardware.last_night = one.last_night;
      } else {
        drift_.others.push_back(one);
      }
    }
  }

  void add(drift::History& nights, const drift::NightFigures& night, const Json& fingerprint,
           const std::string& origin) {
    if (night.hardware != drift_.hardware.key) {
      drift_.notes.push_back(fmt::format("{}: left out: it is of another kind of GPU, {}", origin, night.device_name));
      return;
    }
    if (night.kernels.empty()) {
      drift_.notes.push_back(fmt::format("{}: has no times: nothing was timed against another version", origin));
      return;
    }
    nights.add(night, nights.shared(fingerprint), origin);
  }

  static void leave_out(drift::History& nights, std::int64_t since) {
    for (auto& [kernel, cases] : nights.figures) {
      for (auto& [name, points] : cases)
        std::erase_if(points, [&](const drift::Point& one) { return one.day < since; });
    }
  }

  // Nothing that was looked at must not read as nothing that was found.
  void check_nights(const drift::History& nights) const {
    for (const auto& [kernel, cases] : nights.figures) {
      if (std::any_of(cases.begin(), cases.end(), [](const auto& one) { return !one.second.empty(); })) return;
    }
    throw Error(ErrorKind::missing, fmt::format("--since {}", arguments_.since), "leaves no night",
                fmt::format("the newest is of {}; give an earlier date", drift_.hardware.last_night));
  }

  void append(const drift::NightFigures& night) {
    if (!key_) return;
    trust::AppendOptions options;
    options.ledger = trust::history_options(ready_.policy());
    options.push = !arguments_.no_push;
    const auto sign = [&](trust::Envelope& envelope) { trust::add_signature(envelope, *key_); };
    const auto entry = trust::append(*ready_.authority.repository, *git_, ready_.authority.keyring, options,
                                     drift::draft_of(night, judgement_.result.fingerprint), sign);
    const std::string& remote = options.ledger.remote;
    const std::string where =
        !git_->has_remote(remote) ? fmt::format("on the local branch, for want of a remote {}", remote)
        : options.push
            ? "pushed to " + remote
            : fmt::format("on the local branch alone; push it: git push {} {}", remote, options.ledger.branch);
    drift_.appended = {entry.record.sequence, entry.digest, options.ledger.branch, where, entry.signers};
    drift_.sequence = entry.record.sequence;
    drift_.digest = entry.digest;
  }

  void analyse(drift::History nights) {
    drift_.time = judgement_.result.started;
    drift_.profile = options_.profile;
    drift_.tool_version = options_.version;
    drift_.tool_commit = options_.commit;
    drift_.branch = ready_.policy().history_branch;
    drift::AnalysisOptions options;
    options.backend = drift_.hardware.backend;
    options.profile = judgement_.profile;
    options.least_noise = ready_.machine.round_spread;
    options.threads = options_.threads;
    auto found = drift::analyse(std::move(nights), drift::facts_of(ready_, drift_.hardware), options);
    drift_.nights = std::move(found.nights);
    drift_.events = std::move(found.events);
    drift_.kernels = std::move(found.kernels);
    if (found.merged != 0) {
      drift_.notes.push_back(fmt::format("{} {} a day with a later one, whose figures count", found.merged,
                                         found.merged == 1 ? "night shares" : "nights share"));
    }
  }

  // What was not measured, and what cannot be.
  void add_troubles(const std::optional<drift::NightFigures>& tonight) {
    const auto trouble = [&](const std::string& name, verdict::Verdict verdict, const std::string& reason) {
      auto place = std::lower_bound(drift_.kernels.begin(), drift_.kernels.end(), name,
                                    [](const auto& kernel, const auto& wanted) { return kernel.name < wanted; });
      if (place == drift_.kernels.end() || place->name != name) {
        place = drift_.kernels.insert(place, drift::Kernel{});
        place->name = name;
      }
      if (verdict::worst({place->verdict, verdict}) != verdict) return;
      place->verdict = verdict;
      place->reason = reason;
    };
    if (tonight) {
      for (const auto& [name, why] : tonight->missing) trouble(name, verdict::Verdict::environment, why);
    }
    for (const auto& one : ready_.suite.untrusted) trouble(one.name, verdict::Verdict::untrusted, one.reason);
    for (const auto& one : ready_.suite.vanished) trouble(one.name, verdict::Verdict::missing, one.reason);
  }

  void notes(const std::optional<drift::NightFigures>& tonight, const std::optional<Error>& not_appended) {
    auto& notes = drift_.notes;
    std::vector<std::string> bare, still;
    for (const auto& subject : ready_.suite.subjects) {
      if (subject.accepted.empty())
        bare.push_back(subject.name);
      else if (tonight && !tonight->kernels.contains(subject.name) && !tonight->missing.contains(subject.name))
        still.push_back(subject.name);
    }
    if (!bare.empty())
      notes.push_back(
          fmt::format("nothing was accepted of {}, and nothing is timed: kgate accept", fmt::join(bare, ", ")));
    if (!still.empty()) notes.push_back(fmt::format("no performance case of {} runs here", fmt::join(still, ", ")));
    for (const auto& one : drift_.others)
      notes.push_back(fmt::format("nights of another kind of GPU are there too: {} ({})", one.name, one.key));
    if (not_appended) {
      notes.push_back(fmt::format("this night was not appended: {}", not_appended->what()));
    } else if (tonight && tonight->kernels.empty()) {
      notes.emplace_back("this night has no figures, and nothing was appended");
    } else if (tonight && !key_) {
      notes.push_back(
          fmt::format("this night was not appended to {}, for want of a key: --key FILE or KGATE_KEY, of the "
                      "role history",
                      ready_.policy().history_branch));
    }
    notes.insert(notes.end(), judgement_.result.warnings.begin(), judgement_.result.warnings.end());
  }

  // Ten years of nights are tens of megabytes, in each of both.
  void write(const OutputFolder& out) const {
    auto making = std::async(std::launch::async, [&] { return canonical_json(drift::to_json(drift_)) + "\n"; });
    out.write("drift.html", report::write_drift_html(drift_));
    const std::string json = making.get();
    out.write("drift.json", json);
    if (arguments_.format == "json") {
      std::cout << json;
      return;
    }
    std::cout << report::write_drift(drift_, {use_color(arguments_, invocation_.surroundings, STDOUT_FILENO),
                                              terminal_width(STDOUT_FILENO), arguments_.quiet});
    if (arguments_.quiet) return;
    std::cout << "report: " << out.path("drift.html").string()
              << " (the same for programs: " << out.path("drift.json").string() << ")\n";
  }

  const Invocation& invocation_;
  const Arguments& arguments_;
  verdict::JudgeOptions options_;
  verdict::Judgement judgement_;
  TerminalProgress progress_;
  verdict::Preparation ready_;
  std::optional<trust::GitProgram> git_;
  std::optional<trust::PrivateKey> key_;
  drift::Drift drift_;
};

}  // namespace

ExitCode drift_over_nights(const Invocation& invocation) {
  return Drifter(invocation).run();
}

}  // namespace kgate::cli
