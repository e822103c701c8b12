// Problem: a single launch between two events is a time of the kernel only where the GPU is still busy with something
// earlier when the processor enqueues the launch. Enqueuing one repeat of the fresh regime (copies, memsets, event,
// launch, event) takes the processor some 10 to 20 us, as long as the GPU takes to do it, so the queue runs dry within
// a few repeats and the second event waits for the processor.
//
// Choice: before the first repeat the GPU gets work for as long as the processor takes to enqueue all of them: a graph
// of memsets of one block that is a small part of the L2. A graph, because a memset of a few MiB is over about as soon
// as the processor has enqueued it, while one launch of the graph holds for 32 of them. How long that is, is measured
// when the object is made. The operations are counted and taken at 4 us each, more than a processor of today needs; a
// hold that is too long costs time and nothing else. What the GPU has to write for a repeat holds as well: large
// buffers need none.
//
// Rejected: one hold for each repeat (every one of them would push inputs out of the cache); the block of more than
// twice the L2 that makes a cache cold (a kernel would find its inputs in memory, not in the cache where a copy leaves
// them); a kernel that spins (needs machine code for every GPU, or the driver's compiler).
//
// The graph lives as long as the timing, longer than any arm's own, so no arm's graph is made before it.
#include "runner/cuda/hold.h"

#include <algorithm>
#include <cmath>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {
namespace {

constexpr std::uint64_t kLargestBlock = 8u << 20, kSmallestBlock = 64u << 10;
constexpr std::uint64_t kShareOfL2 = 8;
constexpr int kMemsets = 32;
constexpr double kEnqueueUs = 4;     // an operation, for the processor
constexpr double kBytesPerUs = 8e6;  // more than any GPU's memory takes
constexpr double kMostGraphs = 64;

}  // namespace

Hold::Hold(const Device& device)
    : block_(device, std::clamp(device.l2_bytes() / kShareOfL2, kSmallestBlock, kLargestBlock)) {
  graph_.emplace(device, [&] {
    for (int i = 0; i < kMemsets; ++i)
      check(device.driver().set_bytes(block_.address(), 0, block_.bytes(), device.stream()), "cuMemsetD8Async");
  });
  const Event start(device), end(device);
  graph_->launch();
  start.record();
  graph_->launch();
  end.record();
  end.synchronize();
  us_ = std::max(us_, end.microseconds_since(start));
}

void Hold::enqueue(double us) const {
  const double graphs = std::clamp(std::ceil(us / us_), 0.0, kMostGraphs);
  for (int i = 0; i < static_cast<int>(graphs); ++i) graph_->launch();
}

double Hold::needed_us(std::uint32_t operations, std::uint64_t bytes) {
  return std::max(0.0, operations * kEnqueueUs - static_cast<double>(bytes) / kBytesPerUs);
}

}  // namespace kgate::runner::cuda
