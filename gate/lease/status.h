#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/interrupt.h"
#include "gate/lease/claim.h"

namespace kgate::lease {

struct Party {
  Claim claim;
  Priority priority = Priority::pull_request;
  std::string ticket;  // the file
  uid_t owner = 0;     // as the kernel knows it; claim.user is what it says itself
  double for_s = 0;    // how long it has held or waited
};

struct DeviceQueue {
  std::string device;
  std::string within;  // the outer ticket of a lease within a lease; else empty
  std::optional<Party> holder;
  std::vector<Party> waiting;  // in order
};

struct QueueStatus {
  std::vector<DeviceQueue> devices;  // that somebody holds or waits for, by name
  std::vector<std::string> remarks;  // what is not as it should be
};

// Who holds and who waits, now. A folder that is not there holds nobody. Removes what dead processes left. Throws
// Error(environment) as Folder::open and FolderLock do.
QueueStatus read_status(const std::filesystem::path& folder, const Interrupt* interrupt = nullptr);

}  // namespace kgate::lease
