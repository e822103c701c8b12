#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "runner/job.h"

namespace kgate::runner {

constexpr std::uint64_t kGuardBytes = 4096;

struct Region {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0, length = 0;  // bytes, in the buffer's room
  // write alone: which content of an input or inout it is. Variants beyond 0 have no guard zones, but offsets count as
  // if they had: only the payload, whole, can be written.
  std::uint32_t variant = 0;
};

// A checked sample of `time`, while what it left behind still lies where it was timed.
struct SampleView {
  std::uint32_t arm = 0, block = 0, variant = 0;  // as in CheckedSample
  // As Backend::read; a room of the pool has guard zones as well.
  std::function<void(const Region& region, std::span<std::byte> data)> read;
};
using SampleVisitor = std::function<void(const SampleView& sample)>;

// One kind of device, seen from the child. At most eight virtuals: everything that is the same on all devices (guard
// zones, poison, input checks, the protocol) is in runner/session. Failures of the machine are Errors; what a kernel
// does is in the outcomes.
//
// After an outcome with a fault the backend may be unusable (one illegal access poisons a CUDA context): the child
// reports it and ends.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual DeviceInfo probe() = 0;
  // Needs no device.
  virtual Compiled compile(const CompileJob& job) = 0;
  // Throws Error(environment) where the driver refuses the code for reasons of the machine; a missing symbol is
  // Error(usage).
  virtual Loaded load(const LoadJob& job) = 0;
  // Frees what the last call made, then makes room for these buffers (uninitialised) and the pool. A pool that does not
  // fit is made smaller, down to none; the bytes it got are returned. Error(environment) where the buffers themselves
  // do not fit.
  virtual std::uint64_t allocate(const Allocation& allocation) = 0;
  // Fills bytes [offset, offset + length) of a buffer's room with `data`, repeated as often as needed. A buffer's room
  // is its payload with kGuardBytes before and after: offset kGuardBytes is the payload's first byte. Variants stay
  // until the next allocate; one that finds no room makes `time` in the fresh regime unsupported, nothing else.
  virtual void write(const Region& region, ByteView data) = 0;
  virtual void read(const Region& region, std::span<std::byte> data) = 0;
  // One launch sequence of an arm on the buffers' home places, to its end. Not its tail.
  virtual RunOutcome run(const TimedArm& arm) = 0;
  // Blocks of samples, as docs/statistics.md says: for each block new places from the pool, the contents copied there,
  // every arm once untimed before it is timed, in random order. In the fresh regime every repeat sees new inputs: a
  // buffer that has no content of its own in a variant has that of variant 0.
  // In each block that the job names, every arm's outputs and workspaces are poisoned and guard zones laid by
  // marks_of() (runner/marks.h) before the timed part; after the block's last sample, whose arm chance decides, it is
  // shown to `visit`. So looking at it costs no sample of the block anything.
  virtual TimeOutcome time(const TimeJob& job, const SampleVisitor& visit = {}) = 0;
};

// Throws Error(environment) where this build or this machine lacks it. `device` is an index or a UUID ("" is the
// first).
struct BackendOptions {
  std::string device;
  std::uint32_t threads = 0;  // host: worker threads; 0: all cores
  // A buffer's room is its payload alone, an allocation of its own: compute-sanitizer knows where each one ends. The
  // guard zones can then be neither written nor read.
  bool observed = false;
};
std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options);
std::unique_ptr<Backend> make_host_backend(const BackendOptions& options);

}  // namespace kgate::runner
