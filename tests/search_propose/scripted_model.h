#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace kgate::test {

// A request as it came over the wire.
struct ModelRequest {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  // names in lower case
};

// What the server does with one request.
struct ModelStep {
  int status = 200;
  std::map<std::string, std::string> headers{{"Content-Type", "application/json"}};
  std::string body;
  bool chunked = false;                   // else Content-Length
  std::optional<std::size_t> drop_after;  // bytes of the whole answer, head included; then the connection is closed
  std::optional<std::size_t> hang_after;  // the same, and then nothing until the client goes
  std::size_t trickle = 0;                // bytes at a time, 20 ms apart; 0: at once
  std::chrono::milliseconds delay{0};     // before the first byte
};

// A language model for tests: an HTTP server on the loopback interface (a real socket, the wire format of
// /v1/chat/completions) that answers by a script. One connection at a time, in a thread of its own.
class ScriptedModel {
 public:
  using Script = std::function<ModelStep(const ModelRequest&)>;

  // The steps in order; whoever asks once more than there are gets 500 "the script is over".
  explicit ScriptedModel(std::vector<ModelStep> steps);
  // Answers by what is asked. Called in the server's thread.
  explicit ScriptedModel(Script script);
  ~ScriptedModel();

  std::string url() const;  // "http://127.0.0.1:PORT/v1"
  std::string host() const;
  // All so far, whole ones alone.
  std::vector<ModelRequest> requests() const;

 private:
  void serve();
  bool read_request(int client, ModelRequest& request);
  void answer(int client, const ModelStep& step);
  bool wait_for(int fd, short events, int timeout_ms) const;

  Script script_;
  std::uint16_t port_ = 0;
  UniqueFd listening_, stop_;
  mutable std::mutex mutex_;
  std::vector<ModelRequest> requests_;
  std::thread thread_;
};

struct ModelWords {
  std::optional<std::int64_t> tokens_in, tokens_out;  // both or none
  std::string model = "scripted-1", finish_reason = "stop";
};

// A whole chat completion whose message is `content`.
ModelStep says(const std::string& content, const ModelWords& words = {});
// An error as OpenAI has them.
ModelStep fails(int status, const std::string& message);

}  // namespace kgate::test
