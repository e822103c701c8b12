// A child that misbehaves as its --device says, for the client's tests.
#include <cstdlib>
#include <string>

#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "runner/protocol.h"
#include "runner/wire.h"

namespace {

using namespace kgate;

// "BYTES:RATIO": a device of that much memory, on which arm 0 takes RATIO times as long as the others, which take 100
// us, to the last digit.
int be_a_device(const std::string& what) {
  const std::uint64_t memory = std::strtoull(what.c_str(), nullptr, 10);
  const double ratio = std::strtod(what.c_str() + what.find(':') + 1, nullptr);
  runner::Message request;
  while (runner::receive_message(3, request, std::nullopt, nullptr) == runner::Received::message) {
    const std::string asked = request.body["do"];
    Json reply = Json::object();
    if (asked == "load") reply = runner::encode(runner::Loaded{});
    if (asked == "allocate") {
      std::uint64_t bytes = 0;
      for (const auto& buffer : runner::decode_allocation(request.body).buffers) bytes += buffer.bytes;
      reply["pool_bytes"] = std::uint64_t{0};
      if (bytes > memory)
        reply = {{"error", runner::encode(Error(ErrorKind::environment, "device memory", "is too small"))}};
    }
    if (asked == "time") {
      runner::TimeOutcome outcome;
      outcome.launches_per_sample = 4;
      outcome.regime = "graph";
      const auto job = runner::decode_time_job(request.body);
      for (const auto& arm : job.arms)
        outcome.us.emplace_back(job.blocks, arm.arm == 0 ? 100 * ratio : 100.0);
      reply = runner::encode(outcome);
    }
    if (!runner::send_message(3, reply, {}, std::nullopt, nullptr)) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string manner;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--device") manner = argv[i + 1];
  }
  if (manner == "exit") return 3;
  if (manner.starts_with("device:")) return be_a_device(manner.substr(7));
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
