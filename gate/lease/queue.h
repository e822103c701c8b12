#pragma once

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "gate/lease/ticket.h"

namespace kgate::lease {

// A ticket as others see it.
struct Entry {
  TicketName name;
  UniqueFd fd;  // for looking again
  uid_t owner = 0;

  Claim claim() const;  // read now
};

// Who lives, of those in one device's queue.
struct Queue {
  std::vector<Entry> holders;  // one at most, unless somebody does not keep the rules
  std::vector<Entry> waiting;  // in order
  // Files with a ticket's name of which cannot be told whether their owner lives (mode 0600), with their owners.
  std::vector<std::pair<std::string, uid_t>> unreadable;
  std::vector<std::string> strange;  // with a ticket's name, and no plain file: nobody's place
  std::uint64_t last_number = 0;     // of those who live
};

// The queues of one device, or of all where `device` is empty, with those within its leases. `sweep`: files of dead
// owners are removed where that is permitted (the caller has the folder's lock), else passed over. Throws
// Error(environment) where the folder holds more than kMostTickets.
std::map<std::string, Queue> read_queues(const Folder& folder, const std::string& device, bool sweep);
constexpr std::size_t kMostTickets = 4096;

}  // namespace kgate::lease
