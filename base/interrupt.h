#pragma once

#include <csignal>

#include "base/unique_fd.h"

namespace kgate {

// SIGINT, SIGTERM and SIGHUP as a descriptor that every wait can watch, in place of a handler with global state. Made once,
// first thing in main, before any thread: the signals are blocked in all threads and read from a signalfd. Children
// unblock them (base/process).
class Interrupt {
 public:
  Interrupt();
  // Readable once a signal has arrived; stays so.
  int fd() const { return fd_.get(); }
  // 0, or the number of the signal that has arrived.
  int signal() const;
  // Throws Error(interrupted) once a signal has arrived.
  void check() const;

 private:
  UniqueFd fd_;
};

}  // namespace kgate
