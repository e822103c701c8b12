#include "gate/trust/key.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#include "base/digest.h"
#include "base/error.h"

// A key file must say the same thing to every reader. OpenSSL's PEM readers skip what stands before and after the first
// block that suits them, and take any kind of key. So a public key is accepted only when its text is the one that
// OpenSSL itself writes for it, and a private key only as a single block with nothing around it.
namespace kgate::trust {
namespace {

template <auto free_function>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using PrivateInfo = std::unique_ptr<PKCS8_PRIV_KEY_INFO, Free<PKCS8_PRIV_KEY_INFO_free>>;
using EncryptedInfo = std::unique_ptr<X509_SIG, Free<X509_SIG_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;

constexpr std::size_t kRawKey = 32, kSignature = 64;
// Of PBKDF2 with SHA-256, when a private key is encrypted: a fraction of a second for whoever knows the passphrase.
constexpr int kIterations = 600000;
constexpr const char* kPublicLabel = "PUBLIC KEY";
constexpr const char* kPrivateLabel = "PRIVATE KEY";
constexpr const char* kEncryptedLabel = "ENCRYPTED PRIVATE KEY";

const unsigned char* raw(ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(Bytes& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

// OpenSSL keeps its errors in a queue of the thread; a failure that was understood leaves nothing there.
struct QuietErrors {
  QuietErrors() { ERR_set_mark(); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { ERR_pop_to_mark(); }
};

Error defect(const std::string& what) {
  return {ErrorKind::internal, "OpenSSL", what + " failed"};
}

// Bytes that held a secret do not stay in freed memory.
struct Wiped {
  Bytes bytes;
  Wiped() = default;
  Wiped(Wiped&& other) noexcept = default;
  Wiped& operator=(Wiped&& other) = delete;
  ~Wiped() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

std::string written(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Bio memory_bio() {
  Bio bio(BIO_new(BIO_s_mem()));
  if (!bio) throw defect("BIO_new");
  return bio;
}

// The DER content of a text that is one PEM block with one of these labels and nothing else.
struct PemBlock {
  std::string label;
  Wiped content;
};
std::optional<PemBlock> only_block(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  const auto end = text.find_last_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, end - begin + 1);
  constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
  if (!text.starts_with(kBegin) || text.find(kBegin, 1) != std::string_view::npos) return std::nullopt;
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  char *name = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  if (!bio || PEM_read_bio(bio.get(), &name, &header, &data, &size) != 1) return std::nullopt;
  PemBlock block;
  block.label = name;
  const auto* content = reinterpret_cast<const std::byte*>(data);
  block.content.bytes.assign(content, content + size);
  const bool plain = header[0] == '\0';  // "Proc-Type: 4,ENCRYPTED" of old
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_clear_free(data, static_cast<std::size_t>(size));
  // The reader stops after the first END line.
  const std::string last = std::string(kEnd) + block.label + std::string(kDashes);
  if (!plain || !text.ends_with(last) || text.find(kEnd) != text.size() - last.size()) return std::nullopt;
  return block;
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
  if (size <= 0) throw defect("i2d_PUBKEY");
  id_ = sha256_hex(ByteView(reinterpret_cast<const std::byte*>(der), static_cast<std::size_t>(size)));
  OPENSSL_free(der);
}

PublicKey PublicKey::from_pem(std::string_view pem, const std::string& subject) {
  const QuietErrors quiet;
  const auto block = only_block(pem);
  if (!block) throw no_public_key(subject, "is not a single PEM block");
  if (block->label != kPublicLabel) throw no_public_key(subject, "holds no PUBLIC KEY, but " + block->label);
  auto key = whole_der<KeyHandle>(d2i_PUBKEY, block->content.bytes);
  if (!key) throw no_public_key(subject, "is no public key");
  if (!is_ed25519(key.get())) throw no_public_key(subject, "is no Ed25519 key, but " + kind_of(key.get()));
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
  if (PEM_write_bio_PUBKEY(bio.get(), handle_->key.get()) != 1) throw defect("PEM_write_bio_PUBKEY");
  return written(bio.get());
}

bool PublicKey::verifies(ByteView message, ByteView signature) const {
  if (signature.size() != kSignature) return false;
  const QuietErrors quiet;
  const DigestContext context(EVP_MD_CTX_new());
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, handle_->key.get()) != 1) {
    throw defect("EVP_DigestVerifyInit");
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
    throw defect("EVP_PKEY_keygen");
  }
  return PrivateKey(std::make_shared<const Handle>(Handle{KeyHandle(key)}));
}

PrivateKey PrivateKey::from_pem(std::string_view pem, const std::string& passphrase, const std::string& subject) {
  const QuietErrors quiet;
  const auto block = only_block(pem);
  if (!block) throw no_private_key(subject, "is not a single PEM block");
  PrivateInfo info;
  if (block->label == kEncryptedLabel) {
    info = decrypted(block->content.bytes, passphrase, subject);
  } else if (block->label == kPrivateLabel) {
    info = whole_der<PrivateInfo>(d2i_PKCS8_PRIV_KEY_INFO, block->content.bytes);
  } else {
    throw no_private_key(subject, "holds no PRIVATE KEY, but " + block->label);
  }
  KeyHandle key(info ? EVP_PKCS82PKEY(info.get()) : nullptr);
  if (!key) throw no_private_key(subject, "is no private key");
  if (!is_ed25519(key.get())) throw no_private_key(subject, "is no Ed25519 key, but " + kind_of(key.get()));
  return PrivateKey(std::make_shared<const Handle>(Handle{std::move(key)}));
}

std::string PrivateKey::pem(const std::string& passphrase) const {
  const PrivateInfo info(EVP_PKEY2PKCS8(handle_->key.get()));
  if (!info) throw defect("EVP_PKEY2PKCS8");
  const Bio bio = memory_bio();
  if (passphrase.empty()) {
    if (PEM_write_bio_PKCS8_PRIV_KEY_INFO(bio.get(), info.get()) != 1) {
      throw defect("PEM_write_bio_PKCS8_PRIV_KEY_INFO");
    }
    return written(bio.get());
  }
  constexpr int kScheme2 = -1;  // PBES2 with PBKDF2
  const EncryptedInfo encrypted(PKCS8_encrypt(kScheme2, EVP_aes_256_cbc(), passphrase.data(),
                                              static_cast<int>(passphrase.size()), nullptr, 0, kIterations,
                                              info.get()));
  if (!encrypted || PEM_write_bio_PKCS8(bio.get(), encrypted.get()) != 1) throw defect("PKCS8_encrypt");
  return written(bio.get());
}

Bytes PrivateKey::sign(ByteView message) const {
  const DigestContext context(EVP_MD_CTX_new());
  Bytes signature(kSignature);
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, handle_->key.get()) != 1 ||
      EVP_DigestSign(context.get(), raw(signature), &size, raw(message), message.size()) != 1 || size != kSignature) {
    throw defect("EVP_DigestSign");
  }
  return signature;
}

PublicKey PrivateKey::public_key() const {
  std::array<unsigned char, kRawKey> half{};
  std::size_t size = half.size();
  if (EVP_PKEY_get_raw_public_key(handle_->key.get(), half.data(), &size) != 1) {
    throw defect("EVP_PKEY_get_raw_public_key");
  }
  KeyHandle key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, half.data(), size));
  if (!key) throw defect("EVP_PKEY_new_raw_public_key");
  return PublicKey(std::make_shared<const PublicKey::Handle>(PublicKey::Handle{std::move(key)}));
}

}  // namespace kgate::trust
