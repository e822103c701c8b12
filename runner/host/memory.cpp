#include "runner/host/memory.h"

#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

namespace kgate::runner::host {
namespace {

std::uint64_t page() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}
std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page() - 1) / page() * page();
}

}  // namespace

Mapping::Mapping(std::uint64_t bytes) : size_(bytes) {
  const auto fail = [&] {
    return Error(ErrorKind::environment, "host backend", fmt::format("cannot get {} bytes of memory", bytes),
                 "use smaller cases, or a machine with more memory");
  };
  if (bytes > (std::uint64_t{1} << 46)) throw fail();
  const std::uint64_t inside = whole_pages(bytes), all = inside + 2 * page();
  void* const address = ::mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw fail();
  data_ = static_cast<std::byte*>(address) + page();
  if (inside > 0 && ::mprotect(data_, inside, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(address, all);
    data_ = nullptr;
    throw fail();
  }
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_ - page(), whole_pages(size_) + 2 * page());
}

}  // namespace kgate::runner::host
