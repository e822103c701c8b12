#include "gate/report/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/meaning.h"

namespace kgate::report {

using verdict::CaseResult;
using verdict::Comparison;
using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

namespace {

std::string place_of(const std::string& output, const std::vector<std::uint64_t>& index) {
  std::string inside;
  for (const std::uint64_t one : index) inside += (inside.empty() ? "" : ", ") + std::to_string(one);
  return one_line(output) + "[" + inside + "]";
}

std::string version_named(const KernelResult& kernel, const std::string& against) {
  for (const Comparison& one : kernel.comparisons) {
    if (one.against == against) return version_words(one);
  }
  return one_line(against);
}

}  // namespace

Findings findings_of(const Result& result) {
  Findings found;
  for (const KernelResult& kernel : result.kernels) {
    if (verdict::passes(kernel.verdict)) continue;
    (blocks(kernel, result) ? found.blocking : found.other).push_back(&kernel);
  }
  const auto worse = [](const KernelResult* a, const KernelResult* b) { return a->verdict > b->verdict; };
  std::stable_sort(found.blocking.begin(), found.blocking.end(), worse);
  std::stable_sort(found.other.begin(), found.other.end(), worse);
  return found;
}

bool is_told(const CaseResult& one) {
  return !verdict::passes(one.verdict) && one.verdict != Verdict::fresh;
}

std::vector<const CaseResult*> told_cases(const KernelResult& kernel) {
  std::vector<const CaseResult*> found;
  for (const CaseResult& one : kernel.cases) {
    if (is_told(one)) found.push_back(&one);
  }
  std::stable_sort(found.begin(), found.end(), [&](const CaseResult* a, const CaseResult* b) {
    if (a->verdict != b->verdict) return a->verdict > b->verdict;
    const auto slow = [&](const CaseResult* one) {
      const auto times = beside(kernel, *one);
      return times && times->ratio > 0 ? times->ratio : 0;  // also where it is not a number
    };
    return slow(a) > slow(b);
  });
  return found;
}

bool told_by_case(const KernelResult& kernel) {
  return std::any_of(kernel.cases.begin(), kernel.cases.end(), [&](const CaseResult& one) {
    return is_told(one) && kernel.reason == "case \"" + one.name + "\": " + one.reason;
  });
}

std::string after_verdict(const Result& result) {
  if (result.exit_code == 0 && !verdict::passes(result.verdict))
    return fmt::format(" (exit code 0): the profile {} does not block on what was found", one_line(result.profile));
  return fmt::format(" (exit code {}): {}", result.exit_code, meaning_of(result, decisive(result)));
}

std::string version_words(const Comparison& one) {
  std::string place = one_line(one.commit).substr(0, 10);
  if (one.sequence != 0) place = fmt::format("record {}, {}", one.sequence, one_line(one.artifact));
  return one_line(one.against) + (place.empty() ? "" : " (" + place + ")");
}

std::optional<Beside> beside(const KernelResult& kernel, const CaseResult& one) {
  for (const verdict::CaseComparison& other : one.comparisons) {
    if (!other.timed || verdict::passes(other.verdict) || other.verdict != one.verdict) continue;
    return Beside{
        version_named(kernel, other.against), other.before_us, other.candidate_us, other.ratio, other.low, other.high};
  }
  if (!one.time) return std::nullopt;
  const verdict::Timing& time = *one.time;
  std::string version;
  if (!kernel.comparisons.empty()) version = version_words(kernel.comparisons.front());
  const bool decides = kernel.comparisons.empty() || verdict::passes(one.verdict) ||
                       !verdict::passes(kernel.comparisons.front().verdict);
  return Beside{version, time.base_us, time.candidate_us, time.ratio, time.low, time.high, decides};
}

std::string change_words(const KernelResult& kernel, const CaseResult& one) {
  const auto times = beside(kernel, one);
  if (!times || !times->decides) return {};
  return change(times->ratio, times->low, times->high) + (times->version.empty() ? "" : " against " + times->version);
}

std::string case_words(const CaseResult& one) {
  std::string text = verdict::name_of(one.verdict);
  if (one.time) {
    text += fmt::format(", {} -> {} µs, {}", microseconds(one.time->base_us), microseconds(one.time->candidate_us),
                        change(one.time->ratio, one.time->low, one.time->high));
  }
  if (!one.reason.empty()) text += ": " + one_line(one.reason);
  return text;
}

std::vector<std::string> mismatch_lines(const CaseResult& one) {
  std::vector<std::string> lines;
  // The judge's own words name the place and the values.
  if (one.reason.find("first at [") != std::string::npos) return lines;
  for (const auto& [output, numbers] : one.numerics) {
    if (numbers.mismatched == 0 || numbers.first_mismatch.empty()) continue;
    const std::string of = numbers.elements > 0 ? fmt::format(" of {}", numbers.elements) : "";
    const char* const verb = numbers.mismatched == 1 && of.empty() ? "element differs" : "elements differ";
    lines.push_back(fmt::format("{}: expected {}, got {} ({}{} {}, max rel {}, max abs {})",
                                place_of(output, numbers.first_mismatch), value(numbers.first_expected),
                                value(numbers.first_got), numbers.mismatched, of, verb, value(numbers.max_rel),
                                value(numbers.max_abs)));
  }
  return lines;
}

}  // namespace kgate::report
