#include "runner/cuda/device_memory.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {
namespace {

constexpr std::uint64_t kStagingHalf = 4u << 20;
// What stays free beside the pool: the driver's own needs (local memory, graphs) and the buffer that flushes the cache.
constexpr std::uint64_t kHeadroom = 1u << 30;
constexpr std::uint64_t kPoolStep = 2u << 20;
constexpr std::size_t kTile = 65536;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (CUevent event : staged_) {
    if (event != nullptr) device_->driver().event_destroy(event);
  }
  if (staging_ != nullptr) device_->driver().host_free(staging_);
}

std::uint64_t DeviceMemory::room_of(const Buffer& buffer) const {
  // Nothing cannot be allocated.
  return std::max<std::uint64_t>(saturating_add(buffer.bytes, 2 * guard_), 1);
}

std::uint64_t DeviceMemory::allocate(const Allocation& allocation) {
  buffers_.clear();
  rooms_.clear();
  variants_.clear();
  // A pool of gigabytes is dear to make: it stays where the same size is wanted again.
  if (allocation.pool_bytes != pool_wanted_) pool_ = DeviceBlock();
  pool_wanted_ = allocation.pool_bytes;

  std::uint64_t needed = 0, payload = 0;
  for (const Buffer& buffer : allocation.buffers) {
    needed = saturating_add(needed, room_of(buffer));
    payload = saturating_add(payload, buffer.bytes);
  }
  if (needed > free_bytes(*device_) || !make_rooms(allocation.buffers)) {
    rooms_.clear();
    pool_ = DeviceBlock();
    const std::uint64_t free = free_bytes(*device_);
    if (needed > free || !make_rooms(allocation.buffers)) {
      rooms_.clear();
      throw no_room(needed, free);
    }
  }
  buffers_ = allocation.buffers;
  if (pool_.bytes() == 0) make_pool(allocation.pool_bytes, payload);
  return pool_.bytes();
}

bool DeviceMemory::make_rooms(const std::vector<Buffer>& buffers) {
  for (const Buffer& buffer : buffers) {
    DeviceBlock block;
    if (!DeviceBlock::try_make(*device_, room_of(buffer), block)) return false;
    rooms_.push_back(std::move(block));
  }
  return true;
}

void DeviceMemory::make_pool(std::uint64_t wanted, std::uint64_t useful) {
  const std::uint64_t free = free_bytes(*device_);
  std::uint64_t bytes = std::min(wanted, free > kHeadroom ? free - kHeadroom : 0) / kPoolStep * kPoolStep;
  // Halved until it fits; one that could not hold the buffers is of no use.
  while (bytes > 0 && bytes >= useful && !DeviceBlock::try_make(*device_, bytes, pool_))
    bytes = bytes / 2 / kPoolStep * kPoolStep;
}

std::vector<CUdeviceptr> DeviceMemory::homes() const {
  std::vector<CUdeviceptr> addresses;
  for (std::size_t i = 0; i < rooms_.size(); ++i) addresses.push_back(home(i));
  return addresses;
}

CUdeviceptr DeviceMemory::address_of(const Region& region) const {
  // Offsets count as if there were guard zones.
  const std::uint64_t absent = kGuardBytes - guard_;
  if (region.buffer >= rooms_.size() || region.offset < absent ||
      region.offset - absent > rooms_[region.buffer].bytes() ||
      region.length > rooms_[region.buffer].bytes() - (region.offset - absent)) {
    throw Error(ErrorKind::internal, "device memory",
                fmt::format("bytes {} to {} are not in buffer {}", region.offset,
                            saturating_add(region.offset, region.length), region.buffer));
  }
  return rooms_[region.buffer].address() + (region.offset - absent);
}

CUdeviceptr DeviceMemory::variant_of(const Region& region) {
  if (region.buffer >= buffers_.size() || region.offset != kGuardBytes || region.length == 0 ||
      region.length != buffers_[region.buffer].bytes) {
    throw Error(ErrorKind::internal, "device memory",
                fmt::format("variant {} of buffer {} is not its whole payload", region.variant, region.buffer));
  }
  return variants_.make_room(region.variant, region.buffer, region.length);
}

