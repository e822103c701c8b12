#pragma once

#include <cstdint>
#include <vector>

#include "gate/cases/job.h"
#include "gate/verdict/compile/compiler.h"

namespace kgate::verdict {

// A version of a kernel in one case: its machine code, and how it is launched there.
struct Contender {
  Artifact artifact;
  cases::Binding binding;
};

// The same machine code, launched in the same way on the same buffers: the same work.
bool same_version(const runner::Compiled& code_a, const cases::Binding& a, const runner::Compiled& code_b,
                  const cases::Binding& b);

// All versions of a kernel on the same buffers: the parameters', then scratch memory. Versions whose scratch memory has
// the same size share it, as they share the parameters: where a few bytes of scratch lie decides by itself how fast a
// kernel of 3 us is (on an H200 a block's ratio spread by about 5 % with two places, by 0.06 % with one).
struct Arms {
  std::vector<runner::Buffer> buffers;
  std::vector<runner::TimedArm> arms;         // each one's number is that of the first contender it stands for
  std::vector<std::size_t> arm_of;            // of each contender: versions of equal code and launches are one arm
  std::vector<runner::Buffer> without_first;  // the buffers, less the first contender's scratch memory
};

// `parameters`: how many buffers of each binding are the interface's; `apart`: equal versions stay arms of their own.
// Throws Error(internal) for no contenders.
Arms merge(const std::vector<Contender>& contenders, std::size_t parameters, bool apart = false);

// The buffers of a case that are parameters, the same for all versions.
std::size_t parameter_buffers(const cases::CasesSpec& cases);

}  // namespace kgate::verdict
