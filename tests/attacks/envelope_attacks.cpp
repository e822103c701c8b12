#include "gate/trust/dsse.h"
#include "tests/attacks/attack.h"

// The envelope is read before anything in it is believed: what has two readings, or more than anybody signs, is none.

using kgate::Json;

namespace {

constexpr const char* kEnvelope = "kernels/scale/cases.toml.dsse";

// An edit of the envelope's JSON, without a key.
auto edited(void (*change)(Json&)) {
  return [change](Scene& s) { edit_envelope(s.repo, kEnvelope, change); };
}
// An edit of the statement by somebody who has a reviewer's key.
auto restated(void (*change)(Json&)) {
  return [change](Scene& s) { sign_payload(s.repo, kEnvelope, change); };
}

std::string no_envelope(const std::string& fact) {
  return std::string(kEnvelope) + ": is no DSSE envelope: " + fact + kRestored;
}
std::string no_statement(const std::string& fact) {
  return std::string(kEnvelope) + ": is no statement that kgate can use: " + fact + kRestored;
}

}  // namespace

std::vector<Attack> attacks_on_envelopes() {
  return {
      {"the signature is empty", [](Scene& s) { s.repo.write(kEnvelope, ""); },
       std::string(kEnvelope) + ": is not valid JSON at byte 0 (line 1, column 1): the text ends too early" +
           kRestored},
      {"the signature is truncated", [](Scene& s) { s.repo.write(kEnvelope, s.repo.read(kEnvelope).substr(0, 100)); },
       std::string(kEnvelope) + ": is not valid JSON at byte 100 (line 1, column 101): the text ends too early" +
           kRestored},
      {"the signature has 17 MiB", [](Scene& s) { s.repo.enlarge(kEnvelope, 17u << 20); },
       std::string(kEnvelope) + ": has 17825792 bytes; at most 16777216 are allowed" + kRestored},
      {"the signature is JSON of a million levels",
       [](Scene& s) { s.repo.write(kEnvelope, std::string(1000000, '[')); },
       std::string(kEnvelope) + ": is not valid JSON at byte 65 (line 1, column 66): more than 64 levels deep" +
           kRestored},
      {"the signature has its payload twice",
       [](Scene& s) { s.repo.replace(kEnvelope, "{\"payload\":", "{\"payload\":\"e30=\",\"payload\":"); },
       std::string(kEnvelope) +
           ": is not valid JSON at byte 27 (line 1, column 28): the key \"payload\" is there twice" + kRestored},
      {"the signature has a Payload beside its payload", edited([](Json& envelope) { envelope["Payload"] = "e30="; }),
       no_envelope("\"Payload\" could be read as \"payload\"")},
      {"the envelope's payload type is another",
       edited([](Json& envelope) { envelope["payloadType"] = "application/json"; }),
       std::string(kEnvelope) +
           ": the signature in the name of keys/reviewer.pub.pem does not hold: this is not what that key signed; "
           "restore what was signed, or have it signed anew"},
      {"a good signature is over another payload type",
       [](Scene& s) {
         auto envelope = kgate::trust::parse_envelope(s.repo.read(kEnvelope), "x");
         envelope.payload_type = "application/json";
         envelope.signatures.clear();
         kgate::trust::add_signature(envelope, key_of(Who::reviewer));
         s.repo.write(kEnvelope, kgate::trust::write_envelope(envelope));
       },
       no_statement("its payload type is \"application/json\", not \"application/vnd.in-toto+json\"")},
      {"the payload is base64 with a bit that carries no data",
       [](Scene& s) {
         s.repo.write(kEnvelope, R"({"payload":"e31=","payloadType":"x","signatures":[{"sig":"e30="}]})");
       },
       no_envelope("\"payload\" is not canonical base64")},
      {"a signature's base64 has a line break", edited([](Json& envelope) {
         std::string sig = envelope["signatures"][0]["sig"];
         envelope["signatures"][0]["sig"] = sig.insert(10, "\n");
       }),
       no_envelope("\"sig\" is not canonical base64")},
      {"the envelope has no signatures", edited([](Json& envelope) { envelope["signatures"] = Json::array(); }),
       no_envelope("it has no signatures")},
      {"the envelope has ten thousand signatures", edited([](Json& envelope) {
         const Json one = envelope["signatures"][0];
         envelope["signatures"] = Json(10000, one);
       }),
       no_envelope("it has 10000 signatures, and 100 are allowed")},
      {"the signature names the reviewer's key, and is made with another", edited([](Json& envelope) {
         auto other = envelope;
         const std::string keyid = envelope["signatures"][0]["keyid"];
         auto parsed = kgate::trust::parse_envelope(envelope.dump(), "x");
         parsed.signatures.clear();
         kgate::trust::add_signature(parsed, key_of(Who::stranger));
         envelope = Json::parse(kgate::trust::write_envelope(parsed));
         envelope["signatures"][0]["keyid"] = keyid;
       }),
       std::string(kEnvelope) +
           ": the signature in the name of keys/reviewer.pub.pem does not hold: this is not what that key signed; "
           "restore what was signed, or have it signed anew"},
      {"the statement is of another type",
       restated([](Json& statement) { statement["_type"] = "https://in-toto.io/Statement/v0.1"; }),
       no_statement("\"_type\" is \"https://in-toto.io/Statement/v0.1\", not \"https://in-toto.io/Statement/v1\"")},
      {"the statement is a record of the ledger, not of cases",
       restated([](Json& statement) { statement["predicateType"] = "https://kgate.dev/accepted/v1"; }),
       no_statement("it says \"https://kgate.dev/accepted/v1\", and \"https://kgate.dev/cases/v1\" is expected here")},
      {"the statement is about no file", restated([](Json& statement) { statement["subject"] = Json::array(); }),
       no_statement("it has no subjects")},
      {"the statement names cases.toml twice",
       restated([](Json& statement) { statement["subject"].push_back(statement["subject"][0]); }),
       no_statement("the subject \"../common/shapes.cuh\" is there twice")},
      {"the statement has a digest that is no SHA-256", restated([](Json& statement) {
         statement["subject"][0]["digest"] = {{"sha1", std::string(40, '0')}};
       }),
       no_statement("the subject \"../common/shapes.cuh\" has no SHA-256 of 64 lower-case hex digits")},
      {"the statement says more than this kgate understands",
       restated([](Json& statement) { statement["predicate"]["tolerances_do_not_matter"] = true; }),
       std::string(kEnvelope) + ": the predicate: \"tolerances_do_not_matter\" is not a key that this kgate knows" +
           kRestored},
      {"the signed payload has one key twice",
       [](Scene& s) {
         auto envelope = kgate::trust::parse_envelope(s.repo.read(kEnvelope), "x");
         std::string payload(kgate::text_of(envelope.payload));
         payload.insert(1, "\"predicateType\":\"x\",");
         envelope.payload = kgate::bytes_of(payload);
         envelope.signatures.clear();
         kgate::trust::add_signature(envelope, key_of(Who::reviewer));
         s.repo.write(kEnvelope, kgate::trust::write_envelope(envelope));
       },
       std::string(kEnvelope) +
           ": payload: is not valid JSON at byte 190 (line 1, column 191): the key \"predicateType\" is there twice" +
           kRestored},
  };
}
