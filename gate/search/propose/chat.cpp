#include "gate/search/propose/chat.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "gate/search/propose/json_field.h"
#include "gate/search/propose/words.h"

// What is needed of an answer is read strictly, and what else there is, is let be: every server adds keys of its own.
namespace kgate::search {
namespace {

constexpr std::size_t kMostAnswer = 4 << 20;
constexpr std::size_t kMostErrorWords = 300;

// A text, or a list of pieces of which those of the type "text" count.
std::string content_of(const JsonField& message) {
  const JsonField content = message.at("content", "");
  if (content.value().is_string()) return content.text(kMostAnswer);
  if (content.value().is_null()) {
    const bool refused = message.has("refusal") && message.value()["refusal"].is_string();
    content.fail("is null",
                 refused ? "the model refused: " + one_line(message.value()["refusal"].get<std::string>()) : "");
  }
  std::string text;
  for (const JsonField& piece : content.items(1000)) {
    if (piece.has("type") && piece.value()["type"] == "text") text += piece.at("text", "").text(kMostAnswer);
  }
  return text;
}

std::optional<ToldUsage> usage_of(const Json& answer) {
  const auto usage = answer.find("usage");
  if (usage == answer.end() || !usage->is_object()) return std::nullopt;
  const auto in = usage->find("prompt_tokens"), out = usage->find("completion_tokens");
  if (in == usage->end() || out == usage->end() || !in->is_number_unsigned() || !out->is_number_unsigned())
    return std::nullopt;
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (in->get<std::uint64_t>() > kMost || out->get<std::uint64_t>() > kMost) return std::nullopt;
  return ToldUsage{in->get<std::int64_t>(), out->get<std::int64_t>()};
}

}  // namespace

std::string chat_body(const ChatRequest& request) {
  Json messages = Json::array();
  for (const Message& message : request.messages)
    messages.push_back({{"role", message.role}, {"content", valid_utf8(message.content)}});
  Json body{{"model", request.model}, {"messages", std::move(messages)}, {"stream", false}};
  body[request.max_tokens_as] = request.max_tokens;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (request.seed) body["seed"] = *request.seed;
  return canonical_json(body);
}

ChatAnswer read_chat(std::string_view body) {
  const std::string subject = "the answer";
  const Json value = parse_json(body, subject);
  const JsonField root(value, subject);
  const auto choices = root.at("choices", "").items(128);
  if (choices.empty()) root.at("choices", "").fail("is empty");
  const JsonField& choice = choices.front();
  ChatAnswer answer;
  answer.content = content_of(choice.at("message", ""));
  if (choice.has("finish_reason")) answer.whole = choice.value()["finish_reason"] != "length";
  if (root.has("model") && value["model"].is_string()) answer.model = one_line(value["model"].get<std::string>(), 200);
  answer.usage = usage_of(value);
  return answer;
}

std::string error_words(std::string_view body) {
  std::string words(body);
  try {
    const Json value = parse_json(body, "the answer");
    const Json* error = value.is_object() && value.contains("error") ? &value["error"] : &value;
    if (error->is_object() && error->contains("message")) error = &(*error)["message"];
    if (error->is_string()) words = error->get<std::string>();
  } catch (const Error&) {
    // No JSON: a proxy's page, most likely.
  }
  return one_line(words, kMostErrorWords);
}

}  // namespace kgate::search
