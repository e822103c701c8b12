#include "gate/lease/inherited.h"

#include <fmt/format.h>
#include <unistd.h>

#include "gate/lease/lease_variable.h"

namespace kgate::lease {
namespace {

std::string objection(const Entry& outer, const ProcessTree& tree, const Claim& self) {
  const Claim claim = outer.claim();
  if (outer.owner != ::geteuid() && outer.owner != 0) return "belongs to another user";
  if (claim.pid_namespace == 0 || claim.pid_namespace != self.pid_namespace)
    return "was taken outside of this container, where process numbers differ";
  if (!descends_from(tree, static_cast<pid_t>(self.pid), static_cast<pid_t>(claim.pid)))
    return "is not held by a process that started this one";
  return "";
}

}  // namespace

Inherited find_inherited(const Folder& folder, const std::string& variable, const std::string& device,
                         const ProcessTree& tree, const Claim& self) {
  for (const TicketName& outer : tickets_in(variable)) {
    if (outer.device != device) continue;
    const std::string name = text_of(outer);
    std::string why = "is over";
    const auto queues = read_queues(folder, device, false);
    const auto queue = queues.find(device);
    if (queue != queues.end()) {
      for (const Entry& holder : queue->second.holders) {
        if (holder.name != outer) continue;
        why = objection(holder, tree, self);
        if (why.empty()) return {name, ""};
      }
    }
    return {std::nullopt, fmt::format("the lease {} that KGATE_LEASE names {}", name, why)};
  }
  return {};
}

}  // namespace kgate::lease
