#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/bytes.h"
#include "base/shared_memory.h"
#include "runner/backend.h"

namespace kgate::runner {

// What guard zones around a buffer hold that is not `pattern`, in words. `read` reads the buffer's room.
std::vector<GuardReport> broken_guards(const std::vector<Buffer>& buffers, std::uint32_t index, std::byte pattern,
                                       const std::function<void(const Region&, std::span<std::byte>)>& read);

// Looks at checked samples while a job is timed: copies what they left behind (looked_at.h), at once, and makes digests
// of it when all is timed, so that the device does not wait for the hashing and grow cold. The judge, which knows how
// large outputs are, sees to it that a job's copies fit into memory.
class SampleChecks {
 public:
  SampleChecks(const TimeJob& job, const std::vector<Buffer>& buffers) : job_(job), buffers_(buffers) {}

  void look(const SampleView& sample);
  // Ends it.
  std::vector<CheckedSample> digested();
  // The outputs of the last sample of the arm that the job keeps; empty where it came last in no checked block.
  std::map<std::uint32_t, SharedMemory> take_kept() { return std::move(kept_); }

 private:
  struct Seen {
    CheckedSample sample;
    std::map<std::uint32_t, Bytes> pieces, wholes;  // by buffer: what is looked at; all, where it is kept or asked for
    bool whole = false;                             // asked for
  };

  Bytes pieces_of(std::uint32_t buffer, const SampleView& view) const;

  const TimeJob& job_;
  const std::vector<Buffer>& buffers_;
  std::vector<Seen> seen_;
  bool looked_whole_ = false;
  std::map<std::uint32_t, SharedMemory> kept_;
};

}  // namespace kgate::runner
