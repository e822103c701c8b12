#include "gate/search/propose/meter.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kgate::search {
namespace {

constexpr std::int64_t kLeastAnswer = 256;  // tokens; nothing shorter holds a proposal
constexpr std::size_t kOverhead = 512;      // bytes: what a server puts around the messages
constexpr std::size_t kMostBytesOfToken = 32;
constexpr double kMargin = 1.25;

bool is_plausible(std::int64_t tokens, std::size_t bytes) {
  return tokens >= 0 && static_cast<std::size_t>(tokens) >= bytes / kMostBytesOfToken &&
         static_cast<std::size_t>(tokens) <= bytes + kOverhead;
}

}  // namespace

std::int64_t Meter::tokens_of(std::size_t bytes) const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes + kOverhead) * tokens_per_byte_));
}

Usage Meter::priced(std::int64_t tokens_in, std::int64_t tokens_out, bool estimated) const {
  Usage usage;
  usage.tokens_in = tokens_in;
  usage.tokens_out = tokens_out;
  usage.cost_usd = (static_cast<double>(tokens_in) * prices_.in + static_cast<double>(tokens_out) * prices_.out) / 1e6;
  usage.estimated = estimated;
  return usage;
}

std::optional<std::int64_t> Meter::room(std::size_t request_bytes, std::int64_t wanted, const Briefing& briefing,
                                        const Usage& spent, std::string& why) const {
  const std::int64_t in = tokens_of(request_bytes);
  const std::int64_t least = std::min(wanted, kLeastAnswer);
  std::int64_t most = wanted;
  if (briefing.tokens_left > 0) {
    const std::int64_t left = std::max<std::int64_t>(briefing.tokens_left - spent.tokens_in - spent.tokens_out, 0);
    most = std::min(most, left - in);
    if (most < least) {
      why = fmt::format("asking takes up to {} tokens and an answer at least {}, and of [search] tokens {} are left",
                        in, least, left);
      return std::nullopt;
    }
  }
  if (briefing.cost_left_usd > 0) {
    const double left = std::max(briefing.cost_left_usd - spent.cost_usd, 0.0);
    const double asking = priced(in, 0, true).cost_usd;
    const double answer = priced(0, least, true).cost_usd;
    if (asking + answer > left) {
      why = fmt::format(
          "asking costs up to {:.4f} USD and an answer at least {:.4f}, and of [search] cost_usd {:.4f} "
          "are left",
          asking, answer, left);
      return std::nullopt;
    }
    if (prices_.out > 0) {
      const double affordable = std::floor((left - asking) / prices_.out * 1e6);
      most = std::min(most, std::max(least, static_cast<std::int64_t>(std::min(affordable, 1e12))));
    }
  }
  return most;
}

Usage Meter::answered(std::size_t request_bytes, std::size_t answer_bytes, const std::optional<ToldUsage>& told) {
  // A model may think long before a short answer, so that only the least of an answer's tokens can be told.
  const bool holds = told && is_plausible(told->tokens_in, request_bytes) && told->tokens_out <= 1'000'000'000 &&
                     told->tokens_out >= static_cast<std::int64_t>(answer_bytes / kMostBytesOfToken);
  if (!holds) return priced(tokens_of(request_bytes), tokens_of(answer_bytes), true);
  tokens_per_byte_ = kMargin * static_cast<double>(told->tokens_in) / static_cast<double>(request_bytes + kOverhead);
  return priced(told->tokens_in, told->tokens_out, false);
}

Usage Meter::lost(std::size_t request_bytes, std::int64_t max_tokens) const {
  return priced(tokens_of(request_bytes), max_tokens, true);
}

void add(Usage& sum, const Usage& usage) {
  sum.tokens_in += usage.tokens_in;
  sum.tokens_out += usage.tokens_out;
  sum.cost_usd += usage.cost_usd;
  sum.seconds += usage.seconds;
  sum.estimated = sum.estimated || usage.estimated;
}

}  // namespace kgate::search
