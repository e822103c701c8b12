#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fingerprint/gpu_state.h"
#include "gate/lease/claim.h"
#include "gate/lease/process_tree.h"

// The watch on those who do not queue. Nothing stops a process from using a GPU without its lease; it can only be
// named.
namespace kgate::lease {

// A process that uses a GPU and was not started by who holds its lease.
struct Stranger {
  unsigned pid = 0;
  std::string name, user;
  std::uint64_t memory_bytes = 0;  // 0: not told
};

struct Strangers {
  std::vector<Stranger> known;
  // Processes that NVML lists and that cannot be seen here: those of other containers, or all where this is one.
  std::size_t unseen = 0;
  bool unseen_may_be_the_holders = false;
};

// Who looks, and what numbers mean to it.
struct Viewpoint {
  ProcessTree tree;
  std::uint64_t pid_namespace = 0;
  bool numbers_are_nvmls = true;  // this is the host's pid namespace, whose numbers NVML gives
};
Viewpoint own_viewpoint();

// `holder`: nothing where nobody holds. A holder that is a process of ours may use the GPU, and what it has started.
Strangers find_strangers(const std::vector<fingerprint::GpuProcess>& processes, const std::optional<Claim>& holder,
                         const Viewpoint& view);

// A line for each: "python of bob (process 81, 3.1 GiB) uses GPU-1 without its lease".
std::vector<std::string> in_words(const Strangers& strangers, const std::string& device);

}  // namespace kgate::lease
