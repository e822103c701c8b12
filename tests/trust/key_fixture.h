#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "gate/trust/key.h"

// The bytes that hex digits stand for.
kgate::Bytes from_hex(std::string_view hex);
std::string to_hex(kgate::ByteView bytes);

// Keys from the 32 bytes that RFC 8032 calls the secret key and the public key.
kgate::trust::PrivateKey private_key_of(kgate::ByteView secret);
std::string public_pem_of(kgate::ByteView half);

// The same key in every run: for messages that name its id.
kgate::trust::PrivateKey test_key(unsigned number);
