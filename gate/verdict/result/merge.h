#pragma once

#include <string>
#include <vector>

#include "gate/verdict/result/result.h"

namespace kgate::verdict {

struct ShardResult {
  std::string subject;  // the file, for messages
  Result result;
};

// The results of a run's shards as that of one run, in any order. Throws Error(usage, subject, ...) where they are not
// of one: other commits, policies, tools, profiles, backends, plans; a shard or a kernel twice. Kernels that were
// planned and that no shard has are `missing`, and block: whoever lost them proved nothing. So does a shard that ended
// early. Verdict and exit code come from what blocks in the shards.
Result merge(const std::vector<ShardResult>& shards);

}  // namespace kgate::verdict
