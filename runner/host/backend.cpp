#include "runner/backend.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory.h"
#include "runner/host/compile.h"
#include "runner/host/launch.h"
#include "runner/host/machine.h"
#include "runner/host/memory.h"
#include "runner/host/module.h"
#include "runner/host/plan.h"
#include "runner/host/timing.h"
#include "runner/host/variants.h"

// The CPU as a device: the parts of the host backend put together.
namespace kgate::runner {
namespace {

// Left to the rest of the machine when a pool is made: it is a comfort, the buffers are not.
constexpr std::uint64_t kPoolShare = 4;

class HostBackend : public Backend {
 public:
  explicit HostBackend(std::uint32_t threads) : grid_(threads) {}

  DeviceInfo probe() override {
    DeviceInfo info;
    info.backend = "host";
    info.name = host::cpu_name();
    info.architecture = host::machine_architecture();
    info.multiprocessors = grid_.threads();
    info.memory_bytes = host::total_memory();
    info.free_bytes = available_memory();
    info.l2_bytes = host::last_level_cache_bytes();
    info.max_shared_bytes = host::kMaxSharedBytes;
    return info;
  }

  Compiled compile(const CompileJob& job) override { return host::compile(job); }

  Loaded load(const LoadJob& job) override {
    auto module = std::make_unique<host::Module>(job);
    Loaded loaded = module->description();
    modules_[job.arm] = std::move(module);
    return loaded;
  }

  std::uint64_t allocate(const Allocation& allocation) override {
    buffers_.clear();
    rooms_.clear();
    homes_.clear();
    variants_.clear();
    pool_ = host::Mapping();
    const std::uint64_t available = available_memory();
    std::uint64_t needed = 0;
    for (const Buffer& buffer : allocation.buffers) {
      if (buffer.bytes > available || needed > available) break;
      needed += buffer.bytes + 2 * kGuardBytes;
    }
    const bool too_large = std::any_of(allocation.buffers.begin(), allocation.buffers.end(),
                                       [&](const Buffer& b) { return b.bytes > available; });
    if (too_large || needed > available) {
      throw Error(ErrorKind::environment, "host backend",
                  fmt::format("the buffers need more memory than is free ({} bytes)", available),
                  "use smaller cases, or a machine with more memory");
    }
    for (const Buffer& buffer : allocation.buffers) {
      rooms_.emplace_back(buffer.bytes + 2 * kGuardBytes);
      homes_.push_back(rooms_.back().data() + kGuardBytes);  // a page after a page: aligned to 4096
    }
    buffers_ = allocation.buffers;
    return make_pool(allocation.pool_bytes, (available - needed) / kPoolShare);
  }

  void write(const Region& region, ByteView data) override {
    const std::span<std::byte> room = region.variant > 0 ? variant(region) : part(region);
    if (room.empty()) return;
    if (data.empty()) throw Error(ErrorKind::internal, "host backend", "nothing to fill a region with");
    std::size_t filled = std::min(room.size(), data.size());
    std::memcpy(room.data(), data.data(), filled);
    while (filled < room.size()) {
      // `filled` is a whole number of repetitions, so doubling what is there goes on with the pattern.
      const std::size_t count = std::min(filled, room.size() - filled);
      std::memcpy(room.data() + filled, room.data(), count);
      filled += count;
    }
  }

  void read(const Region& region, std::span<std::byte> data) override {
    const std::span<std::byte> room = part(region);
    if (data.size() != room.size())
      throw Error(ErrorKind::internal, "host backend", "a region and its destination differ in size");
    if (!room.empty()) std::memcpy(data.data(), room.data(), room.size());
  }

  RunOutcome run(const TimedArm& arm) override {
    const host::Prepared prepared = host::prepare(arm.launches, modules_, arm.arm, homes_);
    return prepared.outcome.ok ? grid_.run(prepared.launches) : prepared.outcome;
  }

  TimeOutcome time(const TimeJob& job, const SampleVisitor& visit) override {
    return host::time_arms(
        job, {grid_, buffers_, homes_, variants_, pool_.bytes(), modules_, host::last_level_cache_bytes()}, visit);
  }

 private:
  std::uint64_t make_pool(std::uint64_t wanted, std::uint64_t most) {
    const std::uint64_t bytes = std::min(wanted, most) / 4096 * 4096;
    if (bytes < host::smallest_pool(buffers_, Placement::any)) return 0;
    if (bytes > 0) pool_ = host::Mapping(bytes);
    return bytes;
  }

  // Empty where there is no room for it: time says so.
  std::span<std::byte> variant(const Region& region) {
    if (region.buffer >= buffers_.size() || region.offset != kGuardBytes ||
        region.length != buffers_[region.buffer].bytes) {
      throw Error(ErrorKind::internal, "host backend",
                  fmt::format("variant {} of buffer {} is not its whole payload", region.variant, region.buffer));
    }
    return variants_.make_room(region.variant, region.buffer, region.length);
  }

  std::span<std::byte> part(const Region& region) {
    if (region.buffer >= rooms_.size()) {
      throw Error(ErrorKind::internal, "host backend", fmt::format("there is no buffer {}", region.buffer));
    }
    const std::span<std::byte> room = rooms_[region.buffer].bytes();
    if (region.offset > room.size() || region.length > room.size() - region.offset) {
      throw Error(ErrorKind::internal, "host backend",
                  fmt::format("bytes {} to {} are outside of buffer {}'s room of {}", region.offset,
                              region.offset + region.length, region.buffer, room.size()));
    }
    return room.subspan(static_cast<std::size_t>(region.offset), static_cast<std::size_t>(region.length));
  }

  host::Grid grid_;
  host::Modules modules_;
  std::vector<Buffer> buffers_;
  std::vector<host::Mapping> rooms_;
  std::vector<std::byte*> homes_;
  host::Variants variants_;
  host::Mapping pool_;
};

}  // namespace

std::unique_ptr<Backend> make_host_backend(const BackendOptions& options) {
  return std::make_unique<HostBackend>(options.threads != 0 ? options.threads : host::usable_cpus());
}

}  // namespace kgate::runner
