#include "gate/trust/key.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

TEST_CASE("keys and signatures are those of RFC 8032, section 7.1, test 2") {
  const PrivateKey key = private_key_of(from_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
  CHECK(key.public_key().pem() ==
        public_pem_of(from_hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")));
  const Bytes message = from_hex("72");
  const std::string signature =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
  CHECK(to_hex(key.sign(message)) == signature);
  CHECK(key.public_key().verifies(message, from_hex(signature)));
  CHECK_FALSE(key.public_key().verifies(from_hex("73"), from_hex(signature)));
}

TEST_CASE("a key pair reads back from its own PEM") {
  const PrivateKey key = PrivateKey::generate();
  const PublicKey half = PublicKey::from_pem(key.public_key().pem(), "x.pub.pem");
  CHECK(half.id() == key.public_key().id());
  for (const std::string passphrase : {"", "open sesame"}) {
    const PrivateKey read = PrivateKey::from_pem(key.pem(passphrase), passphrase, "x.key.pem");
    CHECK(half.verifies(view_of("text"), read.sign(view_of("text"))));
  }
}
