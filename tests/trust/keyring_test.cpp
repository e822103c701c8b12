#include "gate/trust/keyring.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

constexpr const char* kDay = "2026-11-29";

TrustedKey trusted(unsigned number, std::vector<std::string> roles) {
  return {test_key(number).public_key(), "keys/" + std::to_string(number) + ".pub.pem", std::move(roles), {}, {}};
}

Envelope signed_by(const std::vector<unsigned>& numbers) {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  for (const unsigned number : numbers) add_signature(envelope, test_key(number));
  return envelope;
}

}  // namespace

TEST_CASE("a signature counts for the roles of its key") {
  const Keyring keyring({trusted(1, {"cases"}), trusted(2, {"accept"})}, {});
  CHECK(keyring.verify(signed_by({1}), "cases", kDay, "x.dsse") == std::vector<std::string>{"keys/1.pub.pem"});
  CHECK(
      error_of([&] { keyring.verify(signed_by({2}), "cases", kDay, "x.dsse"); }) ==
      "untrusted: x.dsse: its signature does not count: keys/2.pub.pem has the role accept, not cases; have it signed "
      "with keys/1.pub.pem");
}
