#include "gate/verdict/qualify/mutant_trials.h"

#include <fmt/format.h>

#include "gate/verdict/check/worker.h"

namespace kgate::verdict {
namespace {

constexpr std::size_t kLarge = std::size_t{16} << 20;  // bytes of an output; a mutant of it takes some 50 ms

}  // namespace

MutantTrials::MutantTrials(const std::string& output, const std::vector<std::string>& inputs) {
  for (auto& mutant : mutants_with(inputs)) {
    Record record;
    record.told.output = output;
    record.told.mutant = mutant.name;
    record.mutant = std::move(mutant);
    records_.push_back(std::move(record));
  }
}

void MutantTrials::begin_case() {
  for (auto& record : records_) record.here = {};
}

void MutantTrials::try_all(const RightAnswer& right) {
  for (auto& record : records_) {
    if (record.told.failed_in.empty() || right.rounded.size() <= kLarge) try_one(right, record);
  }
}

void MutantTrials::try_one(const RightAnswer& right, Record& record) {
  InCase& here = record.here;
  bool wrong = false, failed = false;
  std::optional<Remedies> remedies;
  for (const std::uint8_t poison : kPoison) {
    if (poison != kPoison.front() && !record.mutant.by_poison) break;
    Bytes out(right.rounded.begin(), right.rounded.end());
    auto why_not = record.mutant.mutate(right, poison, out);
    if (why_not.empty() && same_values(right.dtype, out, right.rounded)) why_not = "it equals the right answer";
    if (!why_not.empty()) {
      here.why_not.insert(why_not);
      continue;
    }
    wrong = true;
    // As in a check: a kernel is wrong that fails one of the two runs.
    const ElementView got{right.dtype, out};
    if (!compare_output(right.reference, got, right.shape, right.tolerance).right) {
      failed = true;
    } else if (!remedies) {
      remedies = remedies_for(right.reference, got, right.tolerance);
    }
  }
  if (!wrong) return;
  ++here.wrong;
  if (failed) {
    ++here.failed;
  } else {
    here.remedies = here.remedies ? common_to(*here.remedies, *remedies) : *remedies;
  }
}

MutantTrials::CaseSum MutantTrials::end_case(const std::string& name, const cases::Tolerance& tolerance) {
  CaseSum sum;
  for (auto& [mutant, told, here, why_not, ease] : records_) {
    why_not.insert(here.why_not.begin(), here.why_not.end());
    if (here.wrong == 0) continue;
    ++told.cases;
    ++sum.wrong;
    if (here.failed == here.wrong) {
      ++sum.stopped;
      if (told.failed_in.empty()) told.failed_in = name;
      continue;
    }
    sum.passed.push_back(told.mutant);
    const auto remedy = easiest_of(*here.remedies, tolerance);
    if (remedy.ease <= ease) continue;
    ease = remedy.ease;
    told.remedy = fmt::format("case \"{}\": {}", name, remedy.words);
  }
  return sum;
}

std::vector<MutantTrial> MutantTrials::told() const {
  std::vector<MutantTrial> trials;
  for (const auto& record : records_) {
    trials.push_back(record.told);
    if (record.told.cases == 0) trials.back().why_not = fmt::format("{}", fmt::join(record.why_not, "; "));
    if (!record.told.failed_in.empty()) trials.back().remedy.clear();
  }
  return trials;
}

}  // namespace kgate::verdict
