#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/unique_fd.h"

namespace kgate {

// Bytes that two processes share through a memfd: written by one, sealed (no write, no resize), then mapped by the
// other, so that what was checked cannot change afterwards. Move-only; unmapped and closed when it goes.
class SharedMemory {
 public:
  SharedMemory() = default;
  // A new, writable, zeroed one. Throws Error(environment) where memory is short.
  static SharedMemory create(const std::string& name, std::uint64_t bytes);
  // Maps a received descriptor read-only. Throws Error(internal) unless it is a memfd with all of SHRINK, GROW, WRITE
  // sealed.
  static SharedMemory open_sealed(UniqueFd fd);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  // Writable only until seal(); afterwards throws Error(internal).
  std::span<std::byte> writable();
  ByteView bytes() const { return {static_cast<const std::byte*>(address_), size_}; }
  std::uint64_t size() const { return size_; }
  int fd() const { return fd_.get(); }
  // Forbids every further change; the mapping becomes read-only.
  void seal();

 private:
  UniqueFd fd_;
  void* address_ = nullptr;
  std::uint64_t size_ = 0;
  bool sealed_ = false;
};

}  // namespace kgate
