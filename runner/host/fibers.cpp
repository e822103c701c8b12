#include "runner/host/fibers.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

// The threads of a block on one OS thread. A fiber takes thread after thread from the block (the loop is in the
// kernel's own object, where the compiler can inline the kernel); only when a thread has to wait does it keep its
// fiber, and another goes on with the rest. So a kernel that never waits is a plain loop in one fiber, a block of n
// threads that all meet at a barrier takes n fibers, and nobody has to analyse the source. Rejected: an OS thread a GPU
// thread (a barrier of 1024 threads costs milliseconds), and splitting kernels at barriers into loops, as POCL does (a
// compiler of its own).
//
// Nothing is ever thrown through a kernel's frames. After a fault the fibers are dropped where they stand: device code
// holds nothing that needs a destructor, and their stacks are ours.
namespace kgate::runner::host {
namespace {

using boost::context::fiber;

constexpr std::size_t kStackBytes = 640 << 10;

// Boost's allocator for a stack that the pool already gave.
class GivenStack {
 public:
  using traits_type = boost::context::stack_traits;
  explicit GivenStack(StackPool::Stack stack) : stack_(stack) {}
  boost::context::stack_context allocate() const {
    boost::context::stack_context context;
    context.size = stack_.bytes;
    context.sp = stack_.bottom + stack_.bytes;
    return context;
  }
  void deallocate(boost::context::stack_context&) noexcept {}  // no fiber ever returns

