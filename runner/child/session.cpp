#include "runner/child/session.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "runner/child/sample_checks.h"

namespace kgate::runner {
namespace {

constexpr std::uint64_t kChunk = 16u << 20;

Error refused(const std::string& fact) {
  return {ErrorKind::internal, "kgate-runner", fact};
}

}  // namespace

const Buffer& Session::buffer(std::uint32_t index) const {
  if (index >= buffers_.size()) throw refused(fmt::format("buffer {} of {} was named", index, buffers_.size()));
  return buffers_[index];
}

void Session::check_arguments(const TimedArm& arm) const {
  for (const Launches* launches : {&arm.launches, &arm.tail}) {
    for (const auto& launch : *launches) {
      for (const auto& argument : launch.arguments) {
        if (argument.buffer) buffer(*argument.buffer);
      }
    }
  }
}

std::uint64_t Session::allocate(const Allocation& allocation) {
  timed_ = false;
  kept_.clear();
  buffers_.clear();
  contents_.clear();
  variants_.clear();
  const auto pool = backend_.allocate(allocation);
  buffers_ = allocation.buffers;
  return pool;
}

void Session::write(const WriteJob& job, SharedMemory content) {
  const Buffer& target = buffer(job.buffer);
  if (content.size() != target.bytes) {
    throw refused(fmt::format("\"{}\" holds {} bytes, {} came", target.name, target.bytes, content.size()));
  }
  if (job.variant == 0) {
    timed_ = false;
    contents_[job.buffer] = std::move(content);
    return;
  }
  if (target.role != BufferRole::input && target.role != BufferRole::inout)
    throw refused(fmt::format("\"{}\" is no input, so it has no variants", target.name));
  variants_[{job.variant, job.buffer}] = {std::move(content), false};
}

// Only timing needs them, and a backend keeps them: unlike the buffers themselves they are never written by a kernel.
void Session::hand_over_variants() {
  for (auto& [key, content] : variants_) {
    if (content.handed_over) continue;
    const auto [variant, index] = key;
    if (buffers_[index].bytes > 0)
      backend_.write({index, kGuardBytes, buffers_[index].bytes, variant}, content.memory.bytes());
    content = {SharedMemory(), true};
  }
}

void Session::fill_payload(std::uint32_t index, std::uint8_t poison) {
  const Buffer& target = buffers_[index];
  if (target.bytes == 0) return;
  const Region payload{index, kGuardBytes, target.bytes};
  const auto content = contents_.find(index);
  if (content != contents_.end()) {
    backend_.write(payload, content->second.bytes());
    return;
  }
  if (target.role == BufferRole::input || (target.role == BufferRole::inout && !target.zeroed)) {
    throw refused(fmt::format("\"{}\" was given no content", target.name));
  }
  // What was never written, compute-sanitizer can tell from what was.
  if (observed_ && !target.zeroed) return;
  const std::byte pattern = target.zeroed ? std::byte{0} : std::byte{poison};
  backend_.write(payload, ByteView(&pattern, 1));
}

void Session::check_content(std::uint32_t index, std::vector<GuardReport>& reports) {
  const auto expected = contents_.at(index).bytes();
  Bytes chunk(std::min<std::uint64_t>(kChunk, expected.size()));
  for (std::uint64_t start = 0; start < expected.size(); start += chunk.size()) {
    chunk.resize(std::min<std::uint64_t>(chunk.size(), expected.size() - start));
    backend_.read({index, kGuardBytes + start, chunk.size()}, chunk);
    if (std::memcmp(chunk.data(), expected.data() + start, chunk.size()) == 0) continue;
    const auto at =
        std::mismatch(chunk.begin(), chunk.end(), expected.begin() + static_cast<std::ptrdiff_t>(start)).first;
    const auto byte = start + static_cast<std::uint64_t>(at - chunk.begin());
    reports.push_back({index, fmt::format("changed its input \"{}\", first at element {}", buffers_[index].name,
                                          byte / size_of(buffers_[index].dtype))});
    return;
  }
}

RunOutcome Session::run(const TimedArm& arm, std::uint8_t poison, std::vector<GuardReport>& guards) {
  timed_ = false;
  kept_.clear();
  check_arguments(arm);
  const auto guard = static_cast<std::byte>(~poison & 0xff);
  const auto count = static_cast<std::uint32_t>(buffers_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!observed_) {
      backend_.write({i, 0, kGuardBytes}, ByteView(&guard, 1));
      backend_.write({i, kGuardBytes + buffers_[i].bytes, kGuardBytes}, ByteView(&guard, 1));
    }
    fill_payload(i, poison);
  }
  RunOutcome outcome = backend_.run(arm);
  if (!outcome.ok || outcome.unsupported || observed_) return outcome;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto broken = broken_guards(
        buffers_, i, guard, [&](const Region& region, std::span<std::byte> data) { backend_.read(region, data); });
    guards.insert(guards.end(), broken.begin(), broken.end());
    if (buffers_[i].role == BufferRole::input && buffers_[i].bytes > 0) check_content(i, guards);
  }
  return outcome;
}

SharedMemory Session::read(std::uint32_t index) {
  const Buffer& source = buffer(index);
  if (const auto kept = kept_.extract(index); !kept.empty()) return std::move(kept.mapped());
  SharedMemory memory = SharedMemory::create("kgate-output", source.bytes);
  if (source.bytes > 0) backend_.read({index, kGuardBytes, source.bytes}, memory.writable());
  memory.seal();
  return memory;
}

TimeOutcome Session::time(const TimeJob& job) {
  for (const auto& arm : job.arms) check_arguments(arm);
  if (!timed_) {
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) fill_payload(i, 0xff);
  }
  timed_ = false;
  kept_.clear();
  if (job.regime == Regime::fresh) hand_over_variants();
  SampleChecks checks(job, buffers_);
  TimeOutcome outcome = backend_.time(job, [&](const SampleView& sample) { checks.look(sample); });
  timed_ = outcome.run.ok && outcome.moved;
  outcome.checked = checks.digested();
  kept_ = checks.take_kept();
  return outcome;
}

}  // namespace kgate::runner
