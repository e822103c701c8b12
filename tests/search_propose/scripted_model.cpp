#include "tests/search_propose/scripted_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/json.h"

namespace kgate::test {
namespace {

constexpr std::size_t kMostRequest = 64 << 20;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Request line and headers; what is not of that form is no request of kgate's.
bool parse_head(const std::string& head, ModelRequest& request) {
  const std::size_t end = head.find("\r\n");
  const std::string line = head.substr(0, end);
  const std::size_t first = line.find(' '), second = line.rfind(' ');
  if (first == std::string::npos || second <= first) return false;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, second - first - 1);
  for (std::size_t at = end + 2; at < head.size();) {
    const std::size_t stop = std::min(head.find("\r\n", at), head.size());
    const std::string header = head.substr(at, stop - at);
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos) return false;
    request.headers[lower(header.substr(0, colon))] = header.substr(std::min(colon + 2, header.size()));
    at = stop + 2;
  }
  return true;
}

std::string on_wire(const ModelStep& step) {
  std::string text = fmt::format("HTTP/1.1 {} Scripted\r\nConnection: close\r\n", step.status);
  for (const auto& [name, value] : step.headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!step.chunked) return fmt::format("{}Content-Length: {}\r\n\r\n{}", text, step.body.size(), step.body);
  text += "Transfer-Encoding: chunked\r\n\r\n";
  constexpr std::size_t kChunk = 1000;
  for (std::size_t at = 0; at < step.body.size(); at += kChunk) {
    const std::string chunk = step.body.substr(at, kChunk);
    text += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
  }
  return text + "0\r\n\r\n";
}

ScriptedModel::Script in_order(std::vector<ModelStep> steps) {
  return [steps = std::move(steps), next = std::make_shared<std::size_t>(0)](const ModelRequest&) {
    return *next < steps.size() ? steps[(*next)++] : fails(500, "the script is over");
  };
}

}  // namespace

ScriptedModel::ScriptedModel(std::vector<ModelStep> steps) : ScriptedModel(in_order(std::move(steps))) {}

ScriptedModel::ScriptedModel(Script script)
    : script_(std::move(script)),
      listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listening_ || !stop_ || ::bind(listening_.get(), any, length) != 0 || ::listen(listening_.get(), 16) != 0 ||
      ::getsockname(listening_.get(), any, &length) != 0)
    throw std::runtime_error("the scripted model finds no port");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

ScriptedModel::~ScriptedModel() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::string ScriptedModel::host() const {
  return fmt::format("127.0.0.1:{}", port_);
}

std::string ScriptedModel::url() const {
  return fmt::format("http://{}/v1", host());
}

std::vector<ModelRequest> ScriptedModel::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

// False once the server is to stop, or the time is over.
bool ScriptedModel::wait_for(int fd, short events, int timeout_ms) const {
  std::array<pollfd, 2> watched{{{fd, events, 0}, {stop_.get(), POLLIN, 0}}};
  return ::poll(watched.data(), watched.size(), timeout_ms) > 0 && watched[1].revents == 0;
}

void ScriptedModel::serve() {
  while (wait_for(listening_.get(), POLLIN, -1)) {
    const UniqueFd client(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ModelRequest request;
    if (!client || !read_request(client.get(), request)) continue;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    answer(client.get(), script_(request));
  }
}

bool ScriptedModel::read_request(int client, ModelRequest& request) {
  std::string text;
  std::optional<std::size_t> body;  // where it begins
  std::size_t length = 0;
  while (!body || text.size() < *body + length) {
    std::array<char, 65536> chunk;
    if (text.size() > kMostRequest || !wait_for(client, POLLIN, -1)) return false;
    const ssize_t got = ::recv(client, chunk.data(), chunk.size(), 0);
    if (got <= 0) return false;
    text.append(chunk.data(), static_cast<std::size_t>(got));
    if (body) continue;
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    if (!parse_head(text.substr(0, end), request)) return false;
    body = end + 4;
    if (const auto found = request.headers.find("content-length"); found != request.headers.end())
      length = std::stoul(found->second);
  }
  request.body = text.substr(*body, length);
  return true;
}

void ScriptedModel::answer(int client, const ModelStep& step) {
  if (step.delay.count() > 0) wait_for(-1, 0, static_cast<int>(step.delay.count()));
  std::string text = on_wire(step);
  if (const auto limit = step.drop_after ? step.drop_after : step.hang_after)
    text.resize(std::min(*limit, text.size()));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t most = step.trickle > 0 ? step.trickle : text.size();
    if (!wait_for(client, POLLOUT, -1)) return;
    const ssize_t sent = ::send(client, text.data() + at, std::min(most, text.size() - at), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the client is gone
    at += static_cast<std::size_t>(sent);
    if (step.trickle > 0) wait_for(-1, 0, 20);
  }
  // Until the client closes; it sends nothing more.
  if (step.hang_after) wait_for(client, POLLIN | POLLHUP, -1);
}

ModelStep says(const std::string& content, const ModelWords& words) {
  Json body{{"id", "chatcmpl-1"},
            {"object", "chat.completion"},
            {"created", 1764500000},
            {"model", words.model},
            {"choices", Json::array({{{"index", 0},
                                      {"message", {{"role", "assistant"}, {"content", content}, {"refusal", nullptr}}},
                                      {"logprobs", nullptr},
                                      {"finish_reason", words.finish_reason}}})}};
  if (words.tokens_in && words.tokens_out)
    body["usage"] = {{"prompt_tokens", *words.tokens_in},
                     {"completion_tokens", *words.tokens_out},
                     {"total_tokens", *words.tokens_in + *words.tokens_out}};
  ModelStep step;
  step.body = body.dump();
  return step;
}

ModelStep fails(int status, const std::string& message) {
  ModelStep step;
  step.status = status;
  step.body =
      Json{{"error", {{"message", message}, {"type", "scripted"}, {"param", nullptr}, {"code", nullptr}}}}.dump();
  return step;
}

}  // namespace kgate::test
