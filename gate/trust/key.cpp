#include "gate/trust/key.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/pem.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/quote.h"
#include "gate/trust/openssl.h"
#include "gate/trust/pem.h"

// A key file must say the same thing to every reader. OpenSSL's own PEM readers skip what stands around the first block
// that suits them, and take any kind of key. So a public key is accepted only when its text is the one that OpenSSL
// itself writes for it, and a private key only as a single block with nothing around it.
namespace kgate::trust {
namespace {

constexpr std::size_t kRawKey = 32, kSignature = 64;
// Of PBKDF2 with SHA-256, when a private key is encrypted: a fraction of a second for whoever knows the passphrase.
constexpr int kIterations = 600000;

using RawKey = std::array<unsigned char, kRawKey>;

RawKey raw_public_key(const EVP_PKEY* key) {
  RawKey half{};
  std::size_t size = half.size();
  if (EVP_PKEY_get_raw_public_key(key, half.data(), &size) != 1) {
    throw openssl_failure("EVP_PKEY_get_raw_public_key");
  }
  return half;
}

// The curve's points of small order as RFC 8032 writes them: y, little-endian, with the sign of x in the top bit (left
// out here). With one of them as the key anybody can make signatures that hold, and OpenSSL takes it. y is 0, 1, -1 or
// one of the two of order eight; 0 and 1 can also be written with the prime added.
bool has_small_order(RawKey half) {
  constexpr std::array<std::string_view, 7> kSmall = {
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"};
  half.back() &= 0x7f;
  const std::string hex = fmt::format("{:02x}", fmt::join(half, ""));
  return std::find(kSmall.begin(), kSmall.end(), hex) != kSmall.end();
}

std::string written(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Bio memory_bio() {
  Bio bio(BIO_new(BIO_s_mem()));
  if (!bio) throw openssl_failure("BIO_new");
  return bio;
}

std::string kind_of(const EVP_PKEY* key) {
  const char* name = EVP_PKEY_get0_type_name(key);
  return name != nullptr ? name : "of an unknown kind";
}

bool is_ed25519(const EVP_PKEY* key) {
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519;
}

Error no_public_key(const std::string& subject, const std::string& fact) {
  return {ErrorKind::untrusted, subject, fact,
          "put an Ed25519 public key there, as kgate keygen or openssl pkey -pubout write it, and nothing else"};
}

Error no_private_key(const std::string& subject, const std::string& fact) {
  return {ErrorKind::usage, subject, fact, "make a key with kgate keygen NAME"};
}

// An object in DER that ends where the bytes end.
template <typename Handle, typename Read>
Handle whole_der(Read&& read, const Bytes& content) {
  const unsigned char* at = raw(ByteView(content));
  const unsigned char* const end = at + content.size();
  Handle object(read(nullptr, &at, static_cast<long>(content.size())));
  if (at != end) object.reset();
  return object;
}

PrivateInfo decrypted(const Bytes& content, const std::string& passphrase, const std::string& subject) {
  const auto encrypted = whole_der<EncryptedInfo>(d2i_X509_SIG, content);
  if (!encrypted) throw no_private_key(subject, "is damaged");
  if (passphrase.empty()) {
    throw Error(ErrorKind::usage, subject, "is encrypted, and there is no passphrase",
                "set KGATE_KEY_PASSPHRASE, or give --passphrase-file FILE");
  }
  PrivateInfo info(PKCS8_decrypt(encrypted.get(), passphrase.data(), static_cast<int>(passphrase.size())));
  if (!info) {
    throw Error(ErrorKind::usage, subject, "cannot be decrypted: the passphrase is wrong, or the key is damaged",
                "look at KGATE_KEY_PASSPHRASE or the file of --passphrase-file");
  }
  return info;
}

}  // namespace

// ---- the public half

struct PublicKey::Handle {
  KeyHandle key;
};

PublicKey::PublicKey(std::shared_ptr<const Handle> handle) : handle_(std::move(handle)) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(handle_->key.get(), &der);
  if (size <= 0) throw openssl_failure("i2d_PUBKEY");
  id_ = sha256_hex(ByteView(reinterpret_cast<const std::byte*>(der), static_cast<std::size_t>(size)));
  OPENSSL_free(der);
}

PublicKey PublicKey::from_pem(std::string_view pem, const std::string& subject) {
  const QuietErrors quiet;
  const auto block = only_block(pem);
  if (!block) throw no_public_key(subject, "is not a single PEM block");
  if (block->label.ends_with("PRIVATE KEY")) {
    throw Error(ErrorKind::untrusted, subject, "is a private key: whoever could read it can sign with it",
                "take it away, make a new pair with kgate keygen, and put the public half there");
  }
  if (block->label != "PUBLIC KEY") throw no_public_key(subject, "holds no PUBLIC KEY, but " + kgate::quoted(block->label));
  auto key = whole_der<KeyHandle>(d2i_PUBKEY, block->content);
  if (!key) throw no_public_key(subject, "is no public key");
  if (!is_ed25519(key.get())) throw no_public_key(subject, "is no Ed25519 key, but " + kind_of(key.get()));
  if (has_small_order(raw_public_key(key.get()))) {
    throw no_public_key(subject, "is a point of small order, for which anybody can sign");
  }
  const PublicKey read(std::make_shared<const Handle>(Handle{std::move(key)}));
  // Line ends of Windows, and none at the end, are no other text.
  std::string text(pem);
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  if (!text.ends_with('\n')) text += '\n';
  if (text != read.pem()) throw no_public_key(subject, "is not written as public keys are");
  return read;
}

std::string PublicKey::pem() const {
  const Bio bio = memory_bio();
  if (PEM_write_bio_PUBKEY(bio.get(), handle_->key.get()) != 1) throw openssl_failure("PEM_write_bio_PUBKEY");
  return written(bio.get());
}

bool PublicKey::verifies(ByteView message, ByteView signature) const {
  if (signature.size() != kSignature) return false;
  const QuietErrors quiet;
  const DigestContext context(EVP_MD_CTX_new());
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, handle_->key.get()) != 1) {
    throw openssl_failure("EVP_DigestVerifyInit");
  }
  return EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(message), message.size()) == 1;
}

