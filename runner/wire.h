#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/interrupt.h"
#include "base/json.h"
#include "base/unique_fd.h"

// One message on the socket between judge and child: docs/protocol.md, "Frames".
namespace kgate::runner {

constexpr std::uint32_t kMaxMessageBytes = 256u << 20;
constexpr std::size_t kMaxDescriptors = 8;

struct Message {
  Json body = Json::object();
  std::vector<UniqueFd> descriptors;
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

enum class Received { message, closed, late };

// Sends a frame with its descriptors. False where the other side has gone or stopped reading until the deadline.
bool send_message(int socket, const Json& body, const std::vector<int>& descriptors, const Deadline& deadline,
                  const Interrupt* interrupt);

// Waits for one frame. `closed`: the other side has gone. Throws Error(internal) for a frame that breaks the protocol
// (too long, no CBOR map, too deep, too many descriptors), Error(interrupted) when a signal arrived.
Received receive_message(int socket, Message& message, const Deadline& deadline, const Interrupt* interrupt);

}  // namespace kgate::runner
