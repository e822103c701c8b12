#include <filesystem>

#include "base/digest.h"
#include "gate/trust/signed_cases.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
namespace fs = std::filesystem;

// kgate sign: who signs what, when a revision must be raised, and what a second signer signs.
namespace {

constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kEnvelope = "kernels/scale/cases.toml.dsse";
constexpr const char* kReference = "kernels/scale/reference.cu";

std::string text_in(const fs::path& path) {
  return std::string(text_of(read_file(path, 1 << 20)));
}

// A repository whose policy names ann and ben for cases, and one of them is enough.
struct Signing : CliFixture {
  Signing() {
    std::string keys;
    for (const char* name : {"ann", "ben"}) {
      const auto key = make(name);
      write(std::string(".kgate/keys/") + name + ".pub.pem", key.public_key().pem());
      keys += std::string("[[key]]\nfile = \"keys/") + name + ".pub.pem\"\nroles = [\"cases\"]\n";
    }
    make("eve");
    write(".kgate/policy.toml", "schema = \"kgate.policy/1\"\n[trust]\nunsigned = \"warn\"\n" + keys);
    write(".gitignore", "secrets\n");
    commit("keys");
  }
  trust::PrivateKey make(const std::string& name) const {
    auto key = trust::PrivateKey::generate();
    write("secrets/" + name + ".pem", key.pem(""));
    fs::permissions(root() / "secrets" / (name + ".pem"), fs::perms::owner_read | fs::perms::owner_write);
    return key;
  }

  Answer sign(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"sign", "scale", "--backend", "host", "--cache", "", "--seed", "1", "--seeds", "6",
                               "--quiet", "--key", "secrets/" + name + ".pem"});
    return kgate(more);
  }
  std::string id_of(const std::string& name) const {
    return trust::PrivateKey::from_pem(text_in(root() / "secrets" / (name + ".pem")), "", name)
        .public_key()
        .id()
        .substr(0, 16);
  }
  bool is_signed() const { return fs::exists(root() / kEnvelope); }
  trust::Envelope envelope() const { return trust::parse_envelope(text_in(root() / kEnvelope), kEnvelope); }
  trust::CasesStatement statement() const {
    return trust::cases_statement_from(trust::unwrap(envelope(), trust::kCasesPredicate, kEnvelope), kEnvelope);
  }
  // What verifies it when a change is judged: the policy's keys, the files of the tree.
  std::vector<std::string> signers() const {
    const FolderTree tree(root());
    const auto policy = trust::parse_policy(text_in(root() / ".kgate/policy.toml"), ".kgate/policy.toml");
    const auto read = trust::read_signed_cases(tree, kCases, trust::Keyring::read(policy, tree), "2026-11-29");
    REQUIRE(read);
    return read->signers;
  }
  std::string head() const { return git({"rev-parse", "HEAD"}).output.substr(0, 10); }
  void raise(int from) const {
    replace(kCases, "revision = " + std::to_string(from), "revision = " + std::to_string(from + 1));
  }
};

// Of cases with rtol = 1e-6 and atol = 1e-3.
const std::string kWeak = "y: scaled by 1 + 2 rtol passes; case \"small\": atol below 4.4e-6 would stop it\n";

const std::vector<std::string> kBoth{"keys/ann.pub.pem", "keys/ben.pub.pem"};

}  // namespace

TEST_CASE("signed cases hold: kernel, revision, date, and every file by its digest") {
  const Signing repository;
  const auto answer = repository.sign("ann");
  CHECK(answer.code == 0);
  CHECK(answer.output == "signed: kernels/scale/cases.toml.dsse: revision 1, 2 files, key " + repository.id_of("ann") +
                             "\nit holds by this working tree's policy: keys/ann.pub.pem\nnext: kgate check scale\n");
  CHECK(repository.signers() == std::vector<std::string>{"keys/ann.pub.pem"});
  const auto statement = repository.statement();
  CHECK(statement.kernel == "scale");
  CHECK(statement.revision == 1);
  CHECK(statement.signed_at.size() == 20);
  CHECK(statement.weaknesses.empty());
  CHECK(statement.weak_reason.empty());
  CHECK(statement.files ==
        std::map<std::string, std::string>{{"cases.toml", sha256_hex(text_in(repository.root() / kCases))},
                                           {"reference.cu", sha256_hex(text_in(repository.root() / kReference))}});
}

