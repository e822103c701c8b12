#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "fingerprint/gpu_state.h"

namespace kgate::verdict {

// What looks at the GPU's state say about a stretch of time; pure functions. Times are seconds of one clock.

struct Look {
  double at_s = 0;
  fingerprint::GpuState state;
};

struct OwnProcess {
  unsigned pid = 0;
  double from_s = 0, to_s = std::numeric_limits<double>::infinity();
};

// What is known about kgate's own processes. In a container NVML may number processes as another pid namespace does:
// then none of ours is ever recognised, and of the processes that came since ours began as many as we have count as
// ours.
struct Ours {
  std::vector<OwnProcess> processes;
  bool recognised = false;   // one of ours was seen in NVML's list under its own number
  bool began = false;        // there were some of ours
  std::set<unsigned> older;  // pids that were on the GPU before the first of ours began
};

// A process's context comes to NVML's list and leaves it a little before or after we start or end the process.
constexpr double kOwnGrace = 1;  // seconds

// NVML says what a process used in its last period of 0.2 s, and that is asked every 0.2 s
// (fingerprint/state_reader.h): a value covers up to this long before its look. So only this long after a window's end
// is everything known about it.
constexpr double kUtilisationSpan = 0.4;  // seconds

bool is_ours(const Ours& ours, unsigned pid, double at_s);

// How many processes of others were on the GPU at that look, idle ones too.
std::size_t neighbours(const Look& look, const Ours& ours);

// Why the GPU is slower than it is asked to be for a cause outside what runs on it, "hw_thermal_slowdown at 91 C";
// empty: it is not. A software power cap is not among them: it is the cost of what runs.
std::string outside_brake(const fingerprint::GpuState& state);

// What disturbed the window from outside, in one line; empty: nothing that the looks (in order of time) show. Counted
// are an outside brake, new uncorrected memory errors, and a process of others that was active: it used something, or,
// where NVML does not tell that, it came, went or its memory changed. One that merely has a context does not count.
std::string disturbance(const std::deque<Look>& looks, const Ours& ours, double from_s, double to_s);

// The power cap held the clocks down at some time of the window.
bool power_capped(const std::deque<Look>& looks, double from_s, double to_s);

}  // namespace kgate::verdict
