#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kgate::runner::host {

// Zeroed pages of their own, with an inaccessible page on either side: a stray access far outside ends the process
// instead of passing unseen. Pages that nobody touches cost nothing. Move-only.
class Mapping {
 public:
  Mapping() = default;
  // Throws Error(environment) where the address space or the memory is short.
  explicit Mapping(std::uint64_t bytes);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  std::span<std::byte> bytes() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  std::byte* data_ = nullptr;  // page-aligned
  std::uint64_t size_ = 0;
};

}  // namespace kgate::runner::host
