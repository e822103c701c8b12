#include "gate/lease/queue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace kgate::lease {
namespace {

bool belongs_to(const std::string& queue, const std::string& device) {
  return device.empty() || queue == device || queue.starts_with(device + ".");
}

std::vector<TicketName> names_in(const Folder& folder, const std::string& device) {
  // A descriptor of its own: reading moves the offset.
  UniqueFd again(::openat(folder.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> list(again ? ::fdopendir(again.get()) : nullptr, ::closedir);
  if (!list) throw system_error(folder.path().string(), "cannot be listed", errno);
  again.release();
  std::vector<TicketName> names;
  errno = 0;
  while (const dirent* entry = ::readdir(list.get())) {
    auto name = ticket_name_from(entry->d_name);
    if (name && belongs_to(name->device, device)) names.push_back(std::move(*name));
    if (names.size() > kMostTickets) {
      throw Error(ErrorKind::environment, folder.path().string(),
                  fmt::format("has more than {} places in the queue", kMostTickets),
                  "somebody fills it: see whose files they are, and remove those of dead processes");
    }
    errno = 0;
  }
  if (errno != 0) throw system_error(folder.path().string(), "cannot be listed", errno);
  std::sort(names.begin(), names.end());
  return names;
}

void look_at(const Folder& folder, TicketName name, bool sweep, Queue& queue) {
  const std::string file = text_of(name);
  Entry entry{std::move(name),
              UniqueFd(::openat(folder.fd(), file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)),
              0};
  const int why = errno;
  struct stat status {};
  if (!entry.fd) {
    if (why == ENOENT) return;  // just given up
    if (::fstatat(folder.fd(), file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISREG(status.st_mode)) {
      queue.strange.push_back(file);
    } else if (why == EACCES || why == EPERM) {
      queue.unreadable.emplace_back(file, status.st_uid);
    } else {
      throw system_error((folder.path() / file).string(), "cannot be opened", why);
    }
    return;
  }
  if (::fstat(entry.fd.get(), &status) != 0) throw system_error(file, "cannot be looked at", errno);
  if (!S_ISREG(status.st_mode)) {
    queue.strange.push_back(file);
    return;
  }
  entry.owner = status.st_uid;
  const TicketState state = state_of(entry.fd.get());
  if (state == TicketState::dead) {
    // In a sticky folder only its owner, root and the folder's owner may; for others it is harmless. Tickets are made
    // and locked under the folder's lock, so nobody lives whose file is not locked now.
    if (sweep) ::unlinkat(folder.fd(), file.c_str(), 0);
    return;
  }
  queue.last_number = std::max(queue.last_number, entry.name.number);
  (state == TicketState::holds ? queue.holders : queue.waiting).push_back(std::move(entry));
}

}  // namespace

Claim Entry::claim() const {
  std::array<char, kMaxClaim> text{};
  const ssize_t got = ::pread(fd.get(), text.data(), text.size(), 0);
  return read_claim({text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
}

std::map<std::string, Queue> read_queues(const Folder& folder, const std::string& device, bool sweep) {
  std::map<std::string, Queue> queues;
  for (TicketName& name : names_in(folder, device)) {
    Queue& queue = queues[name.device];
    look_at(folder, std::move(name), sweep, queue);
  }
  return queues;
}

}  // namespace kgate::lease
