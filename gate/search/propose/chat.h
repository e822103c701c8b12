#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/search/propose/meter.h"

// The wire format of /v1/chat/completions, as OpenAI has defined it and others follow it
// (https://platform.openai.com/docs/api-reference/chat).
namespace kgate::search {

struct Message {
  std::string role, content;  // "system", "user", "assistant"
};

struct ChatRequest {
  std::string model;
  std::vector<Message> messages;
  std::optional<double> temperature;
  std::optional<std::uint64_t> seed;
  std::int64_t max_tokens = 0;
  std::string max_tokens_as = "max_tokens";  // newer models of OpenAI's call it "max_completion_tokens"
};

// UTF-8 whatever the messages hold: what is not becomes U+FFFD.
std::string chat_body(const ChatRequest& request);

struct ChatAnswer {
  std::string content;
  std::string model;  // that answered, as the server calls it
  bool whole = true;  // false: cut off at max_tokens
  std::optional<ToldUsage> usage;
};

// Throws Error(usage, "the answer", ...) where it is no chat completion, or one without words.
ChatAnswer read_chat(std::string_view body);

// What a server says is wrong, from an error's body: one line of at most 300 bytes, empty where it says nothing.
std::string error_words(std::string_view body);

}  // namespace kgate::search
