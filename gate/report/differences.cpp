#include "gate/report/differences.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::report {
namespace {

using verdict::KernelResult;
using Lines = std::vector<std::string>;

constexpr std::size_t kMostKinds = 6;
constexpr std::size_t kMostCases = 5;
constexpr std::size_t kMostFields = 6;  // of the machine
constexpr double kGrowthToTell = 0.01;  // of the error: less is rounding

std::optional<std::string> resources(const verdict::ResourceUse& before, const verdict::ResourceUse& now) {
  std::vector<std::string> parts;
  const auto part = [&](const char* what, std::int64_t from, std::int64_t to) {
    if (from != to) parts.push_back(fmt::format("{} {} -> {}", what, from, to));
  };
  part("registers", before.registers, now.registers);
  part("shared bytes", before.shared_bytes, now.shared_bytes);
  part("spilled bytes", before.spill_bytes, now.spill_bytes);
  part("code bytes", before.code_bytes, now.code_bytes);
  if (parts.empty()) return std::nullopt;
  return list(parts);
}

// "+38 FP64, -38 FP32; 412 -> 486 instructions", the largest changes first, what has no kind last.
std::string machine_code(const verdict::MachineCode& code) {
  if (!code.not_counted.empty()) return "not counted: " + one_line(code.not_counted);
  std::map<disassembly::Kind, std::int64_t> by_kind;
  for (const auto& [kind, count] : code.after) by_kind[kind] += count;
  for (const auto& [kind, count] : code.before) by_kind[kind] -= count;
  std::erase_if(by_kind, [](const auto& one) { return one.second == 0; });
  std::vector<std::pair<disassembly::Kind, std::int64_t>> changes(by_kind.begin(), by_kind.end());
  const auto weight = [](const auto& change) {
    return std::pair(change.first != disassembly::Kind::other, std::abs(change.second));
  };
  std::stable_sort(changes.begin(), changes.end(), [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
  const std::int64_t before = total(code.before), now = total(code.after);
  if (changes.empty()) return fmt::format("as many instructions of each kind as before, {} in all", now);
  std::vector<std::string> parts;
  for (const auto& [kind, change] : changes) {
    if (parts.size() == kMostKinds) break;
    parts.push_back(fmt::format("{:+} {}", change, words_of(kind)));
  }
  if (changes.size() > kMostKinds) parts.push_back(fmt::format("{} more kinds", changes.size() - kMostKinds));
  return fmt::format("{}; {} -> {} instructions", list(parts), before, now);
}

std::optional<std::string> error_growth(const std::map<std::string, double>& growth) {
  std::vector<std::string> parts;
  for (const auto& [output, factor] : growth) {
    if (!(std::abs(factor - 1) < kGrowthToTell))
      parts.push_back(fmt::format("{} {} times as large", one_line(output), value(factor)));
  }
  if (parts.empty()) return std::nullopt;
  return list(parts);
}

// `from`: "base to candidate", or "record 12 to candidate".
struct Sides {
  std::string from;
  const std::optional<verdict::ResourceUse>& before;
  const std::optional<verdict::ResourceUse>& now;
  std::optional<verdict::MachineCode> code;
  const std::map<std::string, double>& growth;
};

void tell(const Sides& sides, Lines& lines) {
  const auto add = [&](const char* what, const std::optional<std::string>& text) {
    if (text) lines.push_back(fmt::format("{}, {}: {}", what, sides.from, *text));
  };
  if (sides.before && sides.now) add("resources", resources(*sides.before, *sides.now));
  if (sides.code) add("machine code", machine_code(*sides.code));
  add("error", error_growth(sides.growth));
}

void tell_case_times(const KernelResult& kernel, const std::string& against, Lines& lines) {
  std::size_t told = 0, left = 0;
  for (const verdict::CaseResult& one : kernel.cases) {
    for (const verdict::CaseComparison& beside : one.comparisons) {
      if (beside.against != against || !beside.timed || verdict::passes(beside.verdict)) continue;
      if (told++ >= kMostCases) {
        ++left;
        continue;
      }
      lines.push_back(fmt::format("{}, against {}: {} -> {} µs, {}", one_line(one.name), one_line(against),
                                  microseconds(beside.before_us), microseconds(beside.candidate_us),
                                  change(beside.ratio, beside.low, beside.high)));
    }
  }
  if (left > 0) lines.push_back(fmt::format("and {} more, in result.json", count(left, "case")));
}

// What the machine is; its state of the moment is in result.json alone.
void tell_machine(const std::vector<fingerprint::Difference>& differences, const std::string& record, Lines& lines) {
  std::size_t told = 0;
  for (const fingerprint::Difference& one : differences) {
    if (one.axis == "state" || told++ >= kMostFields) continue;
    lines.push_back(fmt::format("machine since {}: {}.{}: {} -> {}; {}", record, one_line(one.axis),
                                one_line(one.field), one_line(one.before), one_line(one.after), one_line(one.timing)));
  }
  if (told > kMostFields)
    lines.push_back(fmt::format("machine since {}: and {} more, in result.json", record, told - kMostFields));
}

bool is_worse(const KernelResult& kernel, const std::string& against) {
  return std::any_of(kernel.comparisons.begin(), kernel.comparisons.end(),
                     [&](const auto& one) { return one.against == against && !verdict::passes(one.verdict); });
}

}  // namespace

std::vector<std::string> differences_of(const KernelResult& kernel) {
  Lines lines;
  tell({"base to candidate", kernel.base, kernel.candidate, kernel.machine_code, kernel.error_growth}, lines);
  for (const std::string& one : kernel.option_changes) lines.push_back("option: " + one_line(one));
  for (const std::string& one : kernel.launch_changes) lines.push_back("launch: " + one_line(one));
  for (const verdict::VersionDiff& diff : kernel.accepted_diffs) {
    if (!is_worse(kernel, diff.against)) continue;
    const std::string record = fmt::format("record {}", diff.sequence);
    tell_case_times(kernel, diff.against, lines);
    // Why nothing was counted is said once.
    const bool said = kernel.machine_code && !kernel.machine_code->not_counted.empty();
    tell({record + " to candidate", diff.resources, kernel.candidate, said ? std::nullopt : diff.machine_code,
          diff.error_growth},
         lines);
    for (const std::string& one : diff.options) lines.push_back("option since " + record + ": " + one_line(one));
    for (const std::string& one : diff.launch) lines.push_back("launch since " + record + ": " + one_line(one));
    const bool told = kernel.attribution && !kernel.attribution->machine_differences.empty();
    if (diff.fingerprint && !told) tell_machine(*diff.fingerprint, record, lines);
  }
  return lines;
}

}  // namespace kgate::report
