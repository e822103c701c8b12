#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/host/fibers.h"
#include "runner/host/module.h"
#include "runner/host/workers.h"
#include "runner/job.h"

namespace kgate::runner::host {

// What a GPU would refuse about a launch (limits of compute capability 9.0), or what this backend cannot do; nothing
// where it can run. `shared_bytes` is the module's static shared memory, `entries` how many kernels share that figure.
std::optional<RunOutcome> refused(const Launch& launch, std::uint32_t shared_bytes, std::size_t entries);

// One launch with its arguments in place: ready to be run any number of times. Points into the module.
class PreparedLaunch {
 public:
  // `payloads[i]` is where buffer i lies. Throws Error(internal) for an argument that names no buffer.
  PreparedLaunch(const Launch& launch, const kgate_host_entry& entry, std::span<std::byte* const> payloads);

  PreparedLaunch(PreparedLaunch&&) noexcept = default;
  PreparedLaunch& operator=(PreparedLaunch&&) noexcept = default;
  PreparedLaunch(const PreparedLaunch&) = delete;  // arguments() points into the values
  PreparedLaunch& operator=(const PreparedLaunch&) = delete;
  ~PreparedLaunch() = default;

  const kgate_host_entry& entry() const { return *entry_; }
  const Dim& grid() const { return grid_; }
  const Dim& block() const { return block_; }
  void* const* arguments() const { return pointers_.data(); }

 private:
  struct alignas(16) Cell {
    std::byte bytes[16];
  };
  const kgate_host_entry* entry_;
  Dim grid_, block_;
  std::vector<std::vector<Cell>> values_;
  std::vector<void*> pointers_;
};

// An arm's launch sequence, prepared; or why it cannot be.
struct Prepared {
  RunOutcome outcome;
  std::vector<PreparedLaunch> launches;
};
using Modules = std::map<std::uint32_t, std::unique_ptr<Module>>;
// Launches without a `code` of their own are looked up in `arm`. Throws Error(usage) for an arm or an entry that was
// not loaded.
Prepared prepare(const Launches& launches, const Modules& modules, std::uint32_t arm,
                 std::span<std::byte* const> payloads);

// Runs grids on the workers. Blocks start in order, so a block may wait for one before it (a chained scan).
class Grid {
 public:
  explicit Grid(std::uint32_t threads) : workers_(threads), runners_(threads) {}
  std::uint32_t threads() const { return workers_.count(); }
  // Calls `job` once on each worker.
  void on_all(const Workers::Job& job) { workers_.run(workers_.count(), job); }
  RunOutcome run(const PreparedLaunch& launch);
  RunOutcome run(const std::vector<PreparedLaunch>& launches);

 private:
  Workers workers_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;  // each made by its worker
};

}  // namespace kgate::runner::host
