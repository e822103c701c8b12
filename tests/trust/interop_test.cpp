#include <filesystem>

#include "base/digest.h"
#include "base/file.h"
#include "base/process.h"
#include "gate/trust/key_set.h"
#include "gate/trust/signed_cases.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"
#include "tests/trust/key_fixture.h"

// Other people's programs on our files, and ours on theirs. What is run with openssl is what docs/signing.md tells its
// readers to run, word for word.

using namespace kgate;
using namespace kgate::trust;
namespace fs = std::filesystem;

namespace {

CommandResult shell(const std::string& script, const fs::path& folder = {}) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-e", "-c", script};
  options.environment = {{"PATH", options.search_path}, {"NODE_PATH", KGATE_NODE_MODULES}, {"HOME", "/nonexistent"}};
  options.folder = folder;
  return run_command(options, {});
}

bool has_openssl() {
  return shell("openssl version | grep -q '^OpenSSL [3-9]'").status.ok();
}
bool has_sigstore() {
  return shell("node -e \"require('@sigstore/core')\"").status.ok();
}

std::string text_in(const fs::path& path) {
  return std::string(text_of(read_file(path, 1 << 20)));
}

// A block of docs/signing.md, of this language, that holds these words.
std::string documented(const std::string& words, const std::string& language = "sh") {
  const std::string page = text_in(fs::path(KGATE_SOURCE_DIR) / "docs/signing.md"), fence = "```" + language + "\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size(), end = page.find("```", begin);
    const std::string block = page.substr(begin, end - begin);
    if (block.find(words) != std::string::npos) return block;
  }
  FAIL("docs/signing.md has no block with " << words);
  return {};
}

CasesStatement good_cases() {
  CasesStatement cases{"saxpy", 1, "2026-11-29T22:55:27Z", {}, {}, ""};
  cases.files = {{"cases.toml", sha256_hex("cases")}, {"reference.cu", sha256_hex("reference")}};
  return cases;
}

// A repository with kernels/saxpy, signed by two keys of ours, the first of them a reviewer's.
struct Repository {
  TemporaryFolder folder{"kgate-interop"};
  PrivateKey key = PrivateKey::generate();
  Envelope envelope = wrap(to_statement(good_cases()));

  Repository() {
    add_signature(envelope, key);
    add_signature(envelope, PrivateKey::generate());
    write(".kgate/keys/reviewers.pub.pem", key.public_key().pem());
    write("kernels/saxpy/cases.toml", "cases");
    write("kernels/saxpy/reference.cu", "reference");
    write("kernels/saxpy/cases.toml.dsse", write_envelope(envelope));
  }
  fs::path path() const { return folder.path(); }
  void write(const std::string& name, const std::string& text) const { write_file_atomic(path() / name, text); }
};

// Who of these keys signed the file's envelope, a statement about cases.
std::vector<std::string> signers(const fs::path& path, const PublicKey& key) {
  const Envelope envelope = parse_envelope(text_in(path), "x.dsse");
  const CasesStatement cases = cases_statement_from(unwrap(envelope, kCasesPredicate, "x.dsse"), "x.dsse");
  CHECK(cases.files == good_cases().files);
  return Keyring({{key, "theirs", {"cases"}, {}, {}}}, {}).verify(envelope, "cases", "2026-11-29", "x.dsse");
}

}  // namespace

TEST_CASE("the statements in docs/signing.md are ones that kgate reads, and writes in the same words") {
  const auto read = [](const char* predicate) {
    return unwrap({kInTotoPayload, bytes_of(documented(predicate, "json")), {}}, predicate, "docs/signing.md");
  };
  const auto text = [](const Statement& statement) { return std::string(text_of(wrap(statement).payload)); };
  const Statement cases = read(kCasesPredicate), keys = read(kKeysPredicate);
  CHECK(text(to_statement(cases_statement_from(cases, "docs/signing.md"))) == text(cases));
  CHECK(text(to_statement(key_set_from(keys, "docs/signing.md"))) == text(keys));
}

TEST_CASE("openssl alone checks our envelope, as docs/signing.md says") {
  if (!has_openssl()) KGATE_SKIP("openssl 3 is not installed");
  const Repository repository;
  const std::string commands = documented("pkeyutl -verify");
  const auto answer = shell(commands, repository.path());
  INFO(answer.output);
  CHECK(answer.status.ok());
  CHECK(answer.output.find("Signature Verified Successfully\n") != std::string::npos);
  CHECK(answer.output.find(std::string(text_of(repository.envelope.payload)) + "\n") != std::string::npos);
  CHECK(answer.output.find(sha256_hex("reference") + " *kernels/saxpy/reference.cu\n") != std::string::npos);

  Envelope changed = repository.envelope;
  changed.payload.push_back(std::byte{' '});
  repository.write("kernels/saxpy/cases.toml.dsse", write_envelope(changed));
  const auto refused = shell(commands, repository.path());
  CHECK_FALSE(refused.status.ok());
  CHECK(refused.output.find("Signature Verified Successfully") == std::string::npos);
}

TEST_CASE("we take what openssl alone signed, as docs/signing.md says") {
  if (!has_openssl()) KGATE_SKIP("openssl 3 is not installed");
  const TemporaryFolder folder("kgate-interop");
  write_file_atomic(folder.path() / "statement.json", wrap(to_statement(good_cases())).payload);
  const auto made = shell(
      "openssl genpkey -algorithm ed25519 -out reviewers.key.pem\n"
      "openssl pkey -in reviewers.key.pem -pubout -out reviewers.pub.pem\n" +
          documented("pkeyutl -sign"),
      folder.path());
  INFO(made.output);
  REQUIRE(made.status.ok());
  const PublicKey key = PublicKey::from_pem(text_in(folder.path() / "reviewers.pub.pem"), "theirs");
  CHECK(signers(folder.path() / "cases.toml.dsse", key) == std::vector<std::string>{"theirs"});
  const PrivateKey secret = PrivateKey::from_pem(text_in(folder.path() / "reviewers.key.pem"), "", "theirs");
  CHECK(secret.public_key().id() == key.id());
}

TEST_CASE("a key's id is what docs/signing.md computes with openssl") {
  if (!has_openssl()) KGATE_SKIP("openssl 3 is not installed");
  const TemporaryFolder folder("kgate-interop");
  write_file_atomic(folder.path() / "reviewers.pub.pem", test_key(1).public_key().pem());
  CHECK(shell(documented("-outform DER"), folder.path()).output == test_key(1).public_key().id() + " *stdin\n");
}

TEST_CASE("encrypted private keys go from us to openssl and back") {
  if (!has_openssl()) KGATE_SKIP("openssl 3 is not installed");
  const TemporaryFolder folder("kgate-interop");
  const PrivateKey key = PrivateKey::generate();
  write_file_atomic(folder.path() / "ours.pem", key.pem("open sesame"));
  const auto answer = shell(
      "openssl pkey -in ours.pem -passin 'pass:open sesame' -pubout\n"
      "openssl pkey -in ours.pem -passin 'pass:open sesame' -aes-256-cbc -passout 'pass:swordfish' -out theirs.pem",
      folder.path());
  INFO(answer.output);
  REQUIRE(answer.status.ok());
  CHECK(answer.output == key.public_key().pem());
  CHECK(PrivateKey::from_pem(text_in(folder.path() / "theirs.pem"), "swordfish", "theirs").public_key().id() ==
        key.public_key().id());
}

TEST_CASE("sigstore's JavaScript checks our envelope, and we take what it encodes and node signs") {
  if (!has_sigstore())
    KGATE_SKIP(
        "node does not find @sigstore/core; npm install it, and point the CMake variable KGATE_NODE_MODULES there");
  const Repository repository;
  repository.write("check.js", R"(
    const { dsse, crypto } = require('@sigstore/core');
    const node = require('crypto'), fs = require('fs');
    const envelope = JSON.parse(fs.readFileSync('kernels/saxpy/cases.toml.dsse'));
    const payload = Buffer.from(envelope.payload, 'base64');
    const signedText = dsse.preAuthEncoding(envelope.payloadType, payload);
    const key = crypto.createPublicKey(fs.readFileSync('.kgate/keys/reviewers.pub.pem', 'utf8'));
    const holds = (text, one) => crypto.verify(text, key, Buffer.from(one.sig, 'base64'));
    console.log(envelope.signatures.map((one) => holds(signedText, one)).join(' '));
    const other = dsse.preAuthEncoding(envelope.payloadType, Buffer.concat([payload, Buffer.from(' ')]));
    console.log(holds(other, envelope.signatures[0]));

    const pair = node.generateKeyPairSync('ed25519');
    fs.writeFileSync('theirs.pub.pem', pair.publicKey.export({ type: 'spki', format: 'pem' }));
    envelope.signatures = [{ keyid: '', sig: node.sign(null, signedText, pair.privateKey).toString('base64url') + '==' }];
    fs.writeFileSync('theirs.dsse', JSON.stringify(envelope, null, 2));
  )");
  const auto answer = shell("node check.js", repository.path());
  INFO(answer.output);
  REQUIRE(answer.status.ok());
  CHECK(answer.output == "true false\nfalse\n");
  const PublicKey key = PublicKey::from_pem(text_in(repository.path() / "theirs.pub.pem"), "theirs");
  CHECK(signers(repository.path() / "theirs.dsse", key) == std::vector<std::string>{"theirs"});
}
