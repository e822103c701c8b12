#include "runner/wire.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "base/error.h"

namespace kgate::runner {
namespace {

constexpr int kMaxDepth = 32;

Error broken(const std::string& fact) {
  return {ErrorKind::internal, "runner protocol", fact};
}

// Milliseconds until the deadline for poll, -1 without one.
int time_left(const Deadline& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1 << 30));
}

// True when the socket is ready, false when the deadline has passed.
bool wait_for(int socket, short events, const Deadline& deadline, const Interrupt* interrupt) {
  while (true) {
    std::array<pollfd, 2> waiting{{{socket, events, 0}, {interrupt != nullptr ? interrupt->fd() : -1, POLLIN, 0}}};
    const int ready = ::poll(waiting.data(), waiting.size(), time_left(deadline));
    if (ready < 0 && errno != EINTR) throw system_error("runner protocol", "cannot wait for the child", errno);
    if (interrupt != nullptr) interrupt->check();
    if (ready > 0 && waiting[0].revents != 0) return true;
    if (deadline && std::chrono::steady_clock::now() >= *deadline) return false;
  }
}

enum class Progress { all, closed, late };

Progress receive_bytes(int socket, std::span<std::byte> into, std::vector<UniqueFd>* descriptors,
                       const Deadline& deadline, const Interrupt* interrupt) {
  std::size_t got = 0;
  while (got < into.size()) {
    if (!wait_for(socket, POLLIN, deadline, interrupt)) return Progress::late;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
    iovec part{into.data() + got, into.size() - got};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t count = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0 && errno == ECONNRESET) return Progress::closed;
    if (count < 0) throw system_error("runner protocol", "cannot receive", errno);
    if (count == 0) return Progress::closed;
    for (cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr; item = CMSG_NXTHDR(&header, item)) {
      if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t number = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < number; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(item) + i * sizeof(int), sizeof(int));
        UniqueFd owned(fd);  // closed here where nobody expects it
        if (descriptors != nullptr) descriptors->push_back(std::move(owned));
      }
    }
    if ((header.msg_flags & MSG_CTRUNC) != 0) throw broken("a frame with too many descriptors");
    got += static_cast<std::size_t>(count);
  }
  return Progress::all;
}

int depth_of(const Json& value) {
  int deepest = 0;
  if (value.is_structured()) {
    for (const auto& item : value) deepest = std::max(deepest, depth_of(item));
    ++deepest;
  }
  return deepest;
}

}  // namespace

bool send_message(int socket, const Json& body, const std::vector<int>& descriptors, const Deadline& deadline,
                  const Interrupt* interrupt) {
  if (descriptors.size() > kMaxDescriptors) throw broken("more descriptors than a frame carries");
  std::vector<std::uint8_t> frame(4);
  Json::to_cbor(body, frame);
  const std::size_t length = frame.size() - 4;
  if (length > kMaxMessageBytes) throw broken("a message over " + std::to_string(kMaxMessageBytes >> 20) + " MiB");
  for (unsigned i = 0; i < 4; ++i) frame[i] = static_cast<std::uint8_t>(length >> (8 * i));

  std::size_t sent = 0;
  while (sent < frame.size()) {
    if (!wait_for(socket, POLLOUT, deadline, interrupt)) return false;
    iovec part{frame.data() + sent, frame.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
    if (sent == 0 && !descriptors.empty()) {
      const std::size_t bytes = sizeof(int) * descriptors.size();
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(bytes);
      cmsghdr* item = CMSG_FIRSTHDR(&header);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN(bytes);
      std::memcpy(CMSG_DATA(item), descriptors.data(), bytes);
    }
    const ssize_t count = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) return false;
    if (count < 0) throw system_error("runner protocol", "cannot send", errno);
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

Received receive_message(int socket, Message& message, const Deadline& deadline, const Interrupt* interrupt) {
  std::array<std::byte, 4> head{};
  message.descriptors.clear();
  switch (receive_bytes(socket, head, &message.descriptors, deadline, interrupt)) {
    case Progress::closed:
      return Received::closed;
    case Progress::late:
      return Received::late;
    case Progress::all:
      break;
  }
  std::uint32_t length = 0;
  for (unsigned i = 0; i < 4; ++i) length |= std::to_integer<std::uint32_t>(head[i]) << (8 * i);
  if (length == 0 || length > kMaxMessageBytes) throw broken("a frame of " + std::to_string(length) + " bytes");
  Bytes body(length);
  switch (receive_bytes(socket, body, nullptr, deadline, interrupt)) {
    case Progress::closed:
      return Received::closed;
    case Progress::late:
      return Received::late;
    case Progress::all:
      break;
  }
  const auto* first = reinterpret_cast<const std::uint8_t*>(body.data());
  try {
    message.body = Json::from_cbor(first, first + length, true, false);
  } catch (const Json::exception&) {
    // Not only a parse error that gives a discarded value: an absurd array size throws all the same.
    throw broken("a frame that holds no CBOR map");
  }
  if (!message.body.is_object()) throw broken("a frame that holds no CBOR map");
  if (depth_of(message.body) > kMaxDepth) throw broken("a message that is nested too deep");
  return Received::message;
}

}  // namespace kgate::runner
