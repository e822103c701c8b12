#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/json.h"
#include "gate/search/propose/briefing.h"

namespace kgate::search {

// UTF-8 whatever the values hold: a source may not be, and what is not becomes U+FFFD. Not for digests.
std::string foreign_json(const Json& value);

// {"briefing": ..., and what `more` has beside it} in at most `most` bytes. Where that is too little, the oldest of
// `tried` are counted by direction and outcome instead (`tried_before`), as few as must be; nothing where even that is
// too much.
std::optional<std::string> request_text(const Briefing& briefing, const Json& more, std::size_t most);

}  // namespace kgate::search