TEST_CASE("a second key signs the same words; the same key again changes nothing but its signature") {
  const Signing repository;
  repository.replace(".kgate/policy.toml", "[trust]", "[threshold]\ncases = 2\n[trust]");
  repository.commit("two");
  const auto first = repository.sign("ann");
  CHECK(first.code == 0);
  CHECK(first.output == "signed: kernels/scale/cases.toml.dsse: revision 1, 2 files, key " + repository.id_of("ann") +
                            "\nit does not hold yet: 2 distinct keys with the role cases must sign, and 1 did "
                            "(keys/ann.pub.pem); have it signed with keys/ben.pub.pem\n");
  const auto words = repository.envelope().payload;
  const auto second = repository.sign("ben");
  CHECK(second.code == 0);
  CHECK(second.output ==
        "signature added to kernels/scale/cases.toml.dsse: revision 1, 2 files, key " + repository.id_of("ben") +
            "\nit holds by this working tree's policy: keys/ann.pub.pem, keys/ben.pub.pem\nnext: kgate check scale\n");
  CHECK(repository.envelope().payload == words);
  CHECK(repository.signers() == kBoth);
  CHECK(repository.sign("ann").code == 0);
  CHECK(repository.envelope().payload == words);
  CHECK(repository.envelope().signatures.size() == 2);
}

TEST_CASE("a signature is added where the signed cases are committed as well") {
  const Signing repository;
  CHECK(repository.sign("ann").code == 0);
  repository.commit("signed");
  CHECK(repository.sign("ben").code == 0);
  CHECK(repository.signers() == kBoth);
}

TEST_CASE("changed content needs a higher revision, whichever file changed, and then one signer alone") {
  const Signing repository;
  CHECK(repository.sign("ann").code == 0);
  CHECK(repository.sign("ben").code == 0);
  repository.replace(kReference, "x[i] + x[i]", "x[i] * 2.0f");
  const auto same = repository.sign("ann");
  CHECK(same.code == 64);
  CHECK(
      same.output ==
      "kgate: kernels/scale/cases.toml: is revision 1, and its signature is for revision 1 with another reference.cu; "
      "raise revision to 2\n");
  repository.raise(1);
  CHECK(repository.sign("ann").code == 0);
  CHECK(repository.statement().revision == 2);
  CHECK(repository.signers() == std::vector<std::string>{"keys/ann.pub.pem"});
}

TEST_CASE("the base commit's revision must be passed too, signed or not") {
  const Signing repository;
  repository.replace(kReference, "x[i] + x[i]", "x[i] * 2.0f");
  const auto answer = repository.sign("ann");
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate: kernels/scale/cases.toml: is revision 1, and commit " + repository.head() +
                             " (HEAD) has revision 1 with another reference.cu; raise revision to 2\n");
  CHECK_FALSE(repository.is_signed());
  repository.raise(1);
  CHECK(repository.sign("ann").code == 0);
}

