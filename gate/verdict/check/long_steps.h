#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace kgate::verdict {

constexpr double kLongStep = 10;  // seconds after which a step is told to be still running

// Tells of steps that take long, each once: who looks at a log sees which kernel it is that does not end, before its
// deadline does. Every worker is in one step at a time; its next one ends it. A thread of its own waits.
class LongSteps {
 public:
  // `tell` is called from that thread, with no lock held.
  LongSteps(double after_s, std::function<void(const std::string& what)> tell);
  ~LongSteps();
  LongSteps(const LongSteps&) = delete;
  LongSteps& operator=(const LongSteps&) = delete;

  void begin(unsigned worker, const std::string& what);
  void end(unsigned worker);

 private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    std::string what;
    Clock::time_point due;
  };

  void wait();

  const Clock::duration after_;
  const std::function<void(const std::string&)> tell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<unsigned, Step> running_;  // by worker: what was not told yet
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace kgate::verdict
