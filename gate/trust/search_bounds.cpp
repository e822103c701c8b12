#include "gate/trust/search_bounds.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "base/quote.h"
#include "base/toml_reader.h"
#include "gate/trust/policy_values.h"

namespace kgate::trust {
namespace {

constexpr std::int64_t kMostSeconds = std::int64_t{7} * 24 * 3600;
constexpr std::size_t kMostText = 1000;

std::string text_of(const TomlReader& value) {
  const std::string& text = value.text();
  if (text.empty()) value.fail("is empty", "leave the key out");
  if (text.size() > kMostText) value.fail(fmt::format("has more than {} bytes", kMostText));
  const bool control = std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (control) value.fail("holds control characters");
  return text;
}

void read_bounds(const TomlReader& table, SearchBounds& bounds) {
  const auto bound = [&](const char* name, std::int64_t least, std::int64_t most, std::int64_t& into) {
    if (const auto value = table.find(name))
      into = integer_in(*value, least, most, fmt::format("write {} to {}", least, most));
  };
  if (const auto value = table.find("on_regression")) bounds.on_regression = value->boolean();
  bound("iterations", 0, 1000000, bounds.iterations);
  bound("seconds", 0, kMostSeconds, bounds.seconds);
  bound("gpu_seconds", 0, kMostSeconds, bounds.gpu_seconds);
  bound("tokens", 0, 1000000000000LL, bounds.tokens);
  if (const auto value = table.find("cost_usd")) bounds.cost_usd = number_in(*value, 0, 1e6, "write 0 to 1000000");
  bound("repairs", 0, 100, bounds.repairs);
  bound("patience", 1, 1000000, bounds.patience);
  bound("failures_in_a_direction", 1, 1000, bounds.failures_in_a_direction);
  bound("max_tokens", 256, 1000000, bounds.max_tokens);
  bound("prompt_bytes", 4096, 16 << 20, bounds.prompt_bytes);
  bound("retries", 0, 20, bounds.retries);
}

SearchRole read_role(const TomlReader& table) {
  table.allow_only({"model", "prompt"});
  SearchRole role;
  if (const auto value = table.find("model")) role.model = text_of(*value);
  if (const auto value = table.find("prompt")) {
    role.prompt = text_of(*value);
    std::string place;
    try {
      place = join_beneath(".kgate", role.prompt);
    } catch (const Error& error) {
      value->fail(kgate::quoted(role.prompt) + " " + error.fact(), error.hint());
    }
    if (!place.starts_with(".kgate/"))
      value->fail("lies outside .kgate", "prompts are read from the folder of the policy");
  }
  return role;
}

void read_model(const TomlReader& table, SearchBounds& bounds) {
  if (const auto value = table.find("url")) {
    bounds.url = text_of(*value);
    // The rest of it is looked at where it is used; what cannot be an address at all is told at once.
    if (!bounds.url.starts_with("https://") && !bounds.url.starts_with("http://"))
      value->fail(kgate::quoted(bounds.url) + " begins neither with https:// nor with http://",
                  "write for example url = \"https://api.example.com/v1\"");
  }
  if (const auto value = table.find("model")) bounds.model = text_of(*value);
  if (const auto value = table.find("temperature")) bounds.temperature = number_in(*value, 0, 2, "write 0 to 2");
  if (const auto value = table.find("seed"))
    bounds.seed = integer_in(*value, 0, 2147483647, "write a whole number from 0 to 2147483647");
  if (const auto value = table.find("max_tokens_as")) {
    const std::vector<std::string> known{"max_tokens", "max_completion_tokens"};
    bounds.max_tokens_as = known[value->choice(known)];
  }
  const std::string dollars = "write US dollars a million tokens, 0 to 100000";
  if (const auto value = table.find("price_in")) bounds.price_in = number_in(*value, 0, 1e5, dollars);
  if (const auto value = table.find("price_out")) bounds.price_out = number_in(*value, 0, 1e5, dollars);
  if (const auto value = table.find("plain_http")) bounds.plain_http = value->boolean();
  if (const auto roles = table.find("roles")) {
    roles->allow_only({"planner", "coder", "debugger"});
    if (const auto role = roles->find("planner")) bounds.planner = read_role(*role);
    if (const auto role = roles->find("coder")) bounds.coder = read_role(*role);
    if (const auto role = roles->find("debugger")) bounds.debugger = read_role(*role);
  }
}

void read_command(const TomlReader& table, SearchBounds& bounds) {
  if (const auto value = table.find("command")) {
    bounds.command = value->texts();
    if (bounds.command.size() > kMostEntries) value->fail("has more than 1000 entries");
    if (bounds.command.empty() || bounds.command.front().empty())
      value->fail("names no program", "write for example command = [\"python3\", \"tools/agent.py\"]");
  }
  const auto value = table.find("pass_environment");
  if (!value) return;
  bounds.pass_environment = texts_of(*value);
  for (const TomlReader& item : value->items()) {
    const std::string& name = item.text();
    if (!is_identifier(name)) item.fail(kgate::quoted(name) + " is no name of a variable");
    if (name.starts_with("KGATE_KEY"))
      item.fail(name + " is never passed on", "it belongs to who signs; an agent has no use for it");
  }
}

void check_proposers(const TomlReader& table, const SearchBounds& bounds) {
  const auto asked = [&](const char* name) {
    return std::find(bounds.proposers.begin(), bounds.proposers.end(), name) != bounds.proposers.end();
  };
  if (asked("http")) {
    table.require("url", "the proposer \"http\" asks there, for example url = \"https://api.example.com/v1\"");
    table.require("model", "the proposer \"http\" asks for it, by the name that the server knows");
  }
  if (asked("command"))
    table.require("command",
                  "the proposer \"command\" runs it, for example command = [\"python3\", \"tools/agent.py\"]");
}

}  // namespace

SearchBounds read_search_bounds(const TomlReader& table) {
  table.allow_only({"on_regression", "iterations",   "seconds",
                    "gpu_seconds",   "tokens",       "cost_usd",
                    "repairs",       "patience",     "failures_in_a_direction",
                    "proposer",      "url",          "model",
                    "temperature",   "seed",         "max_tokens",
                    "max_tokens_as", "prompt_bytes", "price_in",
                    "price_out",     "retries",      "plain_http",
                    "roles",         "command",      "pass_environment",
                    "timeout_s"});
  SearchBounds bounds;
  read_bounds(table, bounds);
  if (const auto value = table.find("proposer")) {
    const std::vector<std::string> known{"tuner", "http", "command"};
    bounds.proposers = value->is(TomlReader::Kind::array) ? words_of(*value, known)
                                                          : std::vector<std::string>{known[value->choice(known)]};
    if (bounds.proposers.empty()) value->fail("is empty", "name at least one of \"tuner\", \"http\", \"command\"");
  }
  read_model(table, bounds);
  read_command(table, bounds);
  if (const auto value = table.find("timeout_s")) {
    bounds.timeout_s = value->number();
    if (!(bounds.timeout_s > 0 && bounds.timeout_s <= 86400))
      value->fail("is out of range", "write seconds above 0, at most 86400");
  }
  check_proposers(table, bounds);
  return bounds;
}

}  // namespace kgate::trust