TEST_CASE("weak cases are signed for a reason that is recorded, and only for one") {
  const Signing repository;
  repository.replace(kCases, "rtol = 1e-6", "rtol = 1e-6, atol = 1e-3");
  repository.commit("weak");
  const auto refused = repository.sign("ann");
  CHECK(refused.code == 64);
  CHECK(
      refused.output ==
      kWeak +
          "kgate: kernels/scale/cases.toml: 1 mutant passes every case (y: scaled by 1 + 2 rtol); mend the cases as is "
          "said above, or sign with --accept-weak REASON\n");
  CHECK_FALSE(repository.is_signed());
  CHECK(repository.sign("ann", {"--accept-weak", "y is a score, its last digits do not matter"}).code == 0);
  const auto statement = repository.statement();
  CHECK(statement.weak_reason == "y is a score, its last digits do not matter");
  REQUIRE(statement.weaknesses.size() == 1);
  CHECK(statement.weaknesses[0].mutant == "y: scaled by 1 + 2 rtol");
  CHECK(statement.weaknesses[0].remedy == "case \"small\": atol below 4.4e-6 would stop it");
}

TEST_CASE("a second signer accepts the first one's weaknesses for the same reason, or does not sign") {
  const Signing repository;
  repository.replace(kCases, "rtol = 1e-6", "rtol = 1e-6, atol = 1e-3");
  repository.commit("weak");
  CHECK(repository.sign("ann", {"--accept-weak", "a score"}).code == 0);
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{}, std::vector<std::string>{"--accept-weak", "whatever"}}) {
    const auto refused = repository.sign("ben", other);
    CHECK(refused.code == 64);
    CHECK(
        refused.output ==
        kWeak +
            "kgate: kernels/scale/cases.toml.dsse: was signed although a mutant passes every case (y: scaled by 1 + 2 "
            "rtol), because: a score; accept that for the same reason, --accept-weak with these words, or mend the "
            "cases "
            "and raise revision\n");
  }
  CHECK(repository.sign("ben", {"--accept-weak", "a score"}).code == 0);
  CHECK(repository.signers() == kBoth);
}

TEST_CASE("a second signer does not sign a statement that is silent about a weakness") {
  const Signing repository;
  repository.replace(kCases, "rtol = 1e-6", "rtol = 1e-6, atol = 1e-3");
  repository.commit("weak");
  CHECK(repository.sign("ann", {"--accept-weak", "a score"}).code == 0);
  auto silent = repository.statement();
  silent.weaknesses.clear();
  silent.weak_reason.clear();
  auto envelope = trust::wrap(trust::to_statement(silent));
  trust::add_signature(envelope, repository.make("ann"));
  repository.write(kEnvelope, trust::write_envelope(envelope));
  const auto refused = repository.sign("ben", {"--accept-weak", "a score"});
  CHECK(refused.code == 64);
  CHECK(refused.output == kWeak +
                              "kgate: kernels/scale/cases.toml.dsse: was signed without a word of a mutant that passes "
                              "every case: y: scaled "
                              "by 1 + 2 rtol; mend the cases and raise revision, or remove the file and sign with "
                              "--accept-weak REASON; then "
                              "the others sign again\n");
}

TEST_CASE("a fault forbids signing, whatever is accepted") {
  const Signing repository;
  repository.write(kReference,
                   "__global__ void scale_reference(float* y, const float* x, int n) {\n"
                   "  for (int i = 0; i < n; ++i) y[i] = 3.0f;\n}\n");
  repository.commit("constant");
  const auto refused = repository.sign("ann", {"--accept-weak", "it is"});
  CHECK(refused.code == 64);
  CHECK(
      refused.output ==
      "kgate: kernels/scale/cases.toml: \"y\" never changes with the seed (in \"small\"): the reference does not read "
      "its inputs, or no case has random ones that matter; such cases cannot be signed\n");
  CHECK_FALSE(repository.is_signed());
}

