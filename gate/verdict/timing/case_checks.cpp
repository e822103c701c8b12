// What a case's timed samples left behind, held against what was found before it was timed (sample_check.h).
#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/philox.h"
#include "gate/verdict/check/compare.h"
#include "gate/verdict/timing/case_experiment.h"
#include "runner/looked_at.h"

namespace kgate::verdict {
namespace {

// Bytes that a look at a sample's outputs takes, up to which every request is checked: two large outputs.
constexpr std::uint64_t kOftenChecked = 2 * runner::kLookedAtWhole;

}  // namespace

// The candidate's whole output comes back where the cases let it differ from run to run, so that no digest can tell;
// where that is much it is done once a round and regime.
void CaseExperiment::choose_checks(runner::TimeJob& job) {
  if (answers_ == nullptr) return;
  const bool again = !checked_rounds_.insert({round_, job.regime}).second;
  const auto& may_differ = answers_->may_differ;
  const bool keep =
      std::any_of(may_differ.begin(), may_differ.end(), [](const auto& outputs) { return !outputs.empty(); });
  std::uint64_t bytes = 0;
  for (const auto& buffer : arms_.buffers) {
    if (buffer.role == runner::BufferRole::output || buffer.role == runner::BufferRole::inout)
      bytes += keep ? buffer.bytes : runner::looked_bytes(buffer.bytes);
  }
  if (again && bytes > kOftenChecked) return;
  const auto stream = stream_of(fmt::format("checks {}", requests_++));
  job.checked = blocks_to_check(job.blocks, bytes, RandomStream(stream, 0));
  job.looks = answers_->looks;
  job.check_inputs = !again && job.regime == runner::Regime::batch;
  if (keep) job.keep = 0;
  if (!again && round_ == round_of_the_whole(job.regime)) job.whole = 0;
}

// Of the rounds that every case has, by chance: reading and hashing all of large buffers is what checking costs most.
std::int64_t CaseExperiment::round_of_the_whole(runner::Regime regime) const {
  const auto what = regime == runner::Regime::fresh ? "/whole, fresh" : "/whole";
  const auto stream = verdict::stream_of({options_.seed, job_.subject->name, one_.name + what});
  return first_round_ + static_cast<std::int64_t>(stream % static_cast<std::uint64_t>(options_.budget.min_rounds));
}

void CaseExperiment::check_samples(runner::Client& child, const runner::TimeJob& job,
                                   const runner::TimeOutcome& outcome) {
  const bool answered =
      std::equal(job.checked.begin(), job.checked.end(), outcome.checked.begin(), outcome.checked.end(),
                 [&](std::uint32_t block, const auto& one) { return one.block == block && one.arm < job.arms.size(); });
  if (!answered) throw Error(ErrorKind::internal, "kgate-runner", "did not check the samples that it was asked for");
  bool seen_whole = false;
  for (const auto& sample : outcome.checked) {
    const bool whole = job.whole == sample.arm && !seen_whole;
    require_digests(sample, whole);
    seen_whole = seen_whole || whole;
    ++checked_;
    const auto finding = judge_sample(sample, version_of_arm(sample.arm), *answers_, arms_.buffers, job.regime);
    if (finding) return fail(finding->verdict, finding->reason);
    if (sample.kept) check_whole(child, sample.variant);
    if (failed_) return;
  }
}

// What a child leaves out must not pass for right.
void CaseExperiment::require_digests(const runner::CheckedSample& sample, bool whole) const {
  for (const auto& output : outputs_of(job_.subject->cases)) {
    if (!sample.digests.contains(output.buffer) || (whole && !sample.wholes.contains(output.buffer)))
      throw Error(ErrorKind::internal, "kgate-runner", "left an output out of the samples that it was asked to check");
  }
}

void CaseExperiment::check_whole(runner::Client& child, std::uint32_t variant) {
  if (variant >= answers_->may_differ.size()) return;
  const auto binding = cases::bind(job_.subject->cases, one_, cases::version_of(job_.subject->candidate.spec));
  for (const auto& output : outputs_of(job_.subject->cases)) {
    const auto expected = answers_->may_differ[variant].find(output.buffer);
    if (expected == answers_->may_differ[variant].end()) continue;
    const SharedMemory got = child.read(output.buffer, runner::Client::Seconds(kHandOverLimit));
    const auto finding =
        compare_output({expected->second.dtype, expected->second.content.bytes()}, {output.param->dtype, got.bytes()},
                       binding.shapes[output.buffer], tolerance_of(one_, *output.param));
    if (!finding.right)
      return fail(Verdict::wrong, fmt::format("while it was timed: \"{}\": {}", output.param->name, finding.reason));
  }
}

TimedVersion CaseExperiment::version_of_arm(std::size_t arm) const {
  for (std::size_t i = 0; i < job_.references.size() && arm > 0; ++i) {
    if (arms_.arm_of[i + 1] == arm) return {i, result_.arms[arm]};
  }
  return {};
}

}  // namespace kgate::verdict
