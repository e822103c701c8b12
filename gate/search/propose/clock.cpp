#include "gate/search/propose/clock.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <poll.h>

#include "base/error.h"

namespace kgate::search {

double SystemClock::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SystemClock::sleep(double seconds) {
  const double until = now() + seconds;
  for (double left = seconds; left > 0; left = until - now()) {
    pollfd watched{interrupt_ == nullptr ? -1 : interrupt_->fd(), POLLIN, 0};
    // At least a millisecond, so that the last fraction of one is no busy loop.
    const int ms = static_cast<int>(std::clamp(left * 1e3, 1.0, 60e3));
    if (::poll(&watched, 1, ms) < 0 && errno != EINTR) throw system_error("clock", "cannot be waited for", errno);
    if (interrupt_ != nullptr) interrupt_->check();
  }
}

}  // namespace kgate::search
