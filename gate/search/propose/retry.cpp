#include "gate/search/propose/retry.h"

#include <algorithm>
#include <cmath>

namespace kgate::search {

bool may_pass(const Posted& posted) {
  switch (posted.end) {
    case Posted::End::not_connected:
    case Posted::End::dropped:
      return true;
    case Posted::End::answered:
      return posted.status == 408 || posted.status == 429 || (posted.status >= 500 && posted.status <= 599);
    default:
      return false;
  }
}

double pause_after(int tries, double most, RandomStream& jitter) {
  const double whole = std::min(most, std::exp2(std::min(tries - 1, 30)));
  return whole * (0.5 + 0.5 * jitter.uniform());
}

std::string remedy_for(long status, const std::string& words) {
  if (words.find("max_completion_tokens") != std::string::npos)
    return "set [search] max_tokens_as = \"max_completion_tokens\"";
  switch (status) {
    case 400:
    case 422:
      return "look at [search] model, temperature and max_tokens";
    case 401:
      return "the key is missing or not accepted: look at the variable that holds it";
    case 402:
      return "the account has no money left";
    case 403:
      return "the key may not use this model";
    case 404:
    case 405:
      return "look at [search] url and model";
    case 413:
      return "lower [search] prompt_bytes";
    case 429:
      return "ask less often, or raise the account's limits";
    default:
      return {};
  }
}

}  // namespace kgate::search
