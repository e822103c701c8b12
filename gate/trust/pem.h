#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace kgate::trust {

// What a PEM block holds; overwritten when it goes, since it may be a secret.
struct PemBlock {
  std::string label;  // "PUBLIC KEY"
  Bytes content;      // DER

  PemBlock() = default;
  PemBlock(PemBlock&&) noexcept = default;
  PemBlock& operator=(PemBlock&&) = delete;
  ~PemBlock();
};

// The block that this text is, with nothing before or after it but white space, and no headers of its own. Nothing
// where it is anything else: two readers could choose differently among several blocks.
std::optional<PemBlock> only_block(std::string_view text);

}  // namespace kgate::trust