// ---- the private half

struct PrivateKey::Handle {
  KeyHandle key;
};

PrivateKey::PrivateKey(std::shared_ptr<const Handle> handle) : handle_(std::move(handle)) {}

PrivateKey PrivateKey::generate() {
  const KeyContext context(EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nullptr));
  EVP_PKEY* key = nullptr;
  if (!context || EVP_PKEY_keygen_init(context.get()) != 1 || EVP_PKEY_keygen(context.get(), &key) != 1) {
    throw openssl_failure("EVP_PKEY_keygen");
  }
  return PrivateKey(std::make_shared<const Handle>(Handle{KeyHandle(key)}));
}

PrivateKey PrivateKey::from_pem(std::string_view pem, const std::string& passphrase, const std::string& subject) {
  const QuietErrors quiet;
  const auto block = only_block(pem);
  if (!block) throw no_private_key(subject, "is not a single PEM block");
  PrivateInfo info;
  if (block->label == "ENCRYPTED PRIVATE KEY") {
    info = decrypted(block->content, passphrase, subject);
  } else if (block->label == "PRIVATE KEY") {
    info = whole_der<PrivateInfo>(d2i_PKCS8_PRIV_KEY_INFO, block->content);
  } else {
    throw no_private_key(subject, "holds no PRIVATE KEY, but " + kgate::quoted(block->label));
  }
  KeyHandle key(info ? EVP_PKCS82PKEY(info.get()) : nullptr);
  if (!key) throw no_private_key(subject, "is no private key");
  if (!is_ed25519(key.get())) throw no_private_key(subject, "is no Ed25519 key, but " + kind_of(key.get()));
  return PrivateKey(std::make_shared<const Handle>(Handle{std::move(key)}));
}

std::string PrivateKey::pem(const std::string& passphrase) const {
  const PrivateInfo info(EVP_PKEY2PKCS8(handle_->key.get()));
  if (!info) throw openssl_failure("EVP_PKEY2PKCS8");
  const Bio bio = memory_bio();
  if (passphrase.empty()) {
    if (PEM_write_bio_PKCS8_PRIV_KEY_INFO(bio.get(), info.get()) != 1) {
      throw openssl_failure("PEM_write_bio_PKCS8_PRIV_KEY_INFO");
    }
    return written(bio.get());
  }
  constexpr int kScheme2 = -1;  // PBES2 with PBKDF2
  const EncryptedInfo encrypted(PKCS8_encrypt(kScheme2, EVP_aes_256_cbc(), passphrase.data(),
                                              static_cast<int>(passphrase.size()), nullptr, 0, kIterations,
                                              info.get()));
  if (!encrypted || PEM_write_bio_PKCS8(bio.get(), encrypted.get()) != 1) throw openssl_failure("PKCS8_encrypt");
  return written(bio.get());
}

Bytes PrivateKey::sign(ByteView message) const {
  const DigestContext context(EVP_MD_CTX_new());
  Bytes signature(kSignature);
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, handle_->key.get()) != 1 ||
      EVP_DigestSign(context.get(), raw(signature), &size, raw(message), message.size()) != 1 || size != kSignature) {
    throw openssl_failure("EVP_DigestSign");
  }
  return signature;
}

PublicKey PrivateKey::public_key() const {
  const RawKey half = raw_public_key(handle_->key.get());
  KeyHandle key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, half.data(), half.size()));
  if (!key) throw openssl_failure("EVP_PKEY_new_raw_public_key");
  return PublicKey(std::make_shared<const PublicKey::Handle>(PublicKey::Handle{std::move(key)}));
}

}  // namespace kgate::trust
