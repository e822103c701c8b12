#include "tests/adversarial/outcome.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/report.h"

using namespace kgate::verdict;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// By times alone.
bool is_undecided(const KernelResult& kernel) {
  if (kernel.verdict == Verdict::inconclusive) return true;
  return std::any_of(kernel.cases.begin(), kernel.cases.end(), [](const CaseResult& one) {
    return one.time && std::any_of(one.time->trace.begin(), one.time->trace.end(), [](const std::string& line) {
             return contains(line, "proved neither way") || contains(line, "the budget has no room");
           });
  });
}

// Right in every launch, and no quicker: where each sample is a single launch, and all are looked at, as on the host,
// what lives on leftovers finds none.
bool gains_nothing(const KernelResult& kernel) {
  return kernel.verdict == Verdict::pass && std::all_of(kernel.cases.begin(), kernel.cases.end(), [](const auto& one) {
           return !one.time || one.time->ratio > 0.95;
         });
}

bool runs_on(const Cheat& cheat, Backend backend) {
  return cheat.place == Place::both || (cheat.place == Place::host) == (backend == Backend::host);
}

}  // namespace

Outcome outcome_of(const Cheat& cheat, const GateRun& run) {
  Outcome outcome;
  outcome.cheat = &cheat;
  const auto& kernels = run.result.kernels;
  const auto kernel =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& one) { return one.name == cheat.name; });
  if (kernel != kernels.end()) {
    outcome.verdict = kernel->verdict;
    outcome.reason = kernel->reason;
    if (kernel->code.empty() && !kernel->compiler_log.empty()) outcome.reason += ": " + kernel->compiler_log;
  }
  outcome.expected = std::count(cheat.expected.begin(), cheat.expected.end(), outcome.verdict) > 0 &&
                     contains(outcome.reason, cheat.words);
  outcome.fails = !outcome.expected;
  if (cheat.landlock && run.result.sandbox != "landlock") {
    outcome.note = "not judged: the sandbox is " + run.result.sandbox;
    outcome.fails = false;
  } else if (cheat.known != Known::today) {
    const std::string awaited = "nothing catches it yet";
    outcome.note = outcome.expected ? "caught, although it says: " + awaited : awaited;
    outcome.fails = false;
  } else if (outcome.fails && run.result.backend == "host" && kernel != kernels.end() && is_undecided(*kernel)) {
    // What is proved by times is not proved on a machine that does ten things at once. A GPU has no such excuse.
    outcome.note = "not judged: this machine is too busy";
    outcome.fails = false;
  } else if (outcome.fails && run.result.backend == "host" && kernel != kernels.end() && gains_nothing(*kernel)) {
    outcome.note = "it gains nothing here";
    outcome.fails = false;
  } else if (outcome.fails) {
    outcome.note = "NOT AS EXPECTED";
  }
  return outcome;
}

std::string words_of(const Verdicts& verdicts) {
  std::string words;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool last = i + 1 == verdicts.size();
    words += std::string(i == 0 ? "" : last ? " or " : ", ") + name_of(verdicts[i]);
  }
  return words;
}

std::string lines_of(const std::vector<Outcome>& outcomes) {
  std::string lines;
  for (const auto& one : outcomes) {
    lines += fmt::format("{:28} {:12} {}{}\n", one.cheat->name, name_of(one.verdict),
                         one.note.empty() ? "" : "[" + one.note + "] ", first_line(one.reason).substr(0, 160));
    if (one.fails) {
      lines += fmt::format("{:28} expected {}{}\n{}\n", "", words_of(one.cheat->expected),
                           one.cheat->words.empty() ? "" : ", with \"" + one.cheat->words + "\"",
                           one.reason.substr(0, 2000));
    }
  }
  return kgate::report::neutral(lines);  // whose log this is in obeys commands, too
}

std::vector<Cheat> cheats_for(Backend backend, Group group) {
  std::vector<Cheat> chosen;
  for (const auto& chapter : chapters()) {
    const bool honest = chapter.cheats == honest_kernels;
    for (auto& cheat : chapter.cheats()) {
      const Group own = honest ? Group::honest : cheat.endless ? Group::apart : Group::together;
      if (own == group && runs_on(cheat, backend)) chosen.push_back(std::move(cheat));
    }
  }
  return chosen;
}
