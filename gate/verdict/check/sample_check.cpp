#include "gate/verdict/check/sample_check.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace kgate::verdict {
namespace {

// Bytes of a request's samples that a child holds until they are digested. With 48 MiB, and whole outputs, a run of 15
// kernels took 12.4 s of timing on an H200 instead of 4.5 (docs/measurements.md).
constexpr std::uint64_t kMostHeld = 4u << 20;

const Digests* known(const std::vector<Digests>& by_variant, std::uint32_t variant) {
  return variant < by_variant.size() ? &by_variant[variant] : nullptr;
}

// The first buffer whose digest is another one than is known.
std::optional<std::uint32_t> first_difference(const Digests& seen, const Digests* expected) {
  if (expected == nullptr) return {};
  for (const auto& [buffer, digest] : *expected) {
    const auto found = seen.find(buffer);
    if (found != seen.end() && found->second != digest) return buffer;
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> blocks_to_check(std::uint32_t blocks, std::uint64_t sample_bytes, RandomStream random) {
  std::vector<std::uint32_t> all(blocks);
  std::iota(all.begin(), all.end(), 0u);
  const std::uint64_t most = std::max<std::uint64_t>(1, kMostHeld / std::max<std::uint64_t>(1, sample_bytes));
  if (most < blocks) {
    random.shuffle(all);
    all.resize(most);
    std::sort(all.begin(), all.end());
  }
  return all;
}

std::optional<SampleFinding> judge_sample(const runner::CheckedSample& sample, const TimedVersion& version,
                                          const CaseAnswers& answers, const std::vector<runner::Buffer>& buffers,
                                          runner::Regime regime) {
  const bool candidate = !version.reference;
  const std::string beside = candidate ? "" : fmt::format("the {} version, timed beside this one, ", version.name);
  const Verdict verdict = candidate ? Verdict::wrong : Verdict::suspect;
  if (!sample.guards.empty())
    return SampleFinding{verdict, "while it was timed: " + beside + sample.guards.front().finding};
  if (const auto input = first_difference(sample.digests, known(answers.inputs, sample.variant))) {
    return SampleFinding{verdict,
                         fmt::format("while it was timed: {}changed its input \"{}\"", beside, buffers[*input].name)};
  }
  if (const auto* wholes = known(answers.wholes, sample.variant); wholes != nullptr && candidate) {
    for (const auto& [buffer, digest] : sample.wholes) {
      const auto right = wholes->find(buffer);
      if (right == wholes->end() || right->second == digest) continue;
      if (buffers[buffer].role == runner::BufferRole::input)
        return SampleFinding{verdict,
                             fmt::format("while it was timed: changed its input \"{}\"", buffers[buffer].name)};
    }
  }
  const auto& outputs = candidate ? answers.candidate : answers.references[*version.reference];
  auto output = first_difference(sample.digests, known(outputs, sample.variant));
  if (candidate && !output) output = first_difference(sample.wholes, known(answers.wholes, sample.variant));
  if (!output) return {};
  const std::string where = regime == runner::Regime::fresh ? "on fresh inputs" : "on repeated inputs";
  if (candidate) {
    return SampleFinding{
        Verdict::wrong,
        fmt::format("while it was timed, {}, \"{}\" was not what it had been when the same inputs were checked: it "
                    "answers otherwise when it is timed, or has a race",
                    where, buffers[*output].name)};
  }
  return SampleFinding{
      Verdict::suspect,
      fmt::format(
          "the {} version, timed beside this one, {}, gave another \"{}\" than alone: this one writes to memory "
          "that is not its own",
          version.name, where, buffers[*output].name)};
}

}  // namespace kgate::verdict
