#include "tests/trust/key_fixture.h"

#include "base/base64.h"

using namespace kgate;
using namespace kgate::trust;

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string to_hex(ByteView bytes) {
  std::string hex;
  for (const std::byte byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned>(byte) >> 4U];
    hex += kDigits[static_cast<unsigned>(byte) & 15U];
  }
  return hex;
}

namespace {

// RFC 8410: what stands before the 32 bytes is the same for every key.
std::string pem_of(const std::string& label, std::string_view prefix, ByteView raw) {
  Bytes der = from_hex(prefix);
  der.insert(der.end(), raw.begin(), raw.end());
  return "-----BEGIN " + label + "-----\n" + base64(der) + "\n-----END " + label + "-----\n";
}

}  // namespace

PrivateKey private_key_of(ByteView secret) {
  return PrivateKey::from_pem(pem_of("PRIVATE KEY", "302e020100300506032b657004220420", secret), "", "test");
}

std::string public_pem_of(ByteView half) {
  return pem_of("PUBLIC KEY", "302a300506032b6570032100", half);
}

PrivateKey test_key(unsigned number) {
  return private_key_of(Bytes(32, static_cast<std::byte>(number)));
}
