#include "gate/verdict/qualify/qualify.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/verdict/qualify/right_answers.h"

// The smallest cases come first: nearly every mutant fails there, and is not tried again where outputs are large.
namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFewestSeeds = 2;  // the second tells what changes with the seed
constexpr int kMutantSeeds = 4;  // with which mutants are tried
// Elements of inputs and outputs; so small a case gets all its seeds, however slow the machine is.
constexpr std::uint64_t kSmall = 1 << 16;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_random(const cases::Generator& generator) {
  using Kind = cases::Generator::Kind;
  switch (generator.kind) {
    case Kind::normal:
      return generator.b != 0;
    case Kind::uniform:
    case Kind::integers:
      return generator.a != generator.b;
    case Kind::permutation:
    case Kind::special:
      return true;
    case Kind::constant:
    case Kind::arange:
    case Kind::file:
    case Kind::safetensors:
      return false;
  }
  return false;
}

// Whether its inputs differ from run to run.
bool is_fresh(const cases::CaseSpec& one) {
  return !one.seed &&
         std::any_of(one.inputs.begin(), one.inputs.end(), [](const auto& input) { return is_random(input.second); });
}

// One output of the kernel, over all cases and within the current one.
struct OutputTrial {
  OutputParam output;
  MutantTrials mutants;
  bool changed = false;                // with the seed, in some case
  std::vector<std::string> unchanged;  // cases with fresh inputs in which it did not
  std::uint64_t bytes = 0;             // in all cases
  // Of the current case.
  std::size_t first_hash = 0;
  bool changed_here = false;
  Bytes rounded, earlier;  // with this seed, with the seed before
};

class Qualifier {
 public:
  Qualifier(const Subject& subject, const QualifyOptions& options, Progress& progress)
      : subject_(subject), options_(options), progress_(progress) {
    for (const auto& output : outputs_of(subject_.cases)) {
      std::vector<std::string> inputs;
      for (const auto& param : subject_.cases.params) {
        const bool read = param.kind == cases::ParamKind::in || param.kind == cases::ParamKind::inout;
        if (read && &param != output.param) inputs.push_back(param.name);
      }
      trials_.push_back({output, MutantTrials(output.param->name, inputs), false, {}, 0, 0, false, {}, {}});
    }
  }

  Qualification run() {
    const auto selected = cases_for(subject_, options_.backend);
    if (selected.empty()) {
      throw Error(ErrorKind::environment, subject_.cases.path,
                  fmt::format("has no case for the {} backend", options_.backend),
                  options_.backend == "host" ? "sign on a machine with a GPU: --backend cuda" : "use --backend host");
    }
    result_.backend = options_.backend;
    result_.seed = options_.seed;
    for (const auto& one : subject_.cases.cases) {
      result_.cases.push_back({one.name, 0, 0, 0, {}});
      if (std::find(selected.begin(), selected.end(), &one) == selected.end())
        result_.cases.back().notes.push_back(fmt::format("not for the {} backend", options_.backend));
    }
    RightAnswers answers(subject_, options_);
    progress_.phase("qualify", static_cast<int>(selected.size()));
    for (const auto* one : smallest_first(answers, selected)) {
      progress_.step(subject_.name + ": " + one->name);
      try_case(answers, *one);
    }
    conclude();
    return std::move(result_);
  }

 private:
  static std::vector<const cases::CaseSpec*> smallest_first(const RightAnswers& answers,
                                                            std::vector<const cases::CaseSpec*> selected) {
    std::stable_sort(selected.begin(), selected.end(), [&](const auto* one, const auto* other) {
      return answers.bytes_of(*one) < answers.bytes_of(*other);
    });
    return selected;
  }

  void try_case(RightAnswers& source, const cases::CaseSpec& one) {
    const auto start = Clock::now();
    CaseTrial& told = told_of(one);
    if (is_fresh(one) && !one.expected.empty()) {
      return fault(one, fmt::format("\"{}\" is expected from a file, and the inputs differ from run to run: give the "
                                    "case a seed, or inputs from files",
                                    one.expected.begin()->first));
    }
    for (auto& trial : trials_) {
      trial.mutants.begin_case();
      trial.changed_here = false;
      trial.earlier.clear();
    }
    const OpenCase open = source.open(one);
    const bool small = elements_of(open) <= kSmall;
    // A fixed seed is all that a run will ever use, and a file is all that there is.
    const int seeds = one.seed || !open.by_reference ? 1 : options_.seeds;
    for (int n = 0; n < seeds; ++n) {
      if (n >= kFewestSeeds && !small && seconds_since(start) > options_.seconds_per_case) {
        told.notes.push_back(fmt::format("{} seeds took {:g} s", n, options_.seconds_per_case));
        break;
      }
      if (!try_seed(source, open, n, seeds)) return;
      told.seeds = n + 1;
    }
    for (auto& trial : trials_) end_case(one, trial, told);
  }

