#pragma once

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#include "base/bytes.h"
#include "base/error.h"

// OpenSSL with owners. Only this folder's sources include it: no other header of kgate knows OpenSSL.
namespace kgate::trust {

template <auto free_function>
struct OpenSslFree {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, OpenSslFree<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, OpenSslFree<EVP_MD_CTX_free>>;
using PrivateInfo = std::unique_ptr<PKCS8_PRIV_KEY_INFO, OpenSslFree<PKCS8_PRIV_KEY_INFO_free>>;
using EncryptedInfo = std::unique_ptr<X509_SIG, OpenSslFree<X509_SIG_free>>;
using Bio = std::unique_ptr<BIO, OpenSslFree<BIO_free_all>>;

inline const unsigned char* raw(ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* raw(Bytes& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

// OpenSSL keeps its errors in a queue of the thread; a failure that was understood leaves nothing there.
struct QuietErrors {
  QuietErrors() { ERR_set_mark(); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { ERR_pop_to_mark(); }
};

// For a call that cannot fail unless memory is gone or OpenSSL is broken.
inline Error openssl_failure(const std::string& call) {
  return {ErrorKind::internal, "OpenSSL", call + " failed"};
}

}  // namespace kgate::trust
