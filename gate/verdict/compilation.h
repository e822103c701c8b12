#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "gate/verdict/preparation.h"

namespace kgate::verdict {

// Problem: with a cold cache compiling takes as long as all the rest, and the GPU, which others are waiting for, stands
// still meanwhile.
// Choice: a thread of its own compiles, and each kernel is handed on as soon as all of its versions are there.
class Compilation {
 public:
  // Starts. `consumers`: threads that will call next().
  Compilation(Preparation& ready, std::size_t consumers);
  ~Compilation();  // hands out no more, and waits for what is being compiled
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // The next kernel whose code is complete, as an index of the suite's subjects, in the order in which they came to be;
  // nothing when all were handed out, or after stop(). Throws what compiling threw.
  std::optional<std::size_t> next();
  // Until there is one for next(), or none will come. Throws as next().
  void wait_for_first();
  void stop();
  // Seconds in which all consumers waited for code, after the first kernel was there.
  double idle_s() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool settled() const { return !ready_.empty() || done_ || stopped_; }

  const std::size_t consumers_;
  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::size_t> ready_;
  std::size_t waiting_ = 0;
  bool any_ = false, done_ = false, stopped_ = false;
  std::exception_ptr failure_;
  Clock::time_point idle_since_;
  Clock::duration idle_{};
  std::thread thread_;  // the last member: it uses all others
};

}  // namespace kgate::verdict
