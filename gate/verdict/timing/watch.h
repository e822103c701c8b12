#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/json.h"
#include "gate/verdict/timing/disturbance.h"
#include "gate/verdict/timing/watch_totals.h"

namespace kgate::verdict {

struct WatchOptions {
  // Reads the GPU's state; it may throw. Empty (the host backend, no NVML): nothing is watched, and every question is
  // answered with "nothing".
  std::function<fingerprint::GpuState()> look;
  double period_s = 0.05;            // between two looks of the watch's own thread; 0: no thread, look() alone looks
  double keep_s = 300;               // how far back windows can be judged
  std::function<double()> clock;     // seconds; empty: the steady clock
  std::function<void(double)> wait;  // sleeps for so many seconds; it may throw to end a wait early; empty: plain sleep
  // Whether a process was started by this one; empty: asks /proc.
  std::function<bool(unsigned pid)> started_here;
};

// Whether a process is this one's child, or a child's child; by /proc, false where that cannot be read.
bool is_descendant(unsigned pid);

// Looks at the GPU's state all through a run, from a thread of its own, and says afterwards what happened. Memory is
// bounded: looks of the last minutes, and totals. All functions may be called from any thread. A look that fails is
// remembered for summary() and never thrown.
class Watch {
 public:
  explicit Watch(WatchOptions options);
  ~Watch();  // at once, but for a look in progress
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // The clock of the windows, in seconds.
  double now() const { return options_.clock(); }
  // One look now, beside the thread's.
  void look();
  // A process of ours on the GPU begins, ends. Children whose number NVML shows as we know it are recognised without;
  // in a container with a pid namespace of its own nothing else tells ours from others'. Call it right after the start.
  void own(unsigned pid);
  void disown(unsigned pid);

  // See disturbance.h. All is known kUtilisationSpan after the window's end; asked earlier it may miss a neighbour.
  std::string disturbance(double from_s, double to_s) const;
  bool power_capped(double from_s, double to_s) const;
  // A window was dropped, for this cause.
  void dropped(const std::string& cause);

  // Others were on the GPU at some look, idle ones too.
  bool has_neighbours() const;

  // Waits while the GPU is too hot or braked from outside, at most so many seconds. Why it still is, or empty: calm, or
  // not to be known. Throws what options.wait throws.
  std::string wait_until_calm(double limit_s = 30);
  // The run so far, see WatchTotals::json.
  Json summary() const;

 private:
  void watch(const std::stop_token& stop);
  void recognise(const Look& look);
  void end(unsigned pid, double at_s);
  void forget(double before_s);

  WatchOptions options_;
  std::mutex looking_;  // one look at a time
  mutable std::mutex lock_;
  std::condition_variable_any stopped_;
  std::deque<Look> looks_;
  Ours ours_;
  std::set<unsigned> found_, foreign_;  // pids of the last look that are descendants, that are not
  WatchTotals totals_;
  std::jthread thread_;  // the last member: it uses all others
};

}  // namespace kgate::verdict
