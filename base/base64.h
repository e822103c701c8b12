#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace kgate {

// RFC 4648 with padding, the standard alphabet ("+/").
std::string base64(ByteView bytes);

// Reads the standard and the URL-safe alphabet ("-_"), never both in one text; padding is required. Nothing where the
// text is not the one encoding of what it holds: white space, missing padding, bits set that carry no data.
std::optional<Bytes> from_base64(std::string_view text);

}  // namespace kgate
