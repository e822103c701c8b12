#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgate {

struct CodePoint {
  char32_t value = 0xFFFD;
  std::size_t length = 1;  // bytes, at least 1
  bool valid = false;
};

// The code point that begins at `at` (at < text.size()). Overlong forms, surrogates and values over U+10FFFF are
// invalid, as in RFC 3629; an invalid sequence is as long as its longest valid beginning (the Unicode Standard's
// "maximal subpart").
CodePoint decode_utf8(std::string_view text, std::size_t at);

// Every invalid sequence replaced by U+FFFD: foreign text (a compiler's message), fit for JSON.
std::string valid_utf8(std::string_view text);

}  // namespace kgate
