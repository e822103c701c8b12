#include "gate/trust/keyring.h"

#include "base/memory_tree.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

using Words = std::vector<std::string>;
constexpr const char* kDay = "2026-11-29";

TrustedKey trusted(unsigned number, Words roles, std::optional<std::string> not_before = {},
                   std::optional<std::string> not_after = {}) {
  return {test_key(number).public_key(), "keys/" + std::to_string(number) + ".pub.pem", std::move(roles),
          std::move(not_before), std::move(not_after)};
}

Envelope signed_by(const std::vector<unsigned>& numbers) {
  Envelope envelope{"text/plain", bytes_of("hello"), {}};
  for (const unsigned number : numbers) add_signature(envelope, test_key(number));
  return envelope;
}

std::string refusal(const Keyring& keyring, const Envelope& envelope, const std::string& day = kDay) {
  return error_of([&] { keyring.verify(envelope, "cases", day, "x.dsse"); });
}

}  // namespace

TEST_CASE("a signature counts for the roles of its key") {
  const Keyring keyring({trusted(1, {"cases"}), trusted(2, {"accept"}), trusted(3, {"history", "cases"})}, {});
  CHECK(keyring.verify(signed_by({1}), "cases", kDay, "x.dsse") == Words{"keys/1.pub.pem"});
  CHECK(keyring.verify(signed_by({3}), "cases", kDay, "x.dsse") == Words{"keys/3.pub.pem"});
  CHECK(keyring.verify(signed_by({3, 2, 1}), "cases", kDay, "x.dsse") == Words{"keys/1.pub.pem", "keys/3.pub.pem"});
  CHECK(
      refusal(keyring, signed_by({2})) ==
      "untrusted: x.dsse: its signature does not count: keys/2.pub.pem has the role accept, not cases; have it signed "
      "with keys/1.pub.pem or keys/3.pub.pem");
  CHECK(
      error_of([&] { keyring.verify(signed_by({3}), "accept", kDay, "x.dsse"); }) ==
      "untrusted: x.dsse: its signature does not count: keys/3.pub.pem has the roles history, cases, not accept; have "
      "it signed with keys/2.pub.pem");
}

TEST_CASE("a policy without a key for the role says so, whoever signed") {
  const std::string expected =
      "untrusted: x.dsse: no key of the policy has the role cases; add a [[key]] with roles = [\"cases\"] to "
      ".kgate/policy.toml, and merge that first";
  CHECK(refusal(Keyring(), signed_by({1})) == expected);
  CHECK(refusal(Keyring({trusted(1, {"accept"})}, {}), signed_by({1})) == expected);
}

TEST_CASE("a key that the policy does not know counts for nothing") {
  const Keyring keyring({trusted(1, {"cases"})}, {});
  CHECK(refusal(keyring, signed_by({2})) ==
        "untrusted: x.dsse: no key that the policy knows has signed it; have it signed with keys/1.pub.pem");
}

TEST_CASE("what was changed after it was signed is told as that") {
  const Keyring keyring({trusted(1, {"cases"})}, {});
  const std::string expected =
      "untrusted: x.dsse: the signature in the name of keys/1.pub.pem does not hold: this is not what that key signed; "
      "restore what "
      "was signed, or have it signed anew";
  Envelope envelope = signed_by({1});
  envelope.payload = bytes_of("hullo");
  CHECK(refusal(keyring, envelope) == expected);
  envelope = signed_by({1});
  envelope.payload_type = "text/html";
  CHECK(refusal(keyring, envelope) == expected);
  envelope = signed_by({1});
  envelope.signatures[0].value[10] ^= std::byte{1};
  CHECK(refusal(keyring, envelope) == expected);
}

TEST_CASE("an envelope's key id is a hint: it neither makes a signature count nor keeps it from counting") {
  const Keyring keyring({trusted(1, {"cases"}), trusted(2, {"accept"})}, {});
  Envelope envelope = signed_by({1});
  for (const std::string& keyid : {std::string(), std::string("nobody"), test_key(2).public_key().id()}) {
    envelope.signatures[0].keyid = keyid;
    CHECK(keyring.verify(envelope, "cases", kDay, "x.dsse") == Words{"keys/1.pub.pem"});
  }
  Envelope foreign = signed_by({3});
  foreign.signatures[0].keyid = test_key(1).public_key().id();
  CHECK(refusal(keyring, foreign) ==
        "untrusted: x.dsse: the signature in the name of keys/1.pub.pem does not hold: this is not what that key "
        "signed; restore what "
        "was signed, or have it signed anew");
}

TEST_CASE("one key counts once, however often it signs") {
  const Keyring keyring({trusted(1, {"cases"}), trusted(2, {"cases"})}, {{"cases", 2}});
  Envelope envelope = signed_by({1});
  envelope.signatures.push_back(envelope.signatures[0]);
  envelope.signatures[1].keyid = test_key(2).public_key().id();
  const std::string expected =
      "untrusted: x.dsse: 2 distinct keys with the role cases must sign, and 1 did (keys/1.pub.pem); have it signed "
      "with keys/2.pub.pem";
  CHECK(refusal(keyring, envelope) == expected);
  CHECK(refusal(keyring, signed_by({1, 4})) == expected);
  CHECK(keyring.verify(signed_by({1, 2}), "cases", kDay, "x.dsse") == Words{"keys/1.pub.pem", "keys/2.pub.pem"});
}

TEST_CASE("for a threshold keys of another role do not count, and are named") {
  const Keyring keyring({trusted(1, {"cases"}), trusted(2, {"cases"}), trusted(3, {"accept"})}, {{"cases", 2}});
  CHECK(refusal(keyring, signed_by({1, 3})) ==
        "untrusted: x.dsse: 2 distinct keys with the role cases must sign, and 1 did (keys/1.pub.pem); keys/3.pub.pem "
        "has the role accept, not cases; have it signed with keys/2.pub.pem");
}

