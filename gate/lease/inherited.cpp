#include "gate/lease/inherited.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "gate/lease/lease_variable.h"

namespace kgate::lease {
namespace {

// Why that ticket is no lease of ours; empty where it is.
std::string objection(const Folder& folder, const TicketName& name, const ProcessTree& tree, const Claim& self) {
  auto queues = read_queues(folder, name.device, false);
  const auto& holders = queues[name.device].holders;
  const auto outer =
      std::find_if(holders.begin(), holders.end(), [&](const Entry& holder) { return holder.name == name; });
  if (outer == holders.end()) return "is over";
  if (outer->owner != ::geteuid() && outer->owner != 0) return "belongs to another user";
  const Claim claim = outer->claim();
  if (claim.pid_namespace == 0 || claim.pid_namespace != self.pid_namespace)
    return "was taken outside of this container, where process numbers differ";
  if (!descends_from(tree, static_cast<pid_t>(self.pid), static_cast<pid_t>(claim.pid)))
    return "is not held by a process that started this one";
  return "";
}

}  // namespace

Inherited find_inherited(const Folder& folder, const std::string& variable, const std::string& device,
                         const ProcessTree& tree, const Claim& self) {
  Inherited found;
  std::string queue_name = device;
  const auto tickets = tickets_in(variable);
  // Within the lease that is found there may be another one, whose device it is.
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const TicketName& outer : tickets) {
      if (outer.device != queue_name) continue;
      const std::string name = text_of(outer), why = objection(folder, outer, tree, self);
      if (!why.empty()) {
        found.why_not = fmt::format("the lease {} that {} names {}", name, kLeaseVariable, why);
        continue;
      }
      found = {name, ""};
      queue_name = name;
      deeper = true;
      break;
    }
  }
  return found;
}

}  // namespace kgate::lease
