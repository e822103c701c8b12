#include "base/digest.h"

#include <array>
#include <string>

#include <openssl/evp.h>

#include "base/error.h"

namespace kgate {
namespace {

void require(bool done) {
  if (!done) throw Error(ErrorKind::internal, "SHA-256", "OpenSSL refused to compute it");
}

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  require(state_->context && EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(ByteView bytes) {
  require(state_ != nullptr && EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
  return *this;
}

std::string Sha256::hex() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  require(state_ != nullptr && EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) == 1 &&
          size == digest.size());
  state_.reset();
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string sha256_hex(ByteView bytes) {
  return Sha256().update(bytes).hex();
}

}  // namespace kgate
