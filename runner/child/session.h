#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/shared_memory.h"
#include "runner/backend.h"

namespace kgate::runner {

// What is the same on every device: contents of the buffers before a run, guard zones and inputs checked after it.
class Session {
 public:
  // `observed`: no guard zones, no poison and no checks of them; the observer sees what they would.
  explicit Session(Backend& backend, bool observed = false) : backend_(backend), observed_(observed) {}

  std::uint64_t allocate(const Allocation& allocation);
  // One content of an input or inout; its size must be the buffer's.
  void write(const WriteJob& job, SharedMemory content);
  // Fresh contents, poison and guards; one run; the checks. `poison` fills outputs and workspaces, its complement the
  // guard zones.
  RunOutcome run(const TimedArm& arm, std::uint8_t poison, std::vector<GuardReport>& guards);
  // What a buffer holds after a run; after timing, once, what it held in the sample that was kept.
  SharedMemory read(std::uint32_t buffer);
  TimeOutcome time(const TimeJob& job);

 private:
  const Buffer& buffer(std::uint32_t index) const;
  void check_arguments(const TimedArm& arm) const;
  void fill_payload(std::uint32_t index, std::uint8_t poison);
  void hand_over_variants();
  void check_content(std::uint32_t index, std::vector<GuardReport>& reports);

  struct Content {
    SharedMemory memory;
    bool handed_over = false;  // the backend has it, so it is no longer here
  };

  Backend& backend_;
  bool observed_ = false;
  // The last thing done was timing at places of the pool: the home places are as it found them, and need not be filled
  // again (tens of milliseconds for large inputs, a request).
  bool timed_ = false;
  std::vector<Buffer> buffers_;
  std::map<std::uint32_t, SharedMemory> kept_;                           // outputs of a checked sample
  std::map<std::uint32_t, SharedMemory> contents_;                       // variant 0, by buffer
  std::map<std::pair<std::uint32_t, std::uint32_t>, Content> variants_;  // the further ones, by variant and buffer
};

}  // namespace kgate::runner
