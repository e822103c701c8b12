#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"

namespace kgate {

// SHA-256 (FIPS 180-4) through OpenSSL, as 64 lower-case hex digits.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(ByteView bytes);
  Sha256& update(std::string_view text) { return update(view_of(text)); }
  // Ends the computation; the object cannot be used afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(ByteView bytes);
inline std::string sha256_hex(std::string_view text) {
  return sha256_hex(view_of(text));
}

}  // namespace kgate
