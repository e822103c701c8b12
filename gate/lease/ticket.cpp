#include "gate/lease/ticket.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/quote.h"

namespace kgate::lease {
namespace {

constexpr std::size_t kLongestDevice = 64;
constexpr std::size_t kLongestName = 250;  // of a file
constexpr int kMostTries = 4096;
constexpr off_t kWaitingBytes = 2;

struct flock range(short type, off_t from, off_t length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = from;
  lock.l_len = length;
  return lock;
}

constexpr const char* kOther = "name another folder with --lease-dir or [lease] folder in the policy";

std::string remedy(const Folder& folder, int why) {
  switch (why) {
    case ENOSPC:
    case EDQUOT:
      return "free some space on the disk that it lies on";
    case EACCES:
    case EPERM:
    case EROFS:
      return fmt::format("let its owner open it to all who use the GPU, \"chmod 1777 {}\", or {}",
                         folder.path().string(), kOther);
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return "this machine ran out of a resource";
    default:
      return kOther;  // it has no such locks, or is gone
  }
}

Error unwritable(const Folder& folder, int why) {
  return {ErrorKind::environment, folder.path().string(),
          fmt::format("no place in the queue can be taken: {}", std::strerror(why)), remedy(folder, why)};
}

bool write_whole(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::pwrite(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return ::ftruncate(fd, static_cast<off_t>(text.size())) == 0;
}

}  // namespace

bool is_device_name(std::string_view name) {
  return is_kernel_name(name) && name.size() <= kLongestDevice && name.find('.') == std::string_view::npos;
}

std::string text_of(const TicketName& name) {
  return fmt::format("{}.{}.{}", name.device, static_cast<int>(name.priority), name.number);
}

std::optional<TicketName> ticket_name_from(std::string_view text) {
  const auto dot = text.rfind('.');
  if (dot == std::string_view::npos || dot < 3 || text.size() > kLongestName) return std::nullopt;
  const std::string_view digits = text.substr(dot + 1), priority = text.substr(dot - 2, 2);
  TicketName name;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), name.number);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || name.number > kLastNumber)
    return std::nullopt;
  if (priority[0] != '.' || priority[1] < '0' || priority[1] >= '0' + static_cast<char>(kPriorityNames.size()))
    return std::nullopt;
  name.priority = static_cast<Priority>(priority[1] - '0');
  name.device = text.substr(0, dot - 2);
  // One way to write each name alone: "07" is nobody's.
  if (name.number == 0 || text_of(name) != text) return std::nullopt;
  if (is_device_name(name.device)) return name;
  return ticket_name_from(name.device) ? std::optional(name) : std::nullopt;
}

TicketState state_of(int fd) {
  // "Could somebody read here?": only a lock for writing forbids it, and that takes the right to write, so a stranger
  // who may only read a ticket cannot make it look alive.
  struct flock lock = range(F_RDLCK, 0, kWaitingBytes);
  if (::fcntl(fd, F_OFD_GETLK, &lock) != 0) throw system_error("ticket", "its lock cannot be looked at", errno);
  if (lock.l_type == F_UNLCK) return TicketState::dead;
  // What is locked in any other way counts as a holder: then nobody else becomes one.
  return lock.l_start == 0 && lock.l_len == kWaitingBytes ? TicketState::waits : TicketState::holds;
}

Ticket Ticket::draw(std::shared_ptr<const Folder> folder, TicketName name, const Claim& claim) {
  Ticket ticket;
  ticket.name_ = std::move(name);
  // A number whose file is there belongs to somebody dead whose file we may not remove.
  for (int tries = 0; !ticket.fd_; ++tries, ++ticket.name_.number) {
    if (tries == kMostTries || ticket.name_.number > kLastNumber) {
      throw Error(ErrorKind::environment, folder->path().string(),
                  fmt::format("no number is left for {}", ticket.name_.device),
                  "see kgate lease status: somebody there does not keep the rules of the queue");
    }
    ticket.fd_ = UniqueFd(::openat(folder->fd(), text_of(ticket.name_).c_str(),
                                   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!ticket.fd_ && errno != EEXIST) throw unwritable(*folder, errno);
    if (!ticket.fd_) continue;
    const struct flock lock = range(F_WRLCK, 0, kWaitingBytes);
    if (::fcntl(ticket.fd(), F_OFD_SETLK, &lock) == 0) break;
    if (errno != EAGAIN && errno != EACCES) throw unwritable(*folder, errno);
    // Somebody who looks for trouble has locked the new file first: the next number.
    ::unlinkat(folder->fd(), text_of(ticket.name_).c_str(), 0);
    ticket.fd_.reset();
  }
  ticket.folder_ = std::move(folder);
  // Readable by all, whatever the umask: who cannot look at its lock cannot know whether its owner lives.
  errno = 0;
  if (::fchmod(ticket.fd(), 0644) != 0 || !write_whole(ticket.fd(), write_claim(claim))) {
    throw unwritable(*ticket.folder_, errno == 0 ? ENOSPC : errno);
  }
  return ticket;
}

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  if (this != &other) {
    remove();
    folder_ = std::move(other.folder_);
    name_ = std::move(other.name_);
    fd_ = std::move(other.fd_);
  }
  return *this;
}

void Ticket::hold(const Claim& claim) {
  const struct flock lock = range(F_UNLCK, 1, kWaitingBytes - 1);
  if (::fcntl(fd(), F_OFD_SETLK, &lock) != 0) throw system_error(text_of(name_), "its lock cannot be changed", errno);
  // For people alone: a disk that is full by now takes nobody's lease away.
  write_whole(fd(), write_claim(claim));
}

bool Ticket::is_there() const {
  struct stat named {
  }, own{};
  return ::fstatat(folder_->fd(), text_of(name_).c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(fd(), &own) == 0 && named.st_ino == own.st_ino && named.st_dev == own.st_dev;
}

void Ticket::remove() noexcept {
  if (!fd_) return;
  if (is_there()) ::unlinkat(folder_->fd(), text_of(name_).c_str(), 0);
  // Closing alone would leave the lock to whoever inherited the descriptor.
  const struct flock lock = range(F_UNLCK, 0, 0);
  ::fcntl(fd(), F_OFD_SETLK, &lock);
  fd_.reset();
}

}  // namespace kgate::lease
