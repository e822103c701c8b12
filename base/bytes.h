#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgate {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

inline ByteView view_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes bytes_of(std::string_view text) {
  const ByteView view = view_of(text);
  return {view.begin(), view.end()};
}

}  // namespace kgate
