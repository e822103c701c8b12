#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "gate/trust/key.h"

// Dead Simple Signing Envelope, version 1 (github.com/secure-systems-lab/dsse, protocol.md and envelope.md).
namespace kgate::trust {

constexpr std::uint64_t kMaxEnvelope = 16u << 20;
constexpr const char* kInTotoPayload = "application/vnd.in-toto+json";

struct EnvelopeSignature {
  std::string keyid;  // a hint: never trusted
  Bytes value;
};

struct Envelope {
  std::string payload_type;
  Bytes payload;
  std::vector<EnvelopeSignature> signatures;
};

// What is signed: "DSSEv1 LEN(type) type LEN(payload) payload", lengths in decimal bytes.
Bytes pre_authentication_encoding(std::string_view payload_type, ByteView payload);

// Strict: payload, payloadType, signatures[{keyid?, sig}] and nothing a reader could see twice (equal keys), base64
// standard or URL-safe and canonical, 1 to 100 signatures. Keys that it does not know are ignored, as envelope.md asks.
// Throws Error(untrusted, subject, fact, remedy).
Envelope parse_envelope(std::string_view text, const std::string& subject);
std::string write_envelope(const Envelope& envelope);  // canonical JSON and a newline

// Adds this key's signature, or replaces the one it made before.
void add_signature(Envelope& envelope, const PrivateKey& key);

}  // namespace kgate::trust
