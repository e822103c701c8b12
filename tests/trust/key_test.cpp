#include "gate/trust/key.h"

#include <algorithm>

#include "base/base64.h"
#include "base/digest.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

const std::string kPublicRemedy =
    "; put an Ed25519 public key there, as kgate keygen or openssl pkey -pubout write it, and nothing else";
const std::string kPrivateRemedy = "; make a key with kgate keygen NAME";
const std::string kPassphraseRemedy = "; look at KGATE_KEY_PASSPHRASE or the file of --passphrase-file";

std::string public_error(const std::string& pem) {
  return error_of([&] { PublicKey::from_pem(pem, "k.pub.pem"); });
}
std::string private_error(const std::string& pem, const std::string& passphrase = "") {
  return error_of([&] { PrivateKey::from_pem(pem, passphrase, "k.key.pem"); });
}

std::string block(const std::string& label, const Bytes& content) {
  return "-----BEGIN " + label + "-----\n" + base64(content) + "\n-----END " + label + "-----\n";
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const auto place = text.find(part);
  REQUIRE(place != std::string::npos);
  return text.replace(place, part.size(), by);
}

// As `openssl genpkey` and `openssl pkey -pubout` write keys of other kinds.
constexpr const char* kEcPublic = R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEs/4xH1dNbKCx42AiQSKaCFRSdZfs
gFrwT5KC5yO5cJGv6hWO/V0y0rqPunvSd+LVAcq1dNXMTmDO+iM5+awr4w==
-----END PUBLIC KEY-----
)";
constexpr const char* kEd448Public = R"(-----BEGIN PUBLIC KEY-----
MEMwBQYDK2VxAzoApXm34pcMhtZlPnwLH+kVgVuPIrC5qAwm+KcS3//Z0XUINEwK
BzwM7kPz3FBwxQZ3bjuEAtTT0/kA
-----END PUBLIC KEY-----
)";
constexpr const char* kRsaPublic = R"(-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBALhjl1tKRkA/LXlrG8xDCCMhET9UUAk6
SZDuO9VZVot5FaWz0zZv/NX3hRoiF54c5lqWO9Ok+xCeieIZJeTqxvECAwEAAQ==
-----END PUBLIC KEY-----
)";
constexpr const char* kEcPrivate = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLBn8um5wpOG739tX
+egtyOhA+ZG7bnN6xUwYV9fFujShRANCAASz/jEfV01soLHjYCJBIpoIVFJ1l+yA
WvBPkoLnI7lwka/qFY79XTLSuo+6e9J34tUByrV01cxOYM76Izn5rCvj
-----END PRIVATE KEY-----
)";
constexpr const char* kX25519Private = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VuBCIEIHCEQ+3EhcUd5Y2bVMXpq36I/rjts1CfXCi+7VaA99hZ
-----END PRIVATE KEY-----
)";

}  // namespace

TEST_CASE("keys and signatures are those of RFC 8032, section 7.1") {
  struct Vector {
    const char *secret, *half, *message, *signature;
  };
  const Vector vectors[] = {
      {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
       "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
       "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
       "d25bf5f0595bbe24655141438e7a100b"},
      {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
       "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
       "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
       "387b2eaeb4302aeeb00d291612bb0c00"},
      {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
       "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
       "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
       "4a7c15e9716ed28dc027beceea1ec40a"},
      {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
       "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
       "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
       "454d4423643ce80e2a9ac94fa54ca49f",
       "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
       "3dca179c138ac17ad9bef1177331a704"}};
  for (const Vector& vector : vectors) {
    INFO(vector.secret);
    const PrivateKey key = private_key_of(from_hex(vector.secret));
    CHECK(key.public_key().pem() == public_pem_of(from_hex(vector.half)));
    const Bytes message = from_hex(vector.message);
    CHECK(to_hex(key.sign(message)) == vector.signature);
    CHECK(key.public_key().verifies(message, from_hex(vector.signature)));
    Bytes longer = message;
    longer.push_back(std::byte{0});
    CHECK_FALSE(key.public_key().verifies(longer, from_hex(vector.signature)));
  }
}

