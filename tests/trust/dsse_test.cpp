#include "gate/trust/dsse.h"

#include "base/base64.h"
#include "base/json.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

const std::string kRemedy = "; restore the file as it was signed, or sign anew";

std::string refusal(const std::string& text) {
  return error_of([&] { parse_envelope(text, "x.dsse"); });
}
// What an envelope is refused for, after the words that all refusals have.
std::string no_envelope(const std::string& fact) {
  return "untrusted: x.dsse: is no DSSE envelope: " + fact + kRemedy;
}

}  // namespace

TEST_CASE("what is signed is DSSE's own example, byte for byte") {
  const Bytes encoded = pre_authentication_encoding("http://example.com/HelloWorld", view_of("hello world"));
  CHECK(text_of(encoded) == "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST_CASE("lengths of what is signed are in bytes, and any bytes may stand in it") {
  CHECK(text_of(pre_authentication_encoding("", {})) == "DSSEv1 0  0 ");
  CHECK(text_of(pre_authentication_encoding("t\xc3\xa9", view_of("\xe2\x82\xac"))) ==
        "DSSEv1 3 t\xc3\xa9 3 \xe2\x82\xac");
  const Bytes zeros(3);
  CHECK(text_of(pre_authentication_encoding("t", zeros)) == std::string("DSSEv1 1 t 3 \0\0\0", 16));
}

TEST_CASE("DSSE's own example of an envelope is read") {
  // The payload and its type are those of the specification; the signature there is by an ECDSA key, any bytes do here.
  const Envelope envelope = parse_envelope(R"({"payload":"aGVsbG8gd29ybGQ=",
      "payloadType":"http://example.com/HelloWorld",
      "signatures":[{"sig":"A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="}]})",
                                           "x.dsse");
  CHECK(envelope.payload_type == "http://example.com/HelloWorld");
  CHECK(text_of(envelope.payload) == "hello world");
  REQUIRE(envelope.signatures.size() == 1);
  CHECK(envelope.signatures[0].keyid.empty());
  CHECK(envelope.signatures[0].value.size() == 64);
}

TEST_CASE("an envelope reads back as it was written") {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  add_signature(envelope, test_key(1));
  add_signature(envelope, test_key(2));
  const std::string text = write_envelope(envelope);
  CHECK(text.starts_with("{\"payload\":\"aGVsbG8=\",\"payloadType\":\"text/plain\",\"signatures\":[{\"keyid\":\""));
  CHECK(text.ends_with("\"}]}\n"));
  const Envelope read = parse_envelope(text, "x.dsse");
  CHECK(read.payload_type == "text/plain");
  CHECK(text_of(read.payload) == "hello");
  REQUIRE(read.signatures.size() == 2);
  CHECK(read.signatures[0].keyid == test_key(1).public_key().id());
  const Bytes signed_text = pre_authentication_encoding("text/plain", view_of("hello"));
  CHECK(test_key(1).public_key().verifies(signed_text, read.signatures[0].value));
  CHECK(test_key(2).public_key().verifies(signed_text, read.signatures[1].value));
  CHECK_FALSE(test_key(2).public_key().verifies(signed_text, read.signatures[0].value));
  CHECK(write_envelope(read) == text);
}

TEST_CASE("payload and signatures may be in URL-safe base64") {
  Envelope envelope{"text/plain", from_hex("fbefff"), {}};
  add_signature(envelope, test_key(1));
  Json json = parse_json(write_envelope(envelope), "x");
  const auto url_safe = [](Json& text) {
    auto& letters = text.get_ref<std::string&>();
    for (char& c : letters) c = c == '+' ? '-' : c == '/' ? '_' : c;
  };
  CHECK(json["payload"] == "++//");
  url_safe(json["payload"]);
  url_safe(json["signatures"][0]["sig"]);
  const Envelope read = parse_envelope(json.dump(), "x.dsse");
  CHECK(read.payload == envelope.payload);
  CHECK(read.signatures[0].value == envelope.signatures[0].value);
}

TEST_CASE("a key that signs again replaces its signature, whatever was said of whose it is") {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  add_signature(envelope, test_key(1));
  envelope.payload = bytes_of("changed");
  add_signature(envelope, test_key(1));
  REQUIRE(envelope.signatures.size() == 1);
  CHECK(test_key(1).public_key().verifies(pre_authentication_encoding("text/plain", view_of("changed")),
                                          envelope.signatures[0].value));
  envelope.signatures[0].keyid = "a lie";
  add_signature(envelope, test_key(1));
  REQUIRE(envelope.signatures.size() == 1);
  CHECK(envelope.signatures[0].keyid == test_key(1).public_key().id());
}

TEST_CASE("keys that an envelope's reader does not know are ignored") {
  CHECK(refusal(
            R"({"payload":"","payloadType":"t","signatures":[{"sig":"","keyid":"k","cert":"-"}],"more":{"a":[1]}})") ==
        "no error");
}

