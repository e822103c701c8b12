#include "gate/trust/dsse.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "base/quote.h"
#include "gate/trust/untrusted.h"

namespace kgate::trust {
namespace {

constexpr std::size_t kMostSignatures = 100;
constexpr const char* kRemedy = "restore the file as it was signed, or sign anew";

// Reads one envelope; every complaint is about the same file.
class EnvelopeReader {
 public:
  explicit EnvelopeReader(const std::string& subject) : subject_(subject) {}

  Envelope read(const Json& value) const {
    if (!value.is_object()) fail("is not an object");
    refuse_look_alikes(value, {"payload", "payloadType", "signatures"});
    Envelope envelope;
    envelope.payload_type = text(value, "payloadType");
    envelope.payload = bytes(value, "payload");
    const auto signatures = value.find("signatures");
    if (signatures == value.end()) fail("\"signatures\" is missing");
    if (!signatures->is_array()) fail("\"signatures\" is not an array");
    if (signatures->empty()) fail("it has no signatures");
    if (signatures->size() > kMostSignatures) {
      fail(fmt::format("it has {} signatures, and {} are allowed", signatures->size(), kMostSignatures));
    }
    for (const Json& signature : *signatures) {
      if (!signature.is_object()) fail("a signature is not an object");
      refuse_look_alikes(signature, {"keyid", "sig"});
      envelope.signatures.push_back(
          {signature.contains("keyid") ? text(signature, "keyid") : "", bytes(signature, "sig")});
    }
    return envelope;
  }

  [[noreturn]] void fail(const std::string& fact) const {
    throw Error(ErrorKind::untrusted, subject_, "is no DSSE envelope: " + fact, kRemedy);
  }

 private:
  // Some readers of JSON take "Payload" for "payload". What they would see is not what is checked here.
  void refuse_look_alikes(const Json& object, const std::vector<std::string>& known) const {
    const auto same_letter = [](char one, char other) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
      return lower(one) == lower(other);
    };
    for (const auto& [key, value] : object.items()) {
      for (const std::string& name : known) {
        if (key != name && std::equal(key.begin(), key.end(), name.begin(), name.end(), same_letter)) {
          fail(fmt::format("{} could be read as \"{}\"", kgate::quoted(key), name));
        }
      }
    }
  }

  const std::string& text(const Json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end()) fail(fmt::format("\"{}\" is missing", key));
    if (!found->is_string()) fail(fmt::format("\"{}\" is not a string", key));
    return found->get_ref<const std::string&>();
  }

  Bytes bytes(const Json& object, const char* key) const {
    auto decoded = from_base64(text(object, key));
    if (!decoded) fail(fmt::format("\"{}\" is not canonical base64", key));
    return std::move(*decoded);
  }

  const std::string& subject_;
};

}  // namespace

Bytes pre_authentication_encoding(std::string_view payload_type, ByteView payload) {
  Bytes encoded = bytes_of(fmt::format("DSSEv1 {} {} {} ", payload_type.size(), payload_type, payload.size()));
  encoded.insert(encoded.end(), payload.begin(), payload.end());
  return encoded;
}

Envelope parse_envelope(std::string_view text, const std::string& subject) {
  const EnvelopeReader reader(subject);
  if (text.size() > kMaxEnvelope) {
    reader.fail(fmt::format("it has {} bytes, and {} are allowed", text.size(), kMaxEnvelope));
  }
  return reader.read(untrusted_where(kRemedy, [&] { return parse_json(text, subject); }));
}

std::string write_envelope(const Envelope& envelope) {
  Json signatures = Json::array();
  for (const EnvelopeSignature& signature : envelope.signatures) {
    Json one = {{"sig", base64(signature.value)}};
    if (!signature.keyid.empty()) one["keyid"] = signature.keyid;
    signatures.push_back(std::move(one));
  }
  return canonical_json({{"payload", base64(envelope.payload)},
                         {"payloadType", envelope.payload_type},
                         {"signatures", std::move(signatures)}}) +
         "\n";
}

void add_signature(Envelope& envelope, const PrivateKey& key) {
  const PublicKey half = key.public_key();
  const Bytes signed_text = pre_authentication_encoding(envelope.payload_type, envelope.payload);
  const auto ours = [&](const EnvelopeSignature& signature) {
    return signature.keyid == half.id() || half.verifies(signed_text, signature.value);
  };
  auto& signatures = envelope.signatures;
  signatures.erase(std::remove_if(signatures.begin(), signatures.end(), ours), signatures.end());
  if (signatures.size() >= kMostSignatures) {
    throw Error(ErrorKind::usage, "envelope", fmt::format("it has {} signatures already", kMostSignatures),
                "sign anew with fewer keys");
  }
  signatures.push_back({half.id(), key.sign(signed_text)});
}

}  // namespace kgate::trust
