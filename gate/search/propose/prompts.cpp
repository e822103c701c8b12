#include "gate/search/propose/prompts.h"

#include "base/digest.h"
#include "base/json.h"
#include "base/utf8.h"

namespace kgate::search {

std::string digest_of(const Prompts& prompts) {
  return sha256_hex(canonical_json({{"rules", valid_utf8(prompts.rules)},
                                    {"planner", valid_utf8(prompts.planner)},
                                    {"coder", valid_utf8(prompts.coder)},
                                    {"debugger", valid_utf8(prompts.debugger)}}));
}

}  // namespace kgate::search
