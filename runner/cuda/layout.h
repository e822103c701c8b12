#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/philox.h"
#include "runner/cuda/device_memory.h"

namespace kgate::runner::cuda {

// Where the buffers are during one block. Kernels that change their input need fresh contents for every launch, so such
// buffers
// ("restored" ones: inouts, and outputs that begin as zero) have an instance for each launch of a batch; the others
// have one.
struct Layout {
  std::vector<std::vector<CUdeviceptr>> launches;  // [launch of a batch, or a single entry for all of them][buffer]
  std::span<const CUdeviceptr> of(std::size_t launch) const { return launches[launch < launches.size() ? launch : 0]; }
};

// Draws layouts from the pool, fills them, and puts restored buffers back to what they were.
class Layouts {
 public:
  // Where the pool cannot hold the buffers, they stay at their home places and inouts are restored from copies made
  // here: throws Error(environment) where there is no room for those either. In the fresh regime inputs are copied as
  // well; where that or a variant finds no room, fits() is false and nothing can be drawn.
  Layouts(const Device& device, const DeviceMemory& memory, Placement placement, Regime regime);

  bool fits() const { return fits_; }
  bool moved() const { return moved_; }
  bool restores() const { return !restored_.empty(); }
  // How many launches a batch can have at most.
  std::uint32_t largest_batch() const { return largest_batch_; }

  Layout draw(std::uint32_t batch, RandomStream& random) const;
  // Enqueues: inputs copied to their places, outputs and workspaces poisoned. Not the restored ones.
  void fill(const Layout& layout) const;
  // Enqueues: the restored buffers of every launch as they were at the beginning.
  void restore(const Layout& layout) const;
  // Enqueues: everything as before a launch sequence, inputs and inouts with the contents of this variant. They come
  // last, just before the launch.
  void refresh(const Layout& layout, std::uint32_t variant, std::byte poison) const;
  // Enqueues, before a checked sample: guard zones around the buffers of a launch of the batch.
  void lay_guards(const Layout& layout, std::size_t launch, std::byte value) const;
  // Enqueues, before its timed part: outputs and workspaces poisoned, but for those that begin as zero.
  void poison(const Layout& layout, std::byte value) const;
  // How many operations `refresh` enqueues, and how many bytes they write.
  std::uint32_t refresh_steps() const;
  std::uint64_t refresh_bytes() const;
  // Enqueues: home places as the last `write` left them.
  void restore_homes() const;

 private:
  bool is_restored(const Buffer& buffer) const;
  std::uint32_t find_largest_batch() const;
  void keep_contents(Regime regime);
  CUdeviceptr content(std::size_t buffer, std::uint32_t variant) const;

  const Device* device_;
  const DeviceMemory* memory_;
  Placement placement_;
  std::vector<std::size_t> restored_;
  std::vector<DeviceBlock> pristine_;  // by buffer; empty where the home place itself is never written
  bool moved_ = false, fits_ = true;
  std::uint32_t largest_batch_ = 1;
};

}  // namespace kgate::runner::cuda
