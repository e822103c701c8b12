#include "gate/search/propose/secret.h"

#include <cctype>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::search {
namespace {

constexpr std::size_t kLeastSecret = 8;

// RFC 3986, section 2.3.
std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~');
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

void replace_all(std::string& text, const std::string& what) {
  constexpr std::string_view kInstead = "[key]";
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + kInstead.size()))
    text.replace(at, what.size(), kInstead);
}

}  // namespace

Secret::Secret(std::string key) : key_(std::move(key)), encoded_(percent_encoded(key_)) {
  for (const char c : key_) {
    // A line end would be a header of its own.
    if (c <= 0x20 || c > 0x7E)
      throw Error(ErrorKind::usage, "the key", "holds white space or characters beyond ASCII",
                  "give it as the provider shows it, on one line");
  }
}

std::string Secret::redacted(std::string_view text) const {
  std::string result(text);
  if (key_.size() < kLeastSecret) return result;
  replace_all(result, key_);
  if (encoded_ != key_) replace_all(result, encoded_);
  return result;
}

}  // namespace kgate::search