TEST_CASE("a key that another reader could take for one that counts is refused") {
  CHECK(refusal(R"({"payload":"","Payload":"Zg==","payloadType":"t","signatures":[{"sig":""}]})") ==
        no_envelope("\"Payload\" could be read as \"payload\""));
  CHECK(refusal(R"({"payload":"","payloadtype":"t","payloadType":"t","signatures":[{"sig":""}]})") ==
        no_envelope("\"payloadtype\" could be read as \"payloadType\""));
  CHECK(refusal(R"({"payload":"","payloadType":"t","signatures":[{"sig":"","SIG":""}]})") ==
        no_envelope("\"SIG\" could be read as \"sig\""));
}

TEST_CASE("a key that stands there twice is refused: two readers could see different values") {
  CHECK(refusal(R"({"payload":"","payload":"Zg==","payloadType":"t","signatures":[{"sig":""}]})") ==
        "untrusted: x.dsse: is not valid JSON at byte 23 (line 1, column 24): the key \"payload\" is there twice" +
            kRemedy);
  CHECK(refusal(R"({"payload":"","\u0070ayload":"Zg==","payloadType":"t","signatures":[{"sig":""}]})") ==
        "untrusted: x.dsse: is not valid JSON at byte 28 (line 1, column 29): the key \"payload\" is there twice" +
            kRemedy);
}

TEST_CASE("what an envelope must have is told by name") {
  CHECK(refusal("[]") == no_envelope("is not an object"));
  CHECK(refusal(R"({"payload":"","signatures":[{"sig":""}]})") == no_envelope("\"payloadType\" is missing"));
  CHECK(refusal(R"({"payloadType":"t","signatures":[{"sig":""}]})") == no_envelope("\"payload\" is missing"));
  CHECK(refusal(R"({"payload":"","payloadType":"t"})") == no_envelope("\"signatures\" is missing"));
  CHECK(refusal(R"({"payload":"","payloadType":"t","signatures":{}})") ==
        no_envelope("\"signatures\" is not an array"));
  CHECK(refusal(R"({"payload":"","payloadType":"t","signatures":[]})") == no_envelope("it has no signatures"));
  CHECK(refusal(R"({"payload":"","payloadType":"t","signatures":[1]})") == no_envelope("a signature is not an object"));
  CHECK(refusal(R"({"payload":"","payloadType":"t","signatures":[{}]})") == no_envelope("\"sig\" is missing"));
  CHECK(refusal(R"({"payload":"","payloadType":7,"signatures":[{"sig":""}]})") ==
        no_envelope("\"payloadType\" is not a string"));
  CHECK(refusal(R"({"payload":null,"payloadType":"t","signatures":[{"sig":""}]})") ==
        no_envelope("\"payload\" is not a string"));
  CHECK(refusal(R"({"payload":"","payloadType":"t","signatures":[{"sig":"","keyid":1}]})") ==
        no_envelope("\"keyid\" is not a string"));
}

TEST_CASE("base64 that is not canonical is refused") {
  for (const char* payload : {"Zh==", "Zg", "Zg==\\n", " Zg==", "+_==", "Z"}) {
    CHECK(refusal(std::string(R"({"payload":")") + payload + R"(","payloadType":"t","signatures":[{"sig":""}]})") ==
          no_envelope("\"payload\" is not canonical base64"));
  }
  CHECK(refusal(R"({"payload":"","payloadType":"t","signatures":[{"sig":"Zh=="}]})") ==
        no_envelope("\"sig\" is not canonical base64"));
}

TEST_CASE("a truncated envelope is refused wherever it ends") {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  add_signature(envelope, test_key(1));
  const std::string text = write_envelope(envelope);
  CHECK(refusal("") ==
        "untrusted: x.dsse: is not valid JSON at byte 0 (line 1, column 1): the text ends too early" + kRemedy);
  for (std::size_t size = 1; size + 1 < text.size(); ++size) {
    REQUIRE(refusal(text.substr(0, size)) == "untrusted: x.dsse: is not valid JSON at byte " + std::to_string(size) +
                                                 " (line 1, column " + std::to_string(size + 1) +
                                                 "): the text ends too early" + kRemedy);
  }
  CHECK(refusal(text + "x") == "untrusted: x.dsse: is not valid JSON at byte " + std::to_string(text.size()) +
                                   " (line 2, column 1): near \"x\"" + kRemedy);
}

TEST_CASE("a huge envelope is refused before it is read") {
  CHECK(refusal(std::string(kMaxEnvelope + 1, ' ')) == no_envelope("it has 16777217 bytes, and 16777216 are allowed"));
  std::string deep(100, '[');
  CHECK(refusal(deep) ==
        "untrusted: x.dsse: is not valid JSON at byte 65 (line 1, column 66): more than 64 levels deep" + kRemedy);
}

TEST_CASE("an envelope has at most 100 signatures") {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  for (unsigned number = 1; number <= 100; ++number) add_signature(envelope, test_key(number));
  CHECK(parse_envelope(write_envelope(envelope), "x.dsse").signatures.size() == 100);
  CHECK(error_of([&] { add_signature(envelope, test_key(101)); }) ==
        "usage: envelope: it has 100 signatures already; sign anew with fewer keys");
  add_signature(envelope, test_key(7));  // its own place is free
  CHECK(envelope.signatures.size() == 100);
  envelope.signatures.push_back(envelope.signatures.front());
  CHECK(refusal(write_envelope(envelope)) == no_envelope("it has 101 signatures, and 100 are allowed"));
}
