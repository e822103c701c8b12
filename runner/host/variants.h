#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runner/host/memory.h"

namespace kgate::runner::host {

// The further contents of inputs and inouts; variant 0 is what the buffers' own rooms hold.
class Variants {
 public:
  void clear();
  // Room for the content of a buffer in a variant (from 1 on). Empty where the machine has none: then none of the
  // variants is kept, as a part of them is of no use.
  std::span<std::byte> make_room(std::uint32_t variant, std::uint32_t buffer, std::uint64_t bytes);
  bool fit() const { return fit_; }
  // How many there are, with variant 0.
  std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }
  // The number by which the variant at this index was written.
  std::uint32_t number(std::uint32_t index) const { return *std::next(numbers_.begin(), index); }
  // The payload of each buffer in the variant at this index: its own, or the home place where it has none.
  std::vector<const std::byte*> payloads(std::uint32_t index, std::span<std::byte* const> homes) const;

 private:
  std::set<std::uint32_t> numbers_{0};
  std::map<std::pair<std::uint32_t, std::uint32_t>, Mapping> rooms_;  // by variant and buffer
  bool fit_ = true;
};

}  // namespace kgate::runner::host
