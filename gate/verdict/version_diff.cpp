#include "gate/verdict/version_diff.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "fingerprint/comparison.h"
#include "gate/trust/diff.h"

namespace kgate::verdict {
namespace {

std::string launch_text(const cases::LaunchSpec& launch) {
  return fmt::format("{} grid [{}, {}, {}] block [{}, {}, {}] shared {}", launch.entry, launch.grid[0].text,
                     launch.grid[1].text, launch.grid[2].text, launch.block[0].text, launch.block[1].text,
                     launch.block[2].text, launch.shared.text);
}

std::vector<std::string> option_lines(const cases::SourceSet& set) {
  std::vector<std::string> lines{"std = " + set.standard};
  if (!set.architecture.empty()) lines.push_back("arch = " + set.architecture);
  lines.insert(lines.end(), set.options.begin(), set.options.end());
  for (const auto& [name, value] : set.defines) lines.push_back(fmt::format("{} = {}", name, value));
  return lines;
}

// "- old" and "+ new" for what only one side has.
std::vector<std::string> changes(std::vector<std::string> before, std::vector<std::string> after) {
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  std::vector<std::string> gone, come, lines;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(come));
  for (const auto& line : gone) lines.push_back("- " + line);
  for (const auto& line : come) lines.push_back("+ " + line);
  return lines;
}

std::vector<std::string> launch_lines(const cases::KernelSpec& spec) {
  std::vector<std::string> lines;
  for (const auto& launch : spec.launches) lines.push_back(launch_text(launch));
  return lines;
}

}  // namespace

std::string source_diff(const Version& before, const Version& after) {
  std::string diff;
  std::map<std::string, std::pair<const Bytes*, const Bytes*>> files;
  for (const auto& [path, content] : before.files) files[path].first = &content;
  for (const auto& [path, content] : after.files) files[path].second = &content;
  const Bytes none;
  for (const auto& [path, versions] : files) {
    diff += trust::unified_diff(path, versions.first != nullptr ? *versions.first : none,
                                versions.second != nullptr ? *versions.second : none);
  }
  return diff;
}

std::vector<std::string> option_changes(const Version& before, const Version& after) {
  return changes(option_lines(before.spec.sources), option_lines(after.spec.sources));
}

std::vector<std::string> launch_changes(const Version& before, const Version& after) {
  return changes(launch_lines(before.spec), launch_lines(after.spec));
}

const Baseline* find_baseline(const std::vector<Baseline>& baselines, const std::string& against) {
  const auto found =
      std::find_if(baselines.begin(), baselines.end(), [&](const auto& one) { return one.against == against; });
  return found == baselines.end() ? nullptr : &*found;
}

std::vector<VersionDiff> accepted_diffs(const Subject& subject, const std::vector<Baseline>& baselines,
                                        const Json& fingerprint) {
  std::vector<VersionDiff> diffs;
  for (const Baseline& baseline : baselines) {
    const auto accepted = std::find_if(subject.accepted.begin(), subject.accepted.end(),
                                       [&](const auto& one) { return one.against == baseline.against; });
    if (accepted == subject.accepted.end()) continue;  // the base, or what is compared with an accepted version
    VersionDiff& diff = diffs.emplace_back();
    diff.against = baseline.against;
    diff.sequence = baseline.sequence;
    diff.source = source_diff(*baseline.version, subject.candidate);
    diff.options = option_changes(*baseline.version, subject.candidate);
    diff.launch = launch_changes(*baseline.version, subject.candidate);
    // What was compiled anew need not use what the record says.
    if (baseline.recorded && accepted->measured) {
      const trust::Measurement& here = *accepted->measured;
      diff.resources = ResourceUse{here.registers, here.shared_bytes, here.spill_bytes, here.code_bytes};
    }
    if (!accepted->fingerprint.is_null())
      diff.fingerprint = fingerprint::compare(accepted->fingerprint, fingerprint).differences;
  }
  return diffs;
}

std::map<std::string, ErrorGrowth> error_growth(const KernelResult& kernel) {
  std::map<std::string, ErrorGrowth> growth;
  std::map<std::string, double> sums;
  for (const auto& one : kernel.cases) {
    for (const auto& [output, numerics] : one.numerics) {
      if (!numerics.base_rms || !(*numerics.base_rms > 0) || !(numerics.rms > 0)) continue;
      sums[output] += std::log(numerics.rms / *numerics.base_rms);
      ++growth[output].cases;
    }
  }
  for (auto& [output, one] : growth) one.mean = std::exp(sums[output] / static_cast<double>(one.cases));
  return growth;
}

void add_error_growth(KernelResult& kernel, const Subject& subject, const runner::Compiled* base,
                      const std::vector<Baseline>& baselines) {
  for (const auto& [output, growth] : error_growth(kernel)) kernel.error_growth[output] = growth.mean;
  if (!subject.base || base == nullptr || base->status != runner::Compiled::Status::ok) return;
  for (VersionDiff& diff : kernel.accepted_diffs) {
    const Baseline* baseline = find_baseline(baselines, diff.against);
    if (baseline != nullptr && same_work(subject, *subject.base, *base, *baseline))
      diff.error_growth = kernel.error_growth;
  }
}

}  // namespace kgate::verdict
