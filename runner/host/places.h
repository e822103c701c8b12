#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/philox.h"
#include "runner/backend.h"
#include "runner/host/memory.h"
#include "runner/job.h"

namespace kgate::runner::host {

// Where the buffers lie during one block, and what they hold there. Zeroed workspaces are an arm's own work.
class Places {
 public:
  // `contents` has for each variant the payload of each buffer; those of outputs and workspaces are not read. An empty
  // pool gives the buffers one place of their own.
  Places(const std::vector<Buffer>& buffers, std::vector<std::vector<const std::byte*>> contents,
         std::span<std::byte> pool);

  // New places for all buffers; what they hold is undefined.
  void draw(Placement placement, RandomStream& random);
  std::span<std::byte* const> payloads() const { return payloads_; }

  // Everything as before a launch sequence, with the contents of a variant; inputs come last.
  void fill(std::size_t variant);
  // Only what running changes: inouts and outputs that start zeroed.
  void put_back();
  // What every launch sequence begins with.
  void zero_workspaces();
  // Before a checked sample: outputs and workspaces, but for those that begin as zero.
  void poison(std::byte value);
  void lay_guards(std::byte value);
  // A part of a buffer's room, as Backend::read has it.
  void read(const Region& region, std::span<std::byte> data) const;

 private:
  void copy(std::size_t buffer, std::size_t variant);
  void set(std::size_t buffer, std::byte value);

  const std::vector<Buffer>& buffers_;
  std::vector<std::vector<const std::byte*>> contents_;
  Mapping own_;
  std::span<std::byte> pool_;
  std::vector<std::byte*> payloads_;
};

}  // namespace kgate::runner::host