TEST_CASE("a signature holds in the one form that RFC 8032 gives it") {
  const PrivateKey key = test_key(1);
  const Bytes good = key.sign(view_of("text"));
  REQUIRE(key.public_key().verifies(view_of("text"), good));
  for (std::size_t i = 0; i < good.size(); i += 7) {
    Bytes flipped = good;
    flipped[i] ^= std::byte{1};
    CHECK_FALSE(key.public_key().verifies(view_of("text"), flipped));
  }
  // The second half plus the group's order is the same number to a careless reader.
  const Bytes order = from_hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  Bytes twin = good;
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += static_cast<unsigned>(twin[32 + i]) + static_cast<unsigned>(order[i]);
    twin[32 + i] = static_cast<std::byte>(carry & 255U);
    carry >>= 8U;
  }
  CHECK_FALSE(key.public_key().verifies(view_of("text"), twin));
  CHECK_FALSE(key.public_key().verifies(view_of("text"), Bytes(good.begin(), good.end() - 1)));
  Bytes longer = good;
  longer.push_back(std::byte{0});
  CHECK_FALSE(key.public_key().verifies(view_of("text"), longer));
  CHECK_FALSE(key.public_key().verifies(view_of("text"), Bytes()));
}

TEST_CASE("a key pair reads back from its own PEM") {
  const PrivateKey key = PrivateKey::generate();
  const PublicKey half = PublicKey::from_pem(key.public_key().pem(), "x.pub.pem");
  CHECK(half.id() == key.public_key().id());
  CHECK(PrivateKey::generate().public_key().id() != half.id());
  for (const std::string passphrase : {"", "open sesame"}) {
    const std::string pem = key.pem(passphrase);
    CHECK(pem.starts_with(passphrase.empty() ? "-----BEGIN PRIVATE KEY-----\n"
                                             : "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
    const PrivateKey read = PrivateKey::from_pem(pem, passphrase, "x.key.pem");
    CHECK(half.verifies(view_of("text"), read.sign(view_of("text"))));
  }
}

TEST_CASE("a key's id is the digest of its DER form") {
  const Bytes half = from_hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  Bytes der = from_hex("302a300506032b6570032100");
  der.insert(der.end(), half.begin(), half.end());
  CHECK(PublicKey::from_pem(public_pem_of(half), "x").id() == sha256_hex(der));
}

TEST_CASE("line ends of Windows and none at the end are no other key") {
  const std::string pem = test_key(1).public_key().pem();
  std::string windows;
  for (const char c : pem) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string id = test_key(1).public_key().id();
  CHECK(PublicKey::from_pem(windows, "x").id() == id);
  CHECK(PublicKey::from_pem(pem.substr(0, pem.size() - 1), "x").id() == id);
  std::string secret = test_key(1).pem("");
  secret.insert(0, "\n");
  CHECK(PrivateKey::from_pem(secret + "\n \n", "", "x").public_key().id() == id);
}

TEST_CASE("a public key's file holds one key and nothing that another reader could see") {
  const std::string pem = test_key(1).public_key().pem(), other = test_key(2).public_key().pem();
  const std::string single = "untrusted: k.pub.pem: is not a single PEM block" + kPublicRemedy;
  const std::string strange = "untrusted: k.pub.pem: is not written as public keys are" + kPublicRemedy;
  CHECK(public_error("") == single);
  CHECK(public_error("  \n") == single);
  CHECK(public_error("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA") == single);
  CHECK(public_error(pem + other) == single);
  CHECK(public_error(pem + "trailing") == single);
  CHECK(public_error("leading\n" + pem) == single);
  CHECK(public_error(pem.substr(0, pem.size() / 2)) == single);
  CHECK(public_error(replaced(pem, "-----END PUBLIC KEY-----\n", "")) == single);
  CHECK(public_error(replaced(pem, "\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n")) == single);
  CHECK(public_error(pem + "\n") == strange);
  CHECK(public_error(replaced(pem, "MCow", "MCow\n")) == strange);
  CHECK(public_error("\n" + pem) == strange);
  CHECK(public_error(pem + std::string(1, '\0')) == single);
}

TEST_CASE("only Ed25519 public keys are taken, in their one encoding") {
  const auto not_ed25519 = [](const std::string& kind) {
    return "untrusted: k.pub.pem: is no Ed25519 key, but " + kind + kPublicRemedy;
  };
  CHECK(public_error(kEcPublic) == not_ed25519("EC"));
  CHECK(public_error(kEd448Public) == not_ed25519("ED448"));
  CHECK(public_error(kRsaPublic) == not_ed25519("RSA"));
  const std::string broken = "untrusted: k.pub.pem: is no public key" + kPublicRemedy;
  CHECK(public_error(block("PUBLIC KEY", bytes_of("rubbish"))) == broken);
  Bytes der = from_hex("302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  CHECK(public_error(block("PUBLIC KEY", der)) == "no error");
  der.push_back(std::byte{0});
  CHECK(public_error(block("PUBLIC KEY", der)) == broken);
  CHECK(public_error(block("CERTIFICATE", der)) ==
        "untrusted: k.pub.pem: holds no PUBLIC KEY, but \"CERTIFICATE\"" + kPublicRemedy);
}

TEST_CASE("a private key where a public one belongs is told as what it is") {
  const std::string expected =
      "untrusted: k.pub.pem: is a private key: whoever could read it can sign with it; take it away, make a new pair "
      "with kgate keygen, and put the public half there";
  CHECK(public_error(test_key(1).pem("")) == expected);
  CHECK(public_error(test_key(1).pem("secret")) == expected);
}

TEST_CASE("public keys of small order are refused: anybody could sign for them") {
  for (const char* y : {"0000000000000000000000000000000000000000000000000000000000000000",
                        "0100000000000000000000000000000000000000000000000000000000000000",
                        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"}) {
    Bytes half = from_hex(y);
    for (const unsigned sign : {0U, 0x80U}) {
      half.back() ^= static_cast<std::byte>(sign);
      CHECK(public_error(public_pem_of(half)) ==
            "untrusted: k.pub.pem: is a point of small order, for which anybody can sign" + kPublicRemedy);
    }
  }
}

TEST_CASE("only Ed25519 private keys are taken, alone in their text") {
  const std::string pem = test_key(1).pem("");
  const std::string single = "usage: k.key.pem: is not a single PEM block" + kPrivateRemedy;
  CHECK(private_error(pem) == "no error");
  CHECK(private_error("") == single);
  CHECK(private_error(pem + pem) == single);
  CHECK(private_error(pem + "trailing") == single);
  CHECK(private_error("leading\n" + pem) == single);
  CHECK(private_error(pem.substr(0, 60)) == single);
  CHECK(private_error(kEcPrivate) == "usage: k.key.pem: is no Ed25519 key, but EC" + kPrivateRemedy);
  CHECK(private_error(kX25519Private) == "usage: k.key.pem: is no Ed25519 key, but X25519" + kPrivateRemedy);
  CHECK(private_error(test_key(1).public_key().pem()) ==
        "usage: k.key.pem: holds no PRIVATE KEY, but \"PUBLIC KEY\"" + kPrivateRemedy);
  CHECK(
      private_error(replaced(replaced(pem, "BEGIN PRIVATE", "BEGIN RSA PRIVATE"), "END PRIVATE", "END RSA PRIVATE")) ==
      "usage: k.key.pem: holds no PRIVATE KEY, but \"RSA PRIVATE KEY\"" + kPrivateRemedy);
  CHECK(private_error(block("PRIVATE KEY", bytes_of("rubbish"))) ==
        "usage: k.key.pem: is no private key" + kPrivateRemedy);
}

TEST_CASE("an encrypted key needs its passphrase, and nobody is asked for it") {
  const std::string pem = test_key(1).pem("secret");
  CHECK(private_error(pem, "secret") == "no error");
  CHECK(private_error(pem) ==
        "usage: k.key.pem: is encrypted, and there is no passphrase; set KGATE_KEY_PASSPHRASE, or give "
        "--passphrase-file FILE");
  CHECK(private_error(pem, "Secret") ==
        "usage: k.key.pem: cannot be decrypted: the passphrase is wrong, or the key is damaged" + kPassphraseRemedy);
  CHECK(private_error(block("ENCRYPTED PRIVATE KEY", bytes_of("rubbish")), "x") ==
        "usage: k.key.pem: is damaged" + kPrivateRemedy);
  // A passphrase that is not needed does no harm.
  CHECK(private_error(test_key(1).pem(""), "secret") == "no error");
}
