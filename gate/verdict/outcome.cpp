#include "gate/verdict/outcome.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/digest.h"
#include "gate/stats/weighted_ratio.h"
#include "gate/verdict/compile/arms.h"
#include "gate/verdict/subject/case_data.h"
#include "gate/verdict/subject/entry_location.h"
#include "gate/verdict/version_diff.h"

namespace kgate::verdict {
namespace {

ResourceUse worst_of(const std::map<std::string, runner::Resources>& entries) {
  ResourceUse use;
  for (const auto& [entry, one] : entries) {
    use.registers = std::max<std::int64_t>(use.registers, one.registers);
    use.shared_bytes = std::max<std::int64_t>(use.shared_bytes, one.shared_bytes);
    use.spill_bytes = std::max<std::int64_t>(use.spill_bytes, one.spill_bytes);
    use.code_bytes = std::max<std::int64_t>(use.code_bytes, static_cast<std::int64_t>(one.code_bytes));
  }
  return use;
}

void add_cause(KernelResult& kernel, const std::string& cause) {
  auto& causes = kernel.causes;
  if (std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
}

void regress(KernelResult& kernel, const std::string& reason) {
  add_cause(kernel, "change");
  if (kernel.verdict != worst({kernel.verdict, Verdict::regressed}) || passes(kernel.verdict)) {
    kernel.verdict = Verdict::regressed;
    kernel.reason = reason;
  }
}

// GB/s and GFLOP/s of the candidate, where the cases say how much work there is.
void add_rates(Timing& timing, const Subject& subject, const std::string& name) {
  const auto* spec = case_named(subject, name);
  const double seconds = timing.candidate_us * 1e-6;
  if (spec == nullptr || !(seconds > 0)) return;
  const auto rate = [&](const std::optional<cases::Expression>& amount) -> std::optional<double> {
    if (!amount) return std::nullopt;
    return static_cast<double>(cases::evaluate(*amount, spec->sizes)) / seconds * 1e-9;
  };
  timing.gbps = rate(subject.cases.work_bytes);
  timing.gflops = rate(subject.cases.work_flops);
}

CaseComparison beside(const TimedComparison& one) {
  const Timing& time = one.timing;
  return {one.against,       one.verdict, one.reason, time.blocks > 0, time.base_us,
          time.candidate_us, time.ratio,  time.low,   time.high,       time.zone};
}

// One comparison over all timed cases: the weighted geometric mean of their ratios.
void summarise(Comparison& comparison, const Subject& subject, const std::vector<TimedCase>& times) {
  stats::WeightedRatio all;
  std::vector<Verdict> verdicts;
  for (const auto& timed : times) {
    const auto* spec = case_named(subject, timed.name);
    const auto one = std::find_if(timed.comparisons.begin(), timed.comparisons.end(),
                                  [&](const auto& found) { return found.against == comparison.against; });
    if (spec == nullptr || one == timed.comparisons.end()) continue;
    verdicts.push_back(one->verdict);
    const auto& timing = one->timing;
    if (timing.blocks == 0) continue;
    all.add({timing.ratio, std::max(timing.low, 1e-6), std::min(timing.high, stats::kUnknownRatio / 2)}, spec->weight);
  }
  if (!verdicts.empty()) comparison.verdict = worst(verdicts);
  if (all.empty()) {
    // No case could be measured: that is not a ratio of 1.
    if (comparison.verdict == Verdict::inconclusive) {
      comparison.low = 0;
      comparison.high = stats::kUnknownRatio;
    }
    return;
  }
  // The cases' errors are independent: other processes, other places, other inputs.
  const auto mean = all.mean();
  comparison.ratio = mean.ratio;
  comparison.low = mean.low;
  comparison.high = mean.high;
}

std::string toolkit_reason(const Attribution& why) {
  const Part& part = why.toolkit;
  const std::string change =
      fmt::format("{:+.2f} % [{:+.2f}, {:+.2f}]", 100 * (part.ratio - 1), 100 * (part.low - 1), 100 * (part.high - 1));
  return part.verdict == Verdict::regressed
             ? fmt::format("but the toolkit made it slower since: {}", change)
             : fmt::format("but what the toolkit made of it since could not be measured finely enough: {}", change);
}

}  // namespace

Comparison comparison_with(const Baseline& baseline) {
  Comparison comparison;
  comparison.against = baseline.against;
  comparison.commit = baseline.commit;
  comparison.sequence = baseline.sequence;
  comparison.device_class = baseline.device_class;
  comparison.signers = baseline.signers;
  comparison.release = baseline.release;
  comparison.artifact = baseline.recorded ? "recorded" : "recompiled";
  return comparison;
}

KernelResult excluded(const Excluded& kernel, Verdict verdict) {
  KernelResult result;
  result.name = kernel.name;
  result.path = kernel.path;
  result.verdict = verdict;
  result.reason = kernel.reason;
  return result;
}

KernelResult describe(const Subject& subject, const runner::Compiled& candidate,
                      const std::vector<Baseline>& baselines) {
  KernelResult kernel;
  kernel.name = subject.name;
  kernel.path = subject.path;
  kernel.location = entry_location(subject.candidate);
  kernel.sources_digest = "sha256:" + subject.candidate.digest;
  kernel.cases_digest = "sha256:" + subject.cases_digest;
  kernel.cases_revision = subject.cases.revision;
  kernel.cases_signers = subject.cases_signers;
  kernel.warnings = subject.warnings;
  kernel.compiler_log = candidate.log;
  if (subject.base) {
    kernel.source_diff = source_diff(*subject.base, subject.candidate);
    kernel.option_changes = option_changes(*subject.base, subject.candidate);
    kernel.launch_changes = launch_changes(*subject.base, subject.candidate);
  }
  if (candidate.status != runner::Compiled::Status::ok) return kernel;
  kernel.code_digest = "sha256:" + sha256_hex(candidate.code);
  if (baselines.empty()) {
    kernel.code = "new";
    return kernel;
  }
  std::vector<const Baseline*> equal;
  bool base_equal = false, base_there = false;
  for (const auto& baseline : baselines) {
    const bool same = same_work(subject, candidate, baseline);
    if (same) equal.push_back(&baseline);
    if (baseline.against == "base") {
      base_there = true;
      base_equal = same;
    }
  }
  const bool base_decides = base_there && subject.renamed_from.empty();
  const bool unchanged = base_decides ? base_equal : equal.size() == baselines.size();
  kernel.code = unchanged ? "unchanged" : "changed";
  if (!unchanged) return kernel;
  for (const auto* baseline : equal) {
    if (baseline->against == kToolkit) continue;
    kernel.comparisons.push_back(comparison_with(*baseline));
    kernel.comparisons.back().verdict = Verdict::unchanged;
  }
  for (const auto& baseline : baselines) {
    const bool other = std::find(equal.begin(), equal.end(), &baseline) == equal.end();
    if (other && baseline.against != kToolkit && baseline.sequence != 0)
      kernel.not_compared.push_back(fmt::format("{} (record {})", baseline.against, baseline.sequence));
  }
  return kernel;
}

void add_check(KernelResult& kernel, const KernelCheck& check) {
  kernel.cases = check.cases;
  kernel.warnings.insert(kernel.warnings.end(), check.warnings.begin(), check.warnings.end());
  if (!check.candidate.empty()) kernel.candidate = worst_of(check.candidate);
  if (!check.base.empty()) kernel.base = worst_of(check.base);
}

void add_times(KernelResult& kernel, const Subject& subject, const std::vector<TimedCase>& times) {
  for (const auto& timed : times) {
    const auto found =
        std::find_if(kernel.cases.begin(), kernel.cases.end(), [&](const auto& one) { return one.name == timed.name; });
    if (found == kernel.cases.end()) continue;
    if (!timed.comparisons.empty() && timed.comparisons.front().timing.blocks > 0) {
      found->time = timed.comparisons.front().timing;
      add_rates(*found->time, subject, timed.name);
    }
    for (const auto& one : timed.comparisons) {
      if (one.against != kToolkit) found->comparisons.push_back(beside(one));
    }
    if (!timed.moved) {
      kernel.warnings.push_back(fmt::format(
          "case \"{}\": no room to move its buffers from block to block: the ratio holds for one placement, "
          "another process may find another",
          timed.name));
    }
    if (passes(found->verdict)) {
      found->verdict = timed.verdict;
      found->reason = timed.reason;
    }
  }
  for (auto& comparison : kernel.comparisons) {
    summarise(comparison, subject, times);
    // Slower than what was accepted is creep; slower than the base is this change's doing.
    if (comparison.verdict == Verdict::regressed) add_cause(kernel, comparison.against == "base" ? "change" : "creep");
  }
}

void add_parts(KernelResult& kernel, Attribution parts) {
  if (parts.toolkit.verdict == Verdict::regressed) add_cause(kernel, "toolkit");
  kernel.attribution = std::move(parts);
}

void add_machine(KernelResult& kernel, const Part& part, const trust::Zone& zone) {
  kernel.attribution->machine = part;
  // Stored numbers are known to a percent or so: only what is slower beyond that and the zone is a finding.
  if (!part.known() || !(part.low > 1 + zone.tolerate) || !(part.ratio > 1 + zone.block)) return;
  kernel.attribution->machine.verdict = Verdict::regressed;
  add_cause(kernel, "machine");
  if (!passes(kernel.verdict) && kernel.verdict != Verdict::fresh) return;
  kernel.verdict = Verdict::regressed;
  kernel.reason =
      fmt::format("the machine code that was accepted takes {:.1f} % [{:+.1f}, {:+.1f}] longer here than then",
                  100 * (part.ratio - 1), 100 * (part.low - 1), 100 * (part.high - 1));
}

void check_limits(KernelResult& kernel, const trust::Policy& policy) {
  const auto& limits = policy.resources;
  if (kernel.candidate && limits.max_registers && kernel.candidate->registers > *limits.max_registers) {
    regress(kernel,
            fmt::format("uses {} registers, the policy allows {}", kernel.candidate->registers, *limits.max_registers));
  }
  if (kernel.candidate && kernel.base && limits.spill_bytes_growth &&
      kernel.candidate->spill_bytes - kernel.base->spill_bytes > *limits.spill_bytes_growth) {
    regress(kernel, fmt::format("spills {} bytes a thread, the base {}; the policy allows {} more",
                                kernel.candidate->spill_bytes, kernel.base->spill_bytes, *limits.spill_bytes_growth));
  }
  for (const auto& [output, growth] : error_growth(kernel)) {
    if (growth.mean > policy.error_growth) {
      regress(kernel,
              fmt::format("the error of \"{}\" grew to {:.3g} times the base's over {} cases, the policy allows {:.3g}",
                          output, growth.mean, growth.cases, policy.error_growth));
    }
  }
}

void conclude(KernelResult& kernel) {
  std::vector<Verdict> verdicts;
  for (const auto& one : kernel.cases) verdicts.push_back(one.verdict);
  const Verdict found = worst(verdicts);
  if (!passes(found)) {
    kernel.verdict = found;
    const auto first =
        std::find_if(kernel.cases.begin(), kernel.cases.end(), [&](const auto& one) { return one.verdict == found; });
    kernel.reason = fmt::format("case \"{}\": {}", first->name, first->reason);
    return;
  }
  if (kernel.code == "new") {
    kernel.verdict = Verdict::fresh;
    kernel.reason = "right; neither the base nor the ledger has a version to compare it with";
  } else if (kernel.code == "unchanged") {
    kernel.verdict = Verdict::unchanged;
  } else {
    // Faster where something got faster and nothing got slower.
    kernel.verdict = std::find(verdicts.begin(), verdicts.end(), Verdict::faster) != verdicts.end() ? Verdict::faster
                                                                                                    : Verdict::pass;
  }
}

void approve(KernelResult& kernel, const std::string& preapproved) {
  // Whoever accepted it need not have its cost proved again on this machine.
  const bool about_cost = kernel.verdict == Verdict::regressed || kernel.verdict == Verdict::fresh ||
                          kernel.verdict == Verdict::inconclusive;
  if (preapproved.empty() || !about_cost) return;
  // Who accepted a version did not accept what another toolkit makes of it.
  const auto& why = kernel.attribution;
  if (why && !passes(why->toolkit.verdict)) {
    std::erase_if(kernel.causes, [](const auto& cause) { return cause != "toolkit" && cause != "machine"; });
    kernel.verdict = kernel.causes.empty() ? Verdict::inconclusive : Verdict::regressed;
    kernel.reason = fmt::format("{}; {}", preapproved, toolkit_reason(*why));
    return;
  }
  kernel.causes.clear();
  kernel.verdict = Verdict::preapproved;
  kernel.reason = kernel.code == "new" ? preapproved : fmt::format("{} ({})", preapproved, kernel.reason);
}

bool blocks(const KernelResult& kernel, const trust::Profile& profile, bool new_blocks) {
  const auto listed = [&](const char* what) {
    return std::find(profile.block_on.begin(), profile.block_on.end(), what) != profile.block_on.end();
  };
  switch (kernel.verdict) {
    case Verdict::pass:
    case Verdict::faster:
    case Verdict::unchanged:
    case Verdict::preapproved:
      return false;
    case Verdict::fresh:
      return new_blocks || listed("new");
    case Verdict::inconclusive:
      return listed("inconclusive");
    case Verdict::environment:
      return listed("environment");
    case Verdict::missing:
      return listed("missing");
    case Verdict::regressed: {
      // What was found against one version does not decide what could not be measured against another.
      const auto& all = kernel.comparisons;
      if (listed("inconclusive") &&
          std::any_of(all.begin(), all.end(), [](const auto& one) { return one.verdict == Verdict::inconclusive; }))
        return true;
      const auto& causes = kernel.causes;
      if (causes.empty()) return listed("change");
      return std::any_of(causes.begin(), causes.end(), [&](const auto& cause) { return listed(cause.c_str()); });
    }
    case Verdict::suspect:
    case Verdict::wrong:
    case Verdict::untrusted:
      return true;
  }
  return true;
}

}  // namespace kgate::verdict
