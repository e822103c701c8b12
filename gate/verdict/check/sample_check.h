#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/philox.h"
#include "gate/verdict/check/answers.h"
#include "gate/verdict/result/verdict.h"
#include "runner/job.h"

// Timed work is checked work: what chosen samples left behind is compared with what the same versions answered to the
// same inputs in processes that time nothing.
namespace kgate::verdict {

// The blocks of a request to check, ascending, at random: as many as bytes of outputs may be copied and digested for
// one request, at least one. `sample_bytes`: of the outputs of a sample, as far as they are looked at.
std::vector<std::uint32_t> blocks_to_check(std::uint32_t blocks, std::uint64_t sample_bytes, RandomStream random);

// Who was timed: an arm of the job may stand for several versions of equal code.
struct TimedVersion {
  std::optional<std::size_t> reference;  // index of the first reference; none: the candidate
  std::string name;                      // "base", "base and accepted"
};

struct SampleFinding {
  Verdict verdict = Verdict::wrong;
  std::string reason;
};

// Nothing where all is as it should be, or nothing is known to compare with. A candidate that answers otherwise than
// when it was checked is `wrong`; a version that answered rightly alone and does not beside the candidate is a reason
// to suspect the candidate.
std::optional<SampleFinding> judge_sample(const runner::CheckedSample& sample, const TimedVersion& version,
                                          const CaseAnswers& answers, const std::vector<runner::Buffer>& buffers,
                                          runner::Regime regime);

}  // namespace kgate::verdict
