#include "base/shared_memory.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

// The mapping of a sealed memfd is MAP_PRIVATE: kernels before 6.7 refuse a shared one, even to read. As nobody can
// write any more, a private mapping shows the same pages and copies none.
namespace kgate {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

// How much may be taken without waking the kernel's killer of processes, in bytes; unlimited where nobody says.
std::uint64_t available_memory() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kib = 0; meminfo >> name >> kib; std::getline(meminfo, unit)) {
    if (name == "MemAvailable:") available = kib * 1024;
    if (name == "SwapFree:" && available != std::numeric_limits<std::uint64_t>::max()) available += kib * 1024;
  }
  std::ifstream group("/sys/fs/cgroup/memory.max");
  if (std::uint64_t limit = 0; group >> limit) available = std::min(available, limit);  // "max" is no number
  return available;
}

// Reserved now: a memfd that finds no page later raises SIGBUS in the middle of a copy.
void reserve(int fd, const std::string& subject, std::uint64_t bytes) {
  constexpr std::uint64_t kSmall = 64 << 20;
  const auto too_much = [&](std::uint64_t available) {
    return Error(ErrorKind::environment, subject,
                 fmt::format("needs {:.1f} MB of memory, and {:.1f} MB are free", static_cast<double>(bytes) * 1e-6,
                             static_cast<double>(available) * 1e-6),
                 "make the case smaller, or use a machine with more");
  };
  if (bytes > kSmall) {
    if (const std::uint64_t available = available_memory(); bytes > available) throw too_much(available);
  }
  if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0) throw too_much(available_memory());
  while (::fallocate(fd, 0, 0, static_cast<off_t>(bytes)) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSPC || errno == ENOMEM || errno == EFBIG) throw too_much(available_memory());
    throw system_error(subject, "cannot be reserved", errno);
  }
}

void* map(int fd, std::uint64_t bytes, int protection, int flags) {
  if (bytes == 0) return nullptr;
  void* address = ::mmap(nullptr, bytes, protection, flags, fd, 0);
  if (address == MAP_FAILED) throw system_error("shared memory", "cannot be mapped", errno);
  return address;
}

}  // namespace

SharedMemory SharedMemory::create(const std::string& name, std::uint64_t bytes) {
  SharedMemory memory;
  memory.fd_ = UniqueFd(::memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.fd_) throw system_error(name, "shared memory cannot be made", errno);
  if (bytes > 0) reserve(memory.fd_.get(), name, bytes);
  memory.address_ = map(memory.fd_.get(), bytes, PROT_READ | PROT_WRITE, MAP_SHARED);
  memory.size_ = bytes;
  return memory;
}

SharedMemory SharedMemory::open_sealed(UniqueFd fd) {
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0) throw Error(ErrorKind::internal, "received descriptor", "is no memfd");
  if ((seals & kSeals) != kSeals)
    throw Error(ErrorKind::internal, "received memory", "is not sealed: its sender could still change it");
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw system_error("received memory", "has no size", errno);
  SharedMemory memory;
  memory.size_ = static_cast<std::uint64_t>(status.st_size);
  memory.address_ = map(fd.get(), memory.size_, PROT_READ, MAP_PRIVATE);
  memory.fd_ = std::move(fd);
  memory.sealed_ = true;
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      address_(std::exchange(other.address_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      sealed_(std::exchange(other.sealed_, false)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this != &other) {
    if (address_ != nullptr) ::munmap(address_, size_);
    fd_ = std::move(other.fd_);
    address_ = std::exchange(other.address_, nullptr);
    size_ = std::exchange(other.size_, 0);
    sealed_ = std::exchange(other.sealed_, false);
  }
  return *this;
}

SharedMemory::~SharedMemory() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

std::span<std::byte> SharedMemory::writable() {
  if (sealed_) throw Error(ErrorKind::internal, "shared memory", "is sealed and cannot be written");
  return {static_cast<std::byte*>(address_), size_};
}

void SharedMemory::seal() {
  if (sealed_) return;
  // The kernel refuses the seal while anybody can still write through a mapping.
  if (address_ != nullptr) ::munmap(std::exchange(address_, nullptr), size_);
  if (::fcntl(fd_.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0)
    throw system_error("shared memory", "cannot be sealed", errno);
  sealed_ = true;
  address_ = map(fd_.get(), size_, PROT_READ, MAP_PRIVATE);
}

}  // namespace kgate
