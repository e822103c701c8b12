#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace kgate::trust {

// Ed25519 (RFC 8032) through OpenSSL; PEM as RFC 8410 has it, so that `openssl pkeyutl` reads the same files.

class PublicKey {
 public:
  // A SubjectPublicKeyInfo. Throws Error(untrusted, subject, ...) for anything that is not an Ed25519 public key.
  static PublicKey from_pem(std::string_view pem, const std::string& subject);
  std::string pem() const;
  // SHA-256 of the DER form, 64 hex digits. In an envelope it is a hint and no more.
  const std::string& id() const { return id_; }
  bool verifies(ByteView message, ByteView signature) const;

 private:
  friend class PrivateKey;
  struct Handle;
  explicit PublicKey(std::shared_ptr<const Handle> handle);
  std::shared_ptr<const Handle> handle_;
  std::string id_;
};

class PrivateKey {
 public:
  static PrivateKey generate();
  // PKCS#8, encrypted where a passphrase is needed. Throws Error(usage, subject, ...): no key, another kind of key, a
  // passphrase that is missing or wrong. Never asks on the terminal.
  static PrivateKey from_pem(std::string_view pem, const std::string& passphrase, const std::string& subject);
  // Encrypted (PBES2, AES-256-CBC) unless the passphrase is empty.
  std::string pem(const std::string& passphrase) const;
  Bytes sign(ByteView message) const;  // 64 bytes
  PublicKey public_key() const;

 private:
  struct Handle;
  explicit PrivateKey(std::shared_ptr<const Handle> handle);
  std::shared_ptr<const Handle> handle_;
};

}  // namespace kgate::trust
