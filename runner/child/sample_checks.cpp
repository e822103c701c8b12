#include "runner/child/sample_checks.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/digest.h"
#include "runner/looked_at.h"
#include "runner/marks.h"

namespace kgate::runner {

std::vector<GuardReport> broken_guards(const std::vector<Buffer>& buffers, std::uint32_t index, std::byte pattern,
                                       const std::function<void(const Region&, std::span<std::byte>)>& read) {
  std::vector<GuardReport> reports;
  const Buffer& target = buffers[index];
  Bytes zone(kGuardBytes);
  const auto changed = [&](std::byte value) { return value != pattern; };
  read({index, 0, kGuardBytes}, zone);
  if (const auto count = std::count_if(zone.begin(), zone.end(), changed); count > 0) {
    const auto last = std::find_if(zone.rbegin(), zone.rend(), changed);
    reports.push_back(
        {index, fmt::format("wrote out of bounds: {} bytes before the start of \"{}\", the nearest {} bytes before it",
                            count, target.name, last - zone.rbegin() + 1)});
  }
  read({index, kGuardBytes + target.bytes, kGuardBytes}, zone);
  if (const auto count = std::count_if(zone.begin(), zone.end(), changed); count > 0) {
    const auto first = std::find_if(zone.begin(), zone.end(), changed);
    reports.push_back(
        {index, fmt::format("wrote out of bounds: {} bytes past the end of \"{}\", the first {} bytes past it", count,
                            target.name, first - zone.begin())});
  }
  return reports;
}

void SampleChecks::look(const SampleView& view) {
  Seen seen;
  seen.sample = {view.arm, view.block, view.variant};
  const bool whole = job_.whole == view.arm && !looked_whole_;
  const bool with_inputs = whole || (job_.check_inputs && view.block == job_.checked.back());
  for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    const auto guards = broken_guards(buffers_, i, marks_of(job_, view.block).guard, view.read);
    seen.sample.guards.insert(seen.sample.guards.end(), guards.begin(), guards.end());
    const bool output = buffer.role == BufferRole::output || buffer.role == BufferRole::inout;
    if (!output && !(buffer.role == BufferRole::input && with_inputs)) continue;
    if (whole || (output && job_.keep == view.arm)) {
      Bytes content(buffer.bytes);
      if (!content.empty()) view.read({i, kGuardBytes, buffer.bytes}, content);
      seen.wholes.emplace(i, std::move(content));
    } else {
      seen.pieces.emplace(i, pieces_of(i, view));
    }
  }
  seen.whole = whole;
  looked_whole_ = looked_whole_ || whole;
  seen_.push_back(std::move(seen));
}

Bytes SampleChecks::pieces_of(std::uint32_t buffer, const SampleView& view) const {
  const std::uint64_t bytes = buffers_[buffer].bytes;
  Bytes content(looked_bytes(bytes));
  std::span<std::byte> rest(content);
  for (const Piece& piece : looked_at(bytes, {job_.looks, buffer, view.variant})) {
    if (piece.bytes > 0) view.read({buffer, kGuardBytes + piece.offset, piece.bytes}, rest.first(piece.bytes));
    rest = rest.subspan(piece.bytes);
  }
  return content;
}

std::vector<CheckedSample> SampleChecks::digested() {
  const Seen* keep = nullptr;
  for (auto& one : seen_) {
    for (const auto& [buffer, content] : one.pieces) one.sample.digests[buffer] = sha256_hex(content);
    for (const auto& [buffer, content] : one.wholes) {
      one.sample.digests[buffer] = digest_of_looked(content, {job_.looks, buffer, one.sample.variant});
      if (!one.whole) continue;
      one.sample.wholes[buffer] =
          content.size() <= kLookedAtWhole ? one.sample.digests[buffer] : digest_of_whole(content, digest_threads());
    }
    if (job_.keep == one.sample.arm) keep = &one;
  }
  if (keep != nullptr) {
    for (const auto& [buffer, content] : keep->wholes) {
      if (buffers_[buffer].role == BufferRole::input) continue;
      SharedMemory memory = SharedMemory::create("kgate-output", content.size());
      if (!content.empty()) std::memcpy(memory.writable().data(), content.data(), content.size());
      memory.seal();
      kept_.emplace(buffer, std::move(memory));
    }
  }
  std::vector<CheckedSample> samples;
  for (auto& one : seen_) {
    one.sample.kept = &one == keep;
    samples.push_back(std::move(one.sample));
  }
  seen_.clear();
  return samples;
}

}  // namespace kgate::runner
