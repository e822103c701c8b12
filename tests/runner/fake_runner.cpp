// A child that misbehaves as its --device says, for the client's tests.
#include <cstdlib>
#include <string>

#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "runner/protocol.h"
#include "runner/wire.h"

int main(int argc, char** argv) {
  using namespace kgate;
  std::string manner;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--device") manner = argv[i + 1];
  }
  if (manner == "exit") return 3;
  runner::Message request;
  while (runner::receive_message(3, request, std::nullopt, nullptr) == runner::Received::message) {
    if (manner == "crash") ::raise(SIGSEGV);
    if (manner == "hang") {
      // With a grandchild that would outlive a plain kill.
      if (::fork() == 0) ::pause();
      while (true) ::pause();
    }
    if (manner == "garbage") {
      if (::write(3, "\x05\x00\x00\x00hello", 9) != 9) return 1;
      continue;
    }
    if (manner == "huge") {
      if (::write(3, "\xff\xff\xff\xff", 4) != 4) return 1;
      continue;
    }
    if (manner == "half") {
      if (::write(3, "\xff\x00\x00\x00zzz", 7) != 7) return 1;
      return 0;
    }
    if (manner == "empty") runner::send_message(3, Json::object(), {}, std::nullopt, nullptr);
    if (manner == "negative") {
      runner::TimeOutcome outcome;
      outcome.us = {{1.0, -1.0}};
      runner::send_message(3, runner::encode(outcome), {}, std::nullopt, nullptr);
    }
    if (manner == "error") {
      runner::send_message(
          3, {{"error", runner::encode(Error(ErrorKind::environment, "the device", "fell off the bus", "reboot"))}}, {},
          std::nullopt, nullptr);
    }
  }
  return 0;
}
