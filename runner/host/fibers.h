#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <boost/context/fiber.hpp>

#include "runner/host/include/kgate_host_abi.h"
#include "runner/host/memory.h"
#include "runner/host/sanitizer_fiber.h"

namespace kgate::runner::host {

inline constexpr std::uint32_t kMaxSharedBytes =
    227 << 10;  // dynamic and static together, a block (compute capability 9.0)
inline constexpr std::uint32_t kMaxStaticSharedBytes = 48 << 10;  // what a kernel may declare
inline constexpr std::uint32_t kMaxBlockThreads = 1024;

// Stacks for fibers, handed out again and again. Each has an inaccessible page below it, and room for the 512 KiB of
// local memory that a GPU thread may have; pages that nobody touches cost nothing.
class StackPool {
 public:
  struct Stack {
    std::byte* bottom = nullptr;
    std::size_t bytes = 0;
  };
  Stack take();
  // Takes back every stack, whoever has it.
  void reset();

 private:
  std::vector<Mapping> all_;
  std::vector<Stack> free_;
};

struct BlockFault {
  std::string text;
  bool unsupported = false;  // beyond the backend, not the kernel's fault
};

using Dim = std::array<std::uint32_t, 3>;

// Runs blocks, one at a time, on the OS thread that calls it; one runner a worker.
class BlockRunner : private kgate_host_block {
 public:
  BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;
  ~BlockRunner();

  // How the block failed; nothing where it ran to its end.
  std::optional<BlockFault> run(const kgate_host_entry& entry, void* const* arguments, const Dim& grid,
                                const Dim& block, const Dim& index);

  // What loaded kernels call.
  static const kgate_host_services& services();

 private:
  // A fiber that does not run at the moment.
  struct Strand {
    boost::context::fiber fiber;
    SanitizerContext* context = nullptr;
  };
  enum class Stop { idle, barrier, warp, yield, fault };

  // A warp's meeting at one warp operation.
  struct Warp {
    std::vector<Strand> waiting;
    unsigned arrived = 0, lanes = 0, common_mask = ~0u;
    kgate_host_operation operation = kgate_host_syncwarp;
    // The values of this meeting and of the one before, which slower lanes may still have to read.
    unsigned phase = 0;
    std::array<std::array<unsigned long long, 32>, 2> values{};
    std::array<unsigned, 2> lanes_of{};
  };

  void prepare(const Dim& grid, const Dim& block, const Dim& index);
  // Lets one thread of the block go on; whether there is more to do.
  bool step();
  Strand begin_strand();
  void resume(Strand strand);
  void suspend(Stop why);
  // Leaves the running fiber where it stands, with fault_ set. No caller may own memory at this point: it would never
  // be given back.
  [[noreturn]] void stop_for_good();
  BlockFault described(unsigned thread, const char* text) const;
  BlockFault mismatch(const Warp& warp, unsigned thread, kgate_host_operation operation, unsigned mask) const;
  // Moves those who wait at a barrier or warp operation that nobody else will come to into ready_; whether there were
  // any.
  bool release_after_exits();
  void complete(Warp& warp);
  std::optional<BlockFault> deadlock() const;
  void abandon();

  void at_barrier();
  kgate_host_exchange at_exchange(unsigned thread, kgate_host_operation operation, unsigned mask,
                                  unsigned long long value);
  void at_yield();
  [[noreturn]] void at_fault(unsigned thread, const char* text);
  std::string place(unsigned thread) const;

  StackPool stacks_;
  Mapping shared_;
  std::vector<unsigned> warp_live_;
  const kgate_host_entry* entry_ = nullptr;
  void* const* arguments_ = nullptr;

  std::deque<Strand> ready_, yielded_;
  std::vector<Strand> barrier_;
  std::vector<Strand> idle_;  // found no thread left to start; go on with the next block
  std::vector<Warp> warps_;
  std::deque<SanitizerContext> contexts_;  // stable addresses
  std::vector<SanitizerContext*> free_contexts_;
  SanitizerContext scheduler_context_;
  SanitizerContext* running_ = nullptr;
  unsigned warp_of_stop_ = 0;
  boost::context::fiber scheduler_;  // to resume when the running fiber stops
  Stop stop_ = Stop::idle;
  std::optional<BlockFault> fault_;
};

}  // namespace kgate::runner::host
