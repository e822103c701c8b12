#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gate/search/propose/briefing.h"
#include "gate/search/propose/proposal.h"

namespace kgate::search {

// USD a million tokens.
struct Prices {
  double in = 0, out = 0;
};

// What a server says of one answer.
struct ToldUsage {
  std::int64_t tokens_in = 0, tokens_out = 0;
};

// Counts tokens and money: before a request, so that no budget is overrun by the asking itself, and after it.
//
// Before, only the request's size is known. It is taken for a token every two bytes, denser than sources and JSON are;
// once the server has said how many it counted, for a quarter more than that density. An answer is taken for as long as
// the request lets it be. What a server says is believed within bounds: a token has 1 to 32 bytes.
class Meter {
 public:
  explicit Meter(Prices prices) : prices_(prices) {}

  // The longest answer, in tokens and at most `wanted`, that tokens and money of `briefing`, less what was `spent` of
  // them, leave room for; nothing where it is too short to be of use. `why` says which budget is too small.
  std::optional<std::int64_t> room(std::size_t request_bytes, std::int64_t wanted, const Briefing& briefing,
                                   const Usage& spent, std::string& why) const;

  // Of an answer. Learns from what the server told.
  Usage answered(std::size_t request_bytes, std::size_t answer_bytes, const std::optional<ToldUsage>& told);
  // Of a request that went out and whose answer was lost: as if the answer had been as long as it may be.
  Usage lost(std::size_t request_bytes, std::int64_t max_tokens) const;

 private:
  std::int64_t tokens_of(std::size_t bytes) const;
  Usage priced(std::int64_t tokens_in, std::int64_t tokens_out, bool estimated) const;

  Prices prices_;
  double tokens_per_byte_ = 0.5;
};

void add(Usage& sum, const Usage& usage);

}  // namespace kgate::search