std::byte* DeviceMemory::staging(unsigned half) {
  if (staging_ == nullptr) {
    for (CUevent& event : staged_) {
      if (event == nullptr)
        check_machine(device_->driver().event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    }
    check_machine(device_->driver().host_allocate(&staging_, 2 * kStagingHalf), "cuMemAllocHost");
  }
  return static_cast<std::byte*>(staging_) + half * kStagingHalf;
}

void DeviceMemory::write(const Region& region, ByteView data) {
  CUdeviceptr to = region.variant > 0 ? variant_of(region) : address_of(region);
  if (to == 0) return;  // time says so
  const Driver& driver = device_->driver();
  const CUstream stream = device_->stream();
  if (region.length == 0) return;
  if (data.empty()) throw Error(ErrorKind::internal, "device memory", "nothing to fill a buffer with");
  Bytes tiled;
  if (data.size() > 1 && (data.size() != 4 || to % 4 != 0 || region.length % 4 != 0) && data.size() < kTile &&
      data.size() < region.length) {
    // A short pattern copied piece by piece would take a call for every few bytes.
    while (tiled.size() < kTile) tiled.insert(tiled.end(), data.begin(), data.end());
    data = tiled;
  }
  const bool repeated = data.size() < region.length;
  if (repeated && data.size() == 1) {
    check_machine(driver.set_bytes(to, std::to_integer<unsigned char>(data[0]), region.length, stream),
                  "cuMemsetD8Async");
  } else if (repeated && data.size() == 4 && to % 4 == 0 && region.length % 4 == 0) {
    unsigned word = 0;
    std::memcpy(&word, data.data(), sizeof word);
    check_machine(driver.set_words(to, word, region.length / 4, stream), "cuMemsetD32Async");
  } else {
    std::uint64_t phase = 0;  // where in `data` the next byte comes from
    std::uint64_t left = region.length;
    for (unsigned half = 0; left > 0; half ^= 1u) {
      std::byte* from = staging(half);
      check_machine(driver.event_synchronize(staged_[half]), "cuEventSynchronize");
      const std::uint64_t chunk = std::min(left, kStagingHalf);
      for (std::uint64_t filled = 0; filled < chunk;) {
        const std::uint64_t piece = std::min<std::uint64_t>(chunk - filled, data.size() - phase);
        std::memcpy(from + filled, data.data() + phase, piece);
        filled += piece;
        phase = (phase + piece) % data.size();
      }
      check_machine(driver.copy_to_device(to, from, chunk, stream), "cuMemcpyHtoDAsync");
      check_machine(driver.event_record(staged_[half], stream), "cuEventRecord");
      to += chunk;
      left -= chunk;
    }
  }
  check_machine(driver.stream_synchronize(stream), "cuStreamSynchronize");
}

void DeviceMemory::read(const Region& region, std::span<std::byte> data) {
  if (region.length != data.size())
    throw Error(ErrorKind::internal, "device memory", "the room to read into has another size");
  read_at(address_of(region), data);
}

void DeviceMemory::read_at(CUdeviceptr from, std::span<std::byte> data) {
  const Driver& driver = device_->driver();
  const CUstream stream = device_->stream();
  const std::uint64_t chunks = (data.size() + kStagingHalf - 1) / kStagingHalf;
  const auto length_of = [&](std::uint64_t chunk) {
    return std::min(kStagingHalf, data.size() - chunk * kStagingHalf);
  };
  // One chunk ahead: the next one travels while this one is copied out.
  for (std::uint64_t chunk = 0; chunk <= chunks; ++chunk) {
    if (chunk < chunks) {
      const unsigned half = chunk % 2;
      std::byte* to = staging(half);
      check_machine(driver.copy_to_host(to, from + chunk * kStagingHalf, length_of(chunk), stream),
                    "cuMemcpyDtoHAsync");
      check_machine(driver.event_record(staged_[half], stream), "cuEventRecord");
    }
    if (chunk > 0) {
      const unsigned half = (chunk - 1) % 2;
      check_machine(driver.event_synchronize(staged_[half]), "cuEventSynchronize");
      std::memcpy(data.data() + (chunk - 1) * kStagingHalf, staging(half), length_of(chunk - 1));
    }
  }
}

}  // namespace kgate::runner::cuda
