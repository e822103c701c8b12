#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/json.h"
#include "fingerprint/gpu_state.h"

namespace kgate::verdict {

// What all looks of a run amount to, in bounded memory: result.json's `environment`.
class WatchTotals {
 public:
  void add(const fingerprint::GpuState& state, std::size_t neighbours);
  // A look failed; `why` as an Error says it.
  void add_failure(const std::string& why);
  // A window was dropped.
  void add_dropped(const std::string& cause);
  // clocks{sm_mhz, memory_mhz} (MHz), temperature (C), power (mW), each {min, max}; throttle_reasons[];
  // other_processes, the most seen at once; dropped, cause; and failed_looks where there were some. What was never
  // read is null, or "unknown, because ..." where the looks failed.
  Json json() const;
  std::size_t most_neighbours() const { return most_neighbours_; }

 private:
  struct Extent {
    std::optional<unsigned> least, most;
    void add(const std::optional<unsigned>& value);
  };
  Json value(const Extent& extent) const;
  Json neighbours() const;

  Extent sm_clock_, memory_clock_, temperature_, power_;
  std::set<std::string> throttle_reasons_;
  std::size_t looks_ = 0, failures_ = 0, most_neighbours_ = 0, dropped_ = 0;
  std::string failure_;             // the last one
  std::string neighbours_unknown_;  // why the driver does not tell; empty: it does
  struct Cause {
    std::size_t times = 0;
    std::string text;  // the last of its kind
  };
  std::map<std::string, Cause> causes_;  // by their words before the first colon: what follows differs each time
};

}  // namespace kgate::verdict
