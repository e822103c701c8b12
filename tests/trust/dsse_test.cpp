#include "gate/trust/dsse.h"

#include "base/base64.h"
#include "base/json.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

TEST_CASE("what is signed is DSSE's own example, byte for byte") {
  const Bytes encoded = pre_authentication_encoding("http://example.com/HelloWorld", view_of("hello world"));
  CHECK(text_of(encoded) == "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST_CASE("an envelope reads back as it was written") {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  add_signature(envelope, test_key(1));
  add_signature(envelope, test_key(2));
  const Envelope read = parse_envelope(write_envelope(envelope), "x.dsse");
  CHECK(read.payload_type == "text/plain");
  CHECK(text_of(read.payload) == "hello");
  REQUIRE(read.signatures.size() == 2);
  CHECK(read.signatures[0].keyid == test_key(1).public_key().id());
  const Bytes text = pre_authentication_encoding("text/plain", view_of("hello"));
  CHECK(test_key(1).public_key().verifies(text, read.signatures[0].value));
  CHECK(test_key(2).public_key().verifies(text, read.signatures[1].value));
  CHECK_FALSE(test_key(2).public_key().verifies(text, read.signatures[0].value));
}

TEST_CASE("a key that signs again replaces its signature") {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  add_signature(envelope, test_key(1));
  envelope.payload = bytes_of("changed");
  add_signature(envelope, test_key(1));
  REQUIRE(envelope.signatures.size() == 1);
  envelope.signatures[0].keyid = "a lie";
  add_signature(envelope, test_key(1));
  CHECK(envelope.signatures.size() == 1);
}
