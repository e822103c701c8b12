#include <csignal>
#include <string>

#include <poll.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "tests/base/in_child.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

bool readable(const Interrupt& interrupt) {
  pollfd watched{interrupt.fd(), POLLIN, 0};
  return ::poll(&watched, 1, 0) == 1;
}

std::string state(const Interrupt& interrupt) {
  const std::string error = error_of([&] { interrupt.check(); });
  return std::to_string(interrupt.signal()) + (readable(interrupt) ? " readable " : " quiet ") + error;
}

}  // namespace

TEST_CASE("a signal makes the descriptor readable, and it stays so") {
  for (const auto& [number, text] :
       {std::pair(SIGINT, "interrupted by SIGINT"), std::pair(SIGTERM, "ended by SIGTERM")}) {
    const int sent = number;
    const std::string seen = in_child([&] {
      const Interrupt interrupt;
      std::string states = state(interrupt);
      ::kill(::getpid(), sent);
      return states + "|" + state(interrupt) + "|" + state(interrupt);
    });
    const std::string after = std::to_string(number) + " readable interrupted: " + text;
    CHECK(seen == "0 quiet no error|" + after + "|" + after);
  }
}

TEST_CASE("a signal that was ignored when kgate started is seen all the same") {
  CHECK(in_child([] {
          ::signal(SIGINT, SIG_IGN);
          const Interrupt interrupt;
          ::kill(::getpid(), SIGINT);
          return state(interrupt);
        }) == "2 readable interrupted: interrupted by SIGINT");
}
