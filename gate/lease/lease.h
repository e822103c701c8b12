#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "gate/lease/claim.h"
#include "gate/lease/folder.h"
#include "gate/lease/ticket.h"
#include "gate/lease/wait_report.h"

namespace kgate::lease {

struct LeaseRequest {
  std::filesystem::path folder = kDefaultFolder;
  std::string device;  // a GPU's or MIG instance's UUID, or "host"
  Priority priority = Priority::pull_request;
  Claim who{};  // own_claim(job)
  std::chrono::seconds wait{1800};
  std::string inherited{};  // KGATE_LEASE, where a parent process may hold it already
  const Interrupt* interrupt = nullptr;
  std::function<void(const Waiting&)> on_wait{};
  // How long the device may be free before those who do not take their turn (a stopped process) are passed over, for
  // each of them.
  std::chrono::milliseconds patience{5000};
};

// One GPU, held until the object goes or the process, and every child that inherited descriptor(), has ended.
class Lease {
 public:
  Lease() = default;  // of nothing
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) noexcept = default;
  ~Lease() = default;

  explicit operator bool() const { return static_cast<bool>(ticket_); }
  const std::string& device() const { return request_.device; }
  const TicketName& ticket() const { return ticket_.name(); }
  // Somebody of the same or a higher priority waits.
  bool wanted() const;
  // Lets those go first and holds again afterwards. Throws as acquire() does; then nothing is held.
  void yield();
  void release() { ticket_.remove(); }
  // Where somebody who inherited it holds or waits within it (inherited.h), it stays theirs until they have ended too.
  void leave_to_those_within();
  // Throws Error(environment) where the lease was lost: somebody removed its file, so another may hold the GPU too.
  void check() const;
  // For children that go on using the GPU when this process dies: they keep it. Whoever has it can also give the lease
  // up, so it is not for a process that is not trusted.
  int descriptor() const { return ticket_.fd(); }

 private:
  friend std::optional<Lease> attempt(const LeaseRequest& request, std::chrono::milliseconds limit);
  std::shared_ptr<const Folder> folder_;
  LeaseRequest request_;
  Ticket ticket_;
};

// Queues, and returns once it holds. Throws Error(environment) after `wait`, naming who holds, and where there is no
// folder to queue in or its state cannot be told; Error(interrupted).
Lease acquire(const LeaseRequest& request);
// Without waiting: nothing where somebody holds it or waits for it.
std::optional<Lease> try_acquire(const LeaseRequest& request);
// Several devices, always in the order of their names, so that two who want the same ones never wait for each other.
std::vector<Lease> acquire_all(std::vector<std::string> devices, const LeaseRequest& request);
// For KGATE_LEASE in the environment of children.
std::string variable_of(const std::vector<Lease>& leases);

}  // namespace kgate::lease
