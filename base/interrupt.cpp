#include "base/interrupt.h"

#include <cerrno>

#include <sys/signalfd.h>

#include "base/error.h"

// The descriptor is only ever watched, never read: a signal that stays pending keeps it readable for every wait that
// comes later, and sigpending tells which one it was. So there is nothing to remember and nothing that two threads
// could race for.
namespace kgate {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);  // the terminal or the connection is gone
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t set = watched();
  if (const int why = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); why != 0) {
    throw system_error("SIGINT and SIGTERM", "cannot be blocked", why);
  }
  // An ignored signal never becomes pending (nohup and some job runners leave SIGINT ignored), and with SIGCHLD ignored
  // the kernel would throw away how children ended.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::signal(number, SIG_DFL);
  // A reader that went away is a failed write, which is looked at, not the end of the process in the middle of its
  // work.
  ::signal(SIGPIPE, SIG_IGN);
  fd_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw system_error("SIGINT and SIGTERM", "cannot be watched", errno);
}

int Interrupt::signal() const {
  sigset_t pending;
  if (::sigpending(&pending) != 0) throw system_error("SIGINT and SIGTERM", "cannot be watched", errno);
  if (sigismember(&pending, SIGINT) == 1) return SIGINT;
  if (sigismember(&pending, SIGTERM) == 1) return SIGTERM;
  return sigismember(&pending, SIGHUP) == 1 ? SIGHUP : 0;
}

void Interrupt::check() const {
  const int number = signal();
  if (number != 0)
    throw Error(ErrorKind::interrupted, "",
                number == SIGINT   ? "interrupted by SIGINT"
                : number == SIGHUP ? "ended by SIGHUP"
                                   : "ended by SIGTERM");
}

}  // namespace kgate
