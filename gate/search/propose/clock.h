#pragma once

#include "base/interrupt.h"

namespace kgate::search {

// Time for whoever waits between tries, so that tests need no real waiting. Seconds.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now() const = 0;  // of a clock that never goes back
  virtual void sleep(double seconds) = 0;
};

// The system's. Throws Error(interrupted) out of a sleep once a signal has arrived.
class SystemClock : public Clock {
 public:
  explicit SystemClock(const Interrupt* interrupt = nullptr) : interrupt_(interrupt) {}
  double now() const override;
  void sleep(double seconds) override;

 private:
  const Interrupt* interrupt_;
};

}  // namespace kgate::search