 private:
  StackPool::Stack stack_;
};

BlockFault partial_mask(unsigned mask) {
  return {fmt::format("warp operations with a partial mask (0x{:08x}) are beyond the host backend", mask), true};
}

// A fiber that is left where it stands, without the unwinding that its destructor would do.
void drop(fiber& suspended) {
  union Dropped {
    fiber value;
    explicit Dropped(fiber&& from) : value(std::move(from)) {}
    ~Dropped() {}  // NOLINT: that it does nothing is the point
  };
  const Dropped dropped(std::move(suspended));
}

}  // namespace

StackPool::Stack StackPool::take() {
  if (free_.empty()) {
    all_.emplace_back(kStackBytes);
    free_.reserve(all_.size());
    return {all_.back().data(), kStackBytes};
  }
  const Stack stack = free_.back();
  free_.pop_back();
  return stack;
}

void StackPool::reset() {
  free_.clear();
  for (const Mapping& mapping : all_) free_.push_back({mapping.data(), kStackBytes});
}

BlockRunner::BlockRunner() : kgate_host_block{}, shared_(kMaxSharedBytes) {}

BlockRunner::~BlockRunner() {
  abandon();
}

std::optional<BlockFault> BlockRunner::run(const kgate_host_entry& entry, void* const* arguments, const Dim& grid,
                                           const Dim& block, const Dim& index) {
  entry_ = &entry;
  arguments_ = arguments;
  prepare(grid, block, index);
  try {
    while (step()) {
    }
  } catch (...) {
    abandon();  // no memory for one more stack
    throw;
  }
  if (fault_) abandon();
  return std::exchange(fault_, std::nullopt);
}

bool BlockRunner::step() {
  if (!ready_.empty()) {
    Strand strand = std::move(ready_.front());
    ready_.pop_front();
    resume(std::move(strand));
  } else if (next_thread < threads) {
    resume(begin_strand());
  } else if (live == 0) {
    return false;
  } else if (release_after_exits()) {
    return !fault_;
  } else if (!yielded_.empty()) {
    Strand strand = std::move(yielded_.front());
    yielded_.pop_front();
    resume(std::move(strand));
  } else {
    fault_ = deadlock();
  }
  return !fault_;
}

void BlockRunner::prepare(const Dim& grid, const Dim& block, const Dim& index) {
  std::copy(grid.begin(), grid.end(), grid_dim);
  std::copy(block.begin(), block.end(), block_dim);
  std::copy(index.begin(), index.end(), block_index);
  std::fill(std::begin(next), std::end(next), 0u);
  next_thread = 0;
  threads = live = block[0] * block[1] * block[2];
  const std::size_t warps = (threads + 31) / 32;
  warp_live_.assign(warps, 32);
  if (threads % 32 != 0) warp_live_.back() = threads % 32;
  warp_live = warp_live_.data();
  dynamic_shared = shared_.data();
  if (warps_.size() < warps) warps_.resize(warps);
  for (Warp& warp : warps_) warp.arrived = 0, warp.lanes = 0, warp.common_mask = ~0u;
}

BlockRunner::Strand BlockRunner::begin_strand() {
  if (!idle_.empty()) {
    Strand strand = std::move(idle_.back());
    idle_.pop_back();
    return strand;
  }
  if (free_contexts_.empty()) {
    contexts_.emplace_back();
    free_contexts_.push_back(&contexts_.back());
  }
  SanitizerContext* const context = free_contexts_.back();
  free_contexts_.pop_back();
  const StackPool::Stack stack = stacks_.take();
  context->begin(stack.bottom, stack.bytes);
  const GivenStack allocator(stack);
  const boost::context::stack_context space = allocator.allocate();
  return {fiber(std::allocator_arg, boost::context::preallocated(space.sp, space.size, space), allocator,
                [this, context](fiber&& scheduler) -> fiber {
                  context->arrive(scheduler_context_);
                  scheduler_ = std::move(scheduler);
                  for (;;) {
                    entry_->run(this, arguments_);
                    suspend(Stop::idle);
                  }
                }),
          context};
}

void BlockRunner::resume(Strand strand) {
  running_ = strand.context;
  scheduler_context_.leave(*running_);
  fiber stopped = std::move(strand.fiber).resume();
  scheduler_context_.arrive(*running_);
  switch (stop_) {
    case Stop::idle:
      idle_.push_back({std::move(stopped), running_});
      break;
    case Stop::barrier:
      barrier_.push_back({std::move(stopped), running_});
      break;
    case Stop::warp:
      warps_[warp_of_stop_].waiting.push_back({std::move(stopped), running_});
      break;
    case Stop::yield:
      yielded_.push_back({std::move(stopped), running_});
      break;
    case Stop::fault:
      drop(stopped);
      break;
  }
}

void BlockRunner::suspend(Stop why) {
  stop_ = why;
  SanitizerContext* const context = running_;
  context->leave(scheduler_context_);
  scheduler_ = std::move(scheduler_).resume();
  context->arrive(scheduler_context_);
}

void BlockRunner::stop_for_good() {
  suspend(Stop::fault);
  std::abort();  // a dropped fiber is never resumed
}

bool BlockRunner::release_after_exits() {
  bool released = false;
  for (std::size_t i = 0; i < warp_live_.size(); ++i) {
    if (warps_[i].arrived == 0 || warps_[i].arrived != warp_live_[i]) continue;
    complete(warps_[i]);
    released = true;
  }
  if (!barrier_.empty() && barrier_.size() == live) {
    std::move(barrier_.begin(), barrier_.end(), std::back_inserter(ready_));
    barrier_.clear();
    released = true;
  }
  return released;
}

void BlockRunner::complete(Warp& warp) {
  if ((warp.common_mask & warp.lanes) != warp.lanes) {
    fault_ = partial_mask(warp.common_mask);
    return;
  }
  warp.lanes_of[warp.phase & 1u] = warp.lanes;
  ++warp.phase;
  warp.arrived = 0;
  warp.lanes = 0;
  warp.common_mask = ~0u;
  std::move(warp.waiting.begin(), warp.waiting.end(), std::back_inserter(ready_));
  warp.waiting.clear();
}

std::optional<BlockFault> BlockRunner::deadlock() const {
  std::size_t at_warps = 0;
  for (std::size_t i = 0; i < warp_live_.size(); ++i) {
    const Warp& warp = warps_[i];
    at_warps += warp.waiting.size();
    const unsigned existing = i + 1 == warp_live_.size() && threads % 32 != 0 ? (1u << threads % 32) - 1 : ~0u;
    if (warp.arrived != 0 && (warp.common_mask & existing) != existing) {
      return partial_mask(warp.common_mask);
    }
  }
  return BlockFault{fmt::format(
      "deadlock in block ({}, {}, {}): of its {} threads, {} wait at __syncthreads and {} at a warp operation that the "
      "other lanes of their warp never reach",
      block_index[0], block_index[1], block_index[2], threads, barrier_.size(), at_warps)};
}

void BlockRunner::abandon() {
  const auto drop_all = [](auto& strands) {
    for (Strand& strand : strands) {
      if (strand.context != nullptr) strand.context->end();
      drop(strand.fiber);
    }
    strands.clear();
  };
  drop_all(idle_);
  drop_all(ready_);
  drop_all(yielded_);
  drop_all(barrier_);
  for (Warp& warp : warps_) drop_all(warp.waiting);
  free_contexts_.clear();
  for (SanitizerContext& context : contexts_) free_contexts_.push_back(&context);
  stacks_.reset();
}

void BlockRunner::at_barrier() {
  // The last one to come does not wait. Threads that have ended are not expected: that is how the hardware counts.
  if (barrier_.size() + 1 == live) {
    std::move(barrier_.begin(), barrier_.end(), std::back_inserter(ready_));
    barrier_.clear();
    return;
  }
  suspend(Stop::barrier);
}

kgate_host_exchange BlockRunner::at_exchange(unsigned thread, kgate_host_operation operation, unsigned mask,
                                             unsigned long long value) {
  Warp& warp = warps_[thread / 32];
  const unsigned lane = thread % 32, parity = warp.phase & 1u;
  if (warp.arrived == 0) {
    warp.operation = operation;
  } else if (warp.operation != operation) {
    fault_ = mismatch(warp, thread, operation, mask);
    stop_for_good();
  }
  warp.values[parity][lane] = value;
  warp.lanes |= 1u << lane;
  warp.common_mask &= mask;
  ++warp.arrived;
  if (warp.arrived == warp_live_[thread / 32]) {
    complete(warp);
    if (fault_) stop_for_good();
  } else {
    warp_of_stop_ = thread / 32;
    suspend(Stop::warp);
  }
  return {warp.values[parity].data(), warp.lanes_of[parity]};
}

void BlockRunner::at_yield() {
  suspend(Stop::yield);
}

void BlockRunner::at_fault(unsigned thread, const char* text) {
  fault_ = described(thread, text);
  stop_for_good();
}

BlockFault BlockRunner::described(unsigned thread, const char* text) const {
  return {fmt::format("{}: {}", place(thread), text), false};
}

BlockFault BlockRunner::mismatch(const Warp& warp, unsigned thread, kgate_host_operation operation,
                                 unsigned mask) const {
  static constexpr std::array<const char*, 5> names{"__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync",
                                                    "__shfl_xor_sync"};
  if ((warp.common_mask & mask) != ~0u) return partial_mask(warp.common_mask & mask);
  return described(
      thread, fmt::format("lanes of one warp meet at different operations, {} and {}",
                          names[static_cast<std::size_t>(warp.operation)], names[static_cast<std::size_t>(operation)])
                  .c_str());
}

std::string BlockRunner::place(unsigned thread) const {
  return fmt::format("block ({}, {}, {}), thread ({}, {}, {})", block_index[0], block_index[1], block_index[2],
                     thread % block_dim[0], thread / block_dim[0] % block_dim[1], thread / block_dim[0] / block_dim[1]);
}

const kgate_host_services& BlockRunner::services() {
  static constexpr kgate_host_services services{
      KGATE_HOST_ABI_VERSION, [](kgate_host_block* block) { static_cast<BlockRunner*>(block)->at_barrier(); },
      [](kgate_host_block* block, unsigned thread, kgate_host_operation operation, unsigned mask,
         unsigned long long value) {
        return static_cast<BlockRunner*>(block)->at_exchange(thread, operation, mask, value);
      },
      [](kgate_host_block* block) { static_cast<BlockRunner*>(block)->at_yield(); },
      [](kgate_host_block* block, unsigned thread, const char* text) {
        static_cast<BlockRunner*>(block)->at_fault(thread, text);
      }};
  return services;
}

}  // namespace kgate::runner::host
