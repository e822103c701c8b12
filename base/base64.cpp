#include "base/base64.h"

#include <algorithm>

#include <openssl/evp.h>

// OpenSSL's block functions do the work. Its decoder is lenient (it trims white space, drops bits that carry no data),
// so what it read is encoded again: only the one text that comes out of that is accepted.
namespace kgate {
namespace {

// OpenSSL counts in int: longer texts go through in parts that need no padding.
constexpr std::size_t kPartBytes = 3u << 20, kPartText = kPartBytes / 3 * 4;

const unsigned char* unsigned_text(const void* data) {
  return static_cast<const unsigned char*>(data);
}

}  // namespace

std::string base64(ByteView bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends what it writes with a zero
  std::size_t written = 0;
  while (!bytes.empty()) {
    const ByteView part = bytes.first(std::min(bytes.size(), kPartBytes));
    written += static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data() + written),
                                                        unsigned_text(part.data()), static_cast<int>(part.size())));
    bytes = bytes.subspan(part.size());
  }
  text.resize(written);
  return text;
}

std::optional<Bytes> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string standard(text);
  if (text.find('+') == std::string_view::npos && text.find('/') == std::string_view::npos) {
    std::replace(standard.begin(), standard.end(), '-', '+');
    std::replace(standard.begin(), standard.end(), '_', '/');
  }
  Bytes bytes(standard.size() / 4 * 3);
  std::size_t filled = 0;
  for (std::size_t at = 0; at < standard.size(); at += kPartText) {
    const std::size_t length = std::min(standard.size() - at, kPartText);
    const int got = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data() + filled),
                                    unsigned_text(standard.data() + at), static_cast<int>(length));
    if (got < 0) return std::nullopt;
    filled += static_cast<std::size_t>(got);
  }
  // Padding counts as zeros in what OpenSSL returns.
  for (std::size_t i = 1; i <= 2 && i <= standard.size() && standard[standard.size() - i] == '='; ++i) --filled;
  bytes.resize(filled);
  if (base64(bytes) != standard) return std::nullopt;
  return bytes;
}

}  // namespace kgate
