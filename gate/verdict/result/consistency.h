#pragma once

#include <cstdint>
#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::verdict {

constexpr std::int64_t kMostShards = 100'000;

// What a run that went to its end says of itself, from what it says of its kernels: the worst verdict, and the code of
// the worst of those that block.
struct Conclusion {
  Verdict verdict = Verdict::missing;
  int exit_code = 6;
};
Conclusion conclusion_of(const Result& result);

// A shard for which its plan has no kernel: a pass, where a run that judged nothing is `missing`. The first kernels of
// a plan go to a shard each, so that no shard is empty but those beyond their number.
bool is_empty_shard(const Result& result);

// A run that an error or a signal ended early: its code is the error's, and its verdict with it.
bool ended_early(const Result& result);

// Throws Error(usage, subject, ...) for a result that contradicts itself: a verdict better than its kernels', an exit
// code that nothing in it explains, a kernel that passes with a case that does not. Whoever reads a result to act on it
// reads one that holds together.
void check_consistent(const Result& result, const std::string& subject);

}  // namespace kgate::verdict
