#pragma once

#include <optional>
#include <string>

#include "gate/lease/process_tree.h"
#include "gate/lease/queue.h"

// A lease within a lease. `kgate lease run make bench` holds the GPU; a kgate that make starts must not wait for its
// own grandparent. KGATE_LEASE names the outer tickets. It is a claim like any other, so it is verified: the ticket
// must be one that holds now, and the process that it names must be an ancestor of this one in the same pid namespace.
// What is then taken is a place in a queue of its own, whose device is the outer ticket: two kgates that make starts at
// once come one after the other.
namespace kgate::lease {

struct Inherited {
  std::optional<std::string> queue;  // the outer ticket's name; nothing: queue as everybody does
  std::string why_not;               // where the variable names the device and does not count
};

// `variable`: KGATE_LEASE, or empty.
Inherited find_inherited(const Folder& folder, const std::string& variable, const std::string& device,
                         const ProcessTree& tree, const Claim& self);

}  // namespace kgate::lease
