#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgate {
class TomlReader;
}

namespace kgate::trust {

// Who plays a part in proposing, where it is not the one model of all: [search.roles].
struct SearchRole {
  std::string model;   // empty: [search] model
  std::string prompt;  // a file beneath .kgate, of the same commit as the policy; empty: kgate's own
};

// [search]: how a search is bounded, and who proposes in it. Values alone.
struct SearchBounds {
  bool on_regression = false;
  std::int64_t iterations = 0, seconds = 0, gpu_seconds = 0, tokens = 0;
  double cost_usd = 0;
  std::int64_t repairs = 3;                  // of one candidate
  std::int64_t patience = 3;                 // rounds without gain until it ends
  std::int64_t failures_in_a_direction = 3;  // until the direction is paused

  std::vector<std::string> proposers{"tuner"};  // "tuner", "http", "command", in the order in which they are asked
  // http
  std::string url, model;
  std::optional<double> temperature;         // nothing: the server's own
  std::optional<std::int64_t> seed;          // nothing: the search's
  std::int64_t max_tokens = 8192;            // of one answer
  std::string max_tokens_as = "max_tokens";  // or "max_completion_tokens": what the server calls it
  std::int64_t prompt_bytes = 200000;        // of one request
  double price_in = 0, price_out = 0;        // USD a million tokens
  std::int64_t retries = 4;
  bool plain_http = false;  // to other hosts than this one
  std::optional<SearchRole> planner, coder, debugger;
  // command
  std::vector<std::string> command, pass_environment;
  // both
  double timeout_s = 300;  // of one answer
};

// Throws Error(usage, "PATH:LINE: key", fact, remedy) as parse_policy does; for a proposer without what it needs too.
SearchBounds read_search_bounds(const TomlReader& table);

}  // namespace kgate::trust