TEST_CASE("a key that the policy does not know signs with a loud warning, and one of another role not at all") {
  const Signing repository;
  const auto unknown = repository.sign("eve");
  CHECK(unknown.code == 0);
  CHECK(
      unknown.output ==
      "warning: THIS SIGNATURE WILL NOT COUNT: signing key " + repository.id_of("eve") +
          ": the policy does not know it; commit its public half below .kgate/keys with a [[key]] with roles = "
          "[\"cases\"] in .kgate/policy.toml, and merge that first\n"
          "signed: kernels/scale/cases.toml.dsse: revision 1, 2 files, key " +
          repository.id_of("eve") +
          "\nit does not hold yet: no key that the policy knows has signed it; have it signed with keys/ann.pub.pem or "
          "keys/ben.pub.pem\n");
  std::filesystem::remove(repository.root() / kEnvelope);
  repository.replace(".kgate/policy.toml", "roles = [\"cases\"]", "roles = [\"accept\"]");
  const auto other = repository.sign("ann");
  CHECK(other.code == 4);
  CHECK(other.output == "kgate: signing key " + repository.id_of("ann") +
                            ": keys/ann.pub.pem has the role accept, not cases; have it signed with "
                            "keys/ben.pub.pem\n");
  CHECK_FALSE(repository.is_signed());
}

TEST_CASE("what lies there and is no statement about cases is replaced, and said to be") {
  const Signing repository;
  repository.write(kEnvelope, "rubbish");
  const auto answer = repository.sign("ann");
  CHECK(answer.code == 0);
  CHECK(answer.output.starts_with("warning: kernels/scale/cases.toml.dsse: "));
  CHECK(answer.output.find(": it is replaced\n") != std::string::npos);
  CHECK(repository.signers() == std::vector<std::string>{"keys/ann.pub.pem"});
  // A statement that says more than is shown gets no further signature.
  auto statement = trust::to_statement(repository.statement());
  auto envelope = trust::wrap(statement);
  std::string payload(text_of(envelope.payload));
  payload.insert(1, "\"_hidden\":1,");
  envelope.payload = bytes_of(payload);
  trust::add_signature(envelope, repository.make("ann"));
  repository.write(kEnvelope, trust::write_envelope(envelope));
  const auto more = repository.sign("ben");
  CHECK(more.code == 0);
  CHECK(more.output.starts_with(
      "warning: kernels/scale/cases.toml.dsse says more than a statement about cases does: it is replaced\nsigned: "));
}

TEST_CASE("kernels are chosen by name or pattern; one that cannot be signed does not keep the others") {
  const Signing repository;
  for (const char* file : {"kernel.toml", "scale.cu", "reference.cu", "cases.toml"}) {
    repository.write(std::string("kernels/other/") + file, text_in(repository.root() / "kernels/scale" / file));
  }
  repository.replace("kernels/other/cases.toml", "kernel = \"scale\"", "kernel = \"another\"");
  repository.replace("kernels/other/cases.toml", "rtol = 1e-6", "rtol = 1e-6, atol = 1e-3");
  const auto sign = [&](std::vector<std::string> names) {
    names.insert(names.begin(), "sign");
    names.insert(names.end(), {"--backend", "host", "--cache", "", "--quiet", "--key", "secrets/ann.pem"});
    return repository.kgate(names);
  };
  const auto all = sign({"*"});
  CHECK(all.code == 64);
  CHECK(
      all.output.ends_with("kgate sign: 1 of 2 kernels were not signed: kernels/other/cases.toml; each says "
                           "above why\n"));
  CHECK(repository.is_signed());
  CHECK_FALSE(fs::exists(repository.root() / "kernels/other/cases.toml.dsse"));
  CHECK(sign({}).output == "kgate sign: names no kernel; name one or more, or \"*\": another, scale\n");
  const auto unknown = sign({"scal"});
  CHECK(unknown.code == 6);
  CHECK(unknown.output ==
        "kgate: kernel \"scal\": is not in working tree " + repository.root().string() + "; did you mean \"scale\"?\n");
}

TEST_CASE("a file that the cases name and that is missing or too large is told before anything runs") {
  const Signing repository;
  repository.replace(kCases, "inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { file = \"x.npy\" } }");
  CHECK(repository.sign("ann").output == "kgate: kernels/scale/x.npy: is not in working tree " +
                                             repository.root().string() +
                                             "; add the file, or take it out of cases.toml\n");
}
