#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "gate/lease/claim.h"
#include "gate/lease/folder.h"

// A place in the queue of a device is one file, a ticket: made, owned and locked by who waits or holds, so that nobody
// ever writes or locks a file of somebody else's. Its name says the order: DEVICE.PRIORITY.NUMBER; its lock, whether
// its owner lives, and whether it waits (bytes 0 and 1 are locked) or holds (byte 0 alone). The locks are those of open
// file descriptions (fcntl F_OFD_SETLK): the kernel releases them with the last descriptor, children can inherit them,
// and others can look at them without taking them, which flock cannot offer.
namespace kgate::lease {

// A GPU's or MIG instance's UUID, or "host": what is_kernel_name allows, without dots, at most 64 characters.
bool is_device_name(std::string_view name);

struct TicketName {
  std::string device;  // of a lease within a lease: the outer ticket's name (inherited.h)
  Priority priority = Priority::pull_request;
  std::uint64_t number = 0;
  // Within a device the order of the queue.
  auto operator<=>(const TicketName&) const = default;
};
std::string text_of(const TicketName& name);
// Nothing where that is no ticket's name.
std::optional<TicketName> ticket_name_from(std::string_view text);
constexpr std::uint64_t kLastNumber = 999'999'999'999'999'999;

enum class TicketState { dead, waits, holds };
// Of an opened ticket, by its lock.
TicketState state_of(int fd);

// One's own. Removed, and its lock released, when the object goes or the process dies.
class Ticket {
 public:
  Ticket() = default;
  // Waits from the first moment on. The caller has the folder's lock. `name.number` is the first to try. Throws
  // Error(environment) where the folder is full or may not be written.
  static Ticket draw(std::shared_ptr<const Folder> folder, TicketName name, const Claim& claim);
  Ticket(Ticket&& other) noexcept = default;
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket() { remove(); }

  const TicketName& name() const { return name_; }
  int fd() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }
  // From now on it holds. The caller has the folder's lock.
  void hold(const Claim& claim);
  // Whether the file of its name is still this one.
  bool is_there() const;
  // Gives the place up, also for children that inherited the descriptor.
  void remove() noexcept;
  // Leaves it to them: it ends with the last of them.
  void leave() noexcept { fd_.reset(); }

 private:
  std::shared_ptr<const Folder> folder_;
  TicketName name_;
  UniqueFd fd_;
};

}  // namespace kgate::lease