TEST_CASE("a threshold of none is one") {
  const Keyring keyring({trusted(1, {"cases"})}, {{"cases", 0}, {"accept", -1}});
  CHECK(keyring.threshold_of("cases") == 1);
  CHECK(keyring.threshold_of("accept") == 1);
  CHECK(keyring.threshold_of("history") == 1);
  CHECK(refusal(keyring, signed_by({2})) ==
        "untrusted: x.dsse: no key that the policy knows has signed it; have it signed with keys/1.pub.pem");
}

TEST_CASE("a key counts on its first and its last day, and on no day outside") {
  const Keyring keyring({trusted(1, {"cases"}, "2026-01-01", "2026-12-31")}, {});
  for (const char* day : {"2026-01-01", "2026-06-15", "2026-12-31"}) {
    CHECK(keyring.verify(signed_by({1}), "cases", day, "x.dsse") == Words{"keys/1.pub.pem"});
  }
  CHECK(refusal(keyring, signed_by({1}), "2025-12-31") ==
        "untrusted: x.dsse: its signature does not count: keys/1.pub.pem is valid from 2026-01-01, and this is about "
        "2025-12-31; add a [[key]] with roles = [\"cases\"] to .kgate/policy.toml, and merge that first");
  CHECK(refusal(keyring, signed_by({1}), "2027-01-01") ==
        "untrusted: x.dsse: its signature does not count: keys/1.pub.pem was valid until 2026-12-31, and this is about "
        "2027-01-01; add a [[key]] with roles = [\"cases\"] to .kgate/policy.toml, and merge that first");
  const Keyring two({trusted(1, {"cases"}, {}, "2026-10-31"), trusted(2, {"cases"}, "2026-11-01")}, {});
  CHECK(refusal(two, signed_by({1})) ==
        "untrusted: x.dsse: its signature does not count: keys/1.pub.pem was valid until 2026-10-31, and this is about "
        "2026-11-29; have it signed with keys/2.pub.pem");
}

TEST_CASE("signing with a key that would not count is refused beforehand") {
  const Keyring keyring({trusted(1, {"cases"}), trusted(2, {"accept"}), trusted(3, {"cases"}, {}, "2026-11-28")}, {});
  const auto refused = [&](unsigned number) {
    return error_of([&] { keyring.require(test_key(number).public_key(), "cases", kDay); });
  };
  CHECK(refused(1) == "no error");
  CHECK(refused(2) == "untrusted: signing key " + test_key(2).public_key().id().substr(0, 16) +
                          ": keys/2.pub.pem has the role accept, not cases; have it signed with keys/1.pub.pem");
  CHECK(refused(3) == "untrusted: signing key " + test_key(3).public_key().id().substr(0, 16) +
                          ": keys/3.pub.pem was valid until 2026-11-28, and this is about 2026-11-29; have it signed "
                          "with keys/1.pub.pem");
  CHECK(refused(4) == "untrusted: signing key " + test_key(4).public_key().id().substr(0, 16) +
                          ": the policy does not know it; commit its public half below .kgate/keys with a [[key]] with "
                          "roles = [\"cases\"] in .kgate/policy.toml, and merge that first");
}

TEST_CASE("the keyring is what the policy names, in the tree that the policy came from") {
  Policy policy = default_policy();
  policy.keys = {{"keys/a.pub.pem", {"cases"}, {}, "2027-12-31"}, {"b.pub.pem", {"accept", "history"}, {}, {}}};
  policy.thresholds = {{"cases", 2}};
  std::map<std::string, Bytes> files = {{".kgate/keys/a.pub.pem", bytes_of(test_key(1).public_key().pem())},
                                        {".kgate/b.pub.pem", bytes_of(test_key(2).public_key().pem())}};
  const Keyring keyring = Keyring::read(policy, MemoryTree(files, "commit 1a2b3c"));
  REQUIRE(keyring.keys().size() == 2);
  CHECK(keyring.keys()[0].file == "keys/a.pub.pem");
  CHECK(keyring.keys()[0].not_after == "2027-12-31");
  CHECK(keyring.keys()[1].roles == Words{"accept", "history"});
  CHECK(keyring.threshold_of("cases") == 2);
  CHECK(keyring.has_role("history"));
  CHECK(keyring.find(test_key(2).public_key()) == &keyring.keys()[1]);
  CHECK(keyring.find(test_key(3).public_key()) == nullptr);

  const auto refused = [&] { return error_of([&] { Keyring::read(policy, MemoryTree(files, "commit 1a2b3c")); }); };
  files[".kgate/b.pub.pem"] = files[".kgate/keys/a.pub.pem"];
  CHECK(refused() ==
        "untrusted: .kgate/b.pub.pem: is the same key as keys/a.pub.pem; name each key once, with all its roles");
  files[".kgate/b.pub.pem"] = bytes_of("rubbish");
  CHECK(refused() ==
        "untrusted: .kgate/b.pub.pem: is not a single PEM block; put an Ed25519 public key there, as kgate keygen or "
        "openssl pkey -pubout write it, and nothing else");
  files[".kgate/b.pub.pem"] = Bytes((64u << 10) + 1);
  CHECK(refused() == "untrusted: .kgate/b.pub.pem: is larger than 65536 bytes; put an Ed25519 public key there");
  files.erase(".kgate/b.pub.pem");
  CHECK(refused() ==
        "untrusted: .kgate/b.pub.pem: is named by the policy and missing in commit 1a2b3c; commit the public key, or "
        "take "
        "its [[key]] out of .kgate/policy.toml");
}