  static std::uint64_t elements_of(const OpenCase& open) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < open.binding.buffers.size(); ++i) {
      if (open.binding.buffers[i].role != runner::BufferRole::workspace)
        sum += element_count(open.binding.shapes[i], open.spec->where);
    }
    return sum;
  }

  // False where the reference is at fault.
  bool try_seed(RightAnswers& source, const OpenCase& open, int n, int seeds) {
    const cases::CaseSpec& one = *open.spec;
    const auto answers =
        source.answer(open, seed_of(one, {options_.seed, subject_.name, fmt::format("{}/qualify{}", one.name, n)}));
    if (!answers.fault.empty()) return fault(one, answers.fault), false;
    for (auto& trial : trials_) {
      const auto& [buffer, param] = trial.output;
      const auto reference = source.view(open, answers, trial.output);
      const auto why = self_check_fault(source.self_check(open, answers, trial.output), one.tolerances.at(param->name));
      if (!why.empty()) return fault(one, why), false;
      const auto hash = std::hash<std::string_view>{}(text_of(reference.bytes));
      if (n == 0) trial.first_hash = hash;
      trial.changed_here = trial.changed_here || hash != trial.first_hash;
      trial.rounded = rounded_to(param->dtype, reference);
      if (seeds == 1 || (n > 0 && n <= kMutantSeeds)) {
        trial.mutants.try_all(source.right_answer(open, answers, trial.output, trial.rounded, trial.earlier));
      }
      if (is_fresh(one)) std::swap(trial.earlier, trial.rounded);
    }
    return true;
  }

  static void end_case(const cases::CaseSpec& one, OutputTrial& trial, CaseTrial& told) {
    const std::string& name = trial.output.param->name;
    const auto sum = trial.mutants.end_case(one.name, one.tolerances.at(name));
    told.mutants += sum.wrong;
    told.stopped += sum.stopped;
    if (!sum.passed.empty())
      told.notes.push_back(fmt::format("passes here: {}: {}", name, fmt::join(sum.passed, ", ")));
    trial.bytes += std::max(trial.rounded.size(), trial.earlier.size());
    trial.changed = trial.changed || trial.changed_here;
    if (!is_fresh(one) || trial.changed_here) return;
    trial.unchanged.push_back(one.name);
    told.notes.push_back(fmt::format("\"{}\" is the same for every seed", name));
  }

  void conclude() {
    const bool all_tried = result_.faults.empty();
    for (auto& trial : trials_) {
      const std::string& name = trial.output.param->name;
      if (!trial.changed && !trial.unchanged.empty()) {
        result_.faults.push_back(
            fmt::format("\"{}\" never changes with the seed (in \"{}\"): the reference does not "
                        "read its inputs, or no case has random ones that matter",
                        name, fmt::join(trial.unchanged, "\", \"")));
      } else if (all_tried && trial.bytes == 0) {
        result_.faults.push_back(fmt::format("\"{}\" has no elements in any case", name));
      }
      for (auto& mutant : trial.mutants.told()) {
        if (mutant.passes()) result_.weaknesses.push_back({fmt::format("{}: {}", name, mutant.mutant), mutant.remedy});
        result_.mutants.push_back(std::move(mutant));
      }
    }
  }

  CaseTrial& told_of(const cases::CaseSpec& one) {
    return *std::find_if(result_.cases.begin(), result_.cases.end(),
                         [&](const auto& told) { return told.name == one.name; });
  }

  void fault(const cases::CaseSpec& one, const std::string& what) {
    result_.faults.push_back(fmt::format("case \"{}\": {}", one.name, what));
  }

  const Subject& subject_;
  const QualifyOptions& options_;
  Progress& progress_;
  std::vector<OutputTrial> trials_;
  Qualification result_;
};

}  // namespace

Qualification qualify(const cases::CasesSpec& cases, const std::shared_ptr<const FileTree>& tree,
                      const QualifyOptions& options, Progress& progress) {
  Subject subject;
  subject.name = cases.kernel;
  subject.cases = cases;
  subject.cases_tree = tree;
  return Qualifier(subject, options, progress).run();
}

}  // namespace kgate::verdict
