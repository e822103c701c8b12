#include <filesystem>

#include <sys/stat.h>

#include "gate/trust/key.h"
#include "gate/trust/key_set.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
namespace fs = std::filesystem;

namespace {

constexpr const char* kPolicy = R"(schema = "kgate.policy/1"
[trust]
unsigned = "warn"
)";

std::string text_in(const fs::path& path) {
  return std::string(text_of(read_file(path, 1 << 20)));
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

trust::PublicKey public_key(const fs::path& path) {
  return trust::PublicKey::from_pem(text_in(path), path.string());
}

std::string id_line(const fs::path& public_path) {
  return "id " + public_key(public_path).id().substr(0, 16);
}

std::string key_table(const std::string& name, const std::string& roles) {
  return "[[key]]\nfile = \"keys/" + name + ".pub.pem\"\nroles = [" + roles + "]\n";
}

// A repository whose policy names the keys "ann" (cases) and "bob" (accept); the private halves lie in secrets/.
struct Keys : CliFixture {
  Keys() {
    fs::create_directories(root() / "secrets");
    make("ann");
    make("bob");
    write(".kgate/policy.toml", kPolicy + key_table("ann", "\"cases\"") + key_table("bob", "\"accept\""));
  }
  void make(const std::string& name) const {
    REQUIRE(kgate({"keygen", name, "--keys-out", "secrets"}).code == 0);
    fs::create_directories(root() / ".kgate/keys");
    fs::rename(root() / "secrets" / (name + ".pub.pem"), root() / ".kgate/keys" / (name + ".pub.pem"));
  }
  Answer sign(const std::string& name) const {
    return kgate({"sign", "--keys", "--key", "secrets/" + name + ".key.pem"});
  }
  std::string key_line(const std::string& name, const std::string& what) const {
    return "  keys/" + name + ".pub.pem: " + what + ", " + id_line(root() / ".kgate/keys" / (name + ".pub.pem")) + "\n";
  }
};

}  // namespace

TEST_CASE("keygen makes a pair of which the private half is its owner's alone, and says what to do with both") {
  const CliFixture cli;
  const auto answer = cli.kgate({"keygen", "release"});
  CHECK(answer.code == 0);
  const auto secret = cli.root() / "release.key.pem", open = cli.root() / "release.pub.pem";
  CHECK(answer.output ==
        "private key: release.key.pem, mode 0600, not encrypted (KGATE_KEY_PASSPHRASE or --passphrase-file would do "
        "that)\n"
        "public key:  release.pub.pem\n"
        "id:          " +
            public_key(open).id() +
            "\n\n"
            "Whoever can read the private key can sign with it. Keep it out of the repository: in a vault "
            "(--key-command), in\n"
            "a secret of the CI system (KGATE_KEY), or in a file of its owner's (--key, KGATE_KEY_FILE).\n\n"
            "The public key goes to .kgate/keys, with this in .kgate/policy.toml; once that is merged, signatures "
            "count.\n\n"
            "[[key]]\n"
            "file  = \"keys/release.pub.pem\"\n"
            "roles = [\"cases\"]  # or what it is for: \"accept\", \"history\" (of a nightly job); keygen --role "
            "writes it\n");
  const auto nightly = cli.kgate({"keygen", "nightly", "--role", "history"});
  CHECK(nightly.code == 0);
  CHECK(nightly.output.ends_with("file  = \"keys/nightly.pub.pem\"\nroles = [\"history\"]\n"));
  CHECK(cli.kgate({"keygen", "both", "--role", "cases", "--role", "accept"})
            .output.ends_with("roles = [\"cases\", \"accept\"]\n"));
  CHECK(cli.kgate({"keygen", "bad", "--role", "nights"}).code == 64);
  CHECK(mode_of(secret) == 0600);
  const auto key = trust::PrivateKey::from_pem(text_in(secret), "", "release.key.pem");
  CHECK(key.public_key().id() == public_key(open).id());
}

TEST_CASE("keygen never replaces a file, and leaves no half of a pair") {
  const CliFixture cli;
  cli.write("a.key.pem", "mine");
  auto answer = cli.kgate({"keygen", "a"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate: a.key.pem: is there already; it is never replaced: choose another name\n");
  CHECK(text_in(cli.root() / "a.key.pem") == "mine");
  CHECK_FALSE(fs::exists(cli.root() / "a.pub.pem"));
  cli.write("b.pub.pem", "mine");
  answer = cli.kgate({"keygen", "b"});
  CHECK(answer.output == "kgate: b.pub.pem: is there already; it is never replaced: choose another name\n");
  CHECK(text_in(cli.root() / "b.pub.pem") == "mine");
  CHECK_FALSE(fs::exists(cli.root() / "b.key.pem"));
  fs::create_symlink(cli.root() / "elsewhere", cli.root() / "c.key.pem");
  CHECK(cli.kgate({"keygen", "c"}).code == 64);
  CHECK_FALSE(fs::exists(cli.root() / "elsewhere"));
}

TEST_CASE("keygen takes one plain name and a folder that is there") {
  const CliFixture cli;
  const std::string remedy =
      ": is no name for a key; take letters, digits, \".\", \"_\" and \"-\"; the folder is --keys-out's\n";
  for (const std::string name : {"a/b", "../a", ".hidden", "a b", "a\"b"}) {
    const auto answer = cli.kgate({"keygen", name});
    CHECK(answer.code == 64);
    CHECK(answer.output.ends_with(remedy));
  }
  CHECK(cli.kgate({"keygen", "a/b"}).output == "kgate keygen \"a/b\"" + remedy);
  CHECK(cli.kgate({"keygen"}).output == "kgate keygen: got 0 names; give one: kgate keygen release\n");
  CHECK(cli.kgate({"keygen", "a", "b"}).output == "kgate keygen: got 2 names; give one: kgate keygen release\n");
  const auto answer = cli.kgate({"keygen", "a", "--keys-out", "nowhere"});
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "kgate: nowhere/a.pub.pem: cannot be created: No such file or directory; see that it is there, and how it is "
        "spelled\n");
}

TEST_CASE("a passphrase encrypts the private key, from a file or the environment") {
  CliFixture cli;
  cli.write("words", "open sesame\n");
  fs::permissions(cli.root() / "words", fs::perms::owner_read | fs::perms::owner_write);
  const auto answer = cli.kgate({"keygen", "a", "--passphrase-file", "words"});
  CHECK(answer.code == 0);
  CHECK(answer.output.starts_with("private key: a.key.pem, mode 0600, encrypted\n"));
  CHECK(trust::PrivateKey::from_pem(text_in(cli.root() / "a.key.pem"), "open sesame", "a").public_key().id() ==
        public_key(cli.root() / "a.pub.pem").id());
  cli.environment["KGATE_KEY_PASSPHRASE"] = "swordfish";
  REQUIRE(cli.kgate({"keygen", "b"}).code == 0);
  CHECK(trust::PrivateKey::from_pem(text_in(cli.root() / "b.key.pem"), "swordfish", "b").public_key().id() ==
        public_key(cli.root() / "b.pub.pem").id());
  // The file goes before the environment.
  REQUIRE(cli.kgate({"keygen", "c", "--passphrase-file", "words"}).code == 0);
  CHECK_NOTHROW(trust::PrivateKey::from_pem(text_in(cli.root() / "c.key.pem"), "open sesame", "c"));
  cli.write("empty", "\n");
  fs::permissions(cli.root() / "empty", fs::perms::owner_read | fs::perms::owner_write);
  CHECK(cli.kgate({"keygen", "d", "--passphrase-file", "empty"}).output ==
        "kgate: empty: holds no passphrase; write it there, on one line\n");
}

TEST_CASE("the first set is made by one owner and signed by the others") {
  const Keys cli;
  auto answer = cli.sign("ann");
  CHECK(answer.code == 0);
  const std::string keys =
      cli.key_line("ann", "cases") + cli.key_line("bob", "accept") + "  accept needs 1\n  cases needs 1\n";
  CHECK(answer.output == ".kgate/keys/set-0001.dsse: made and signed, with the policy's keys\n" + keys +
                             "It still needs signatures: keys/bob.pub.pem (new in this set). Each of their owners: "
                             "kgate sign --keys --key "
                             "FILE\n");
  answer = cli.sign("bob");
  CHECK(answer.output == ".kgate/keys/set-0001.dsse: signed, as others began it\n" + keys +
                             "It has all the signatures that it needs: commit it together with the policy.\n");
  CHECK(answer.code == 0);
  CHECK(cli.sign("ann").output ==
        ".kgate/keys/set-0001.dsse has the policy's keys and all the signatures that it needs\n");
  const auto chain = trust::read_key_sets(FolderTree(cli.root()));
  REQUIRE(chain.size() == 1);
  CHECK(chain[0].missing.empty());
}

TEST_CASE("keys are rotated by the old ones and the new ones") {
  const Keys cli;
  cli.sign("ann");
  REQUIRE(cli.sign("bob").code == 0);
  cli.make("eve");
  cli.write(".kgate/policy.toml", kPolicy + key_table("bob", "\"accept\"") +
                                      key_table("eve", "\"cases\", \"history\"") +
                                      "not_before = 2026-01-01\nnot_after = 2027-12-31\n");
  auto answer = cli.sign("eve");
  CHECK(answer.code == 0);
  CHECK(answer.output == ".kgate/keys/set-0002.dsse: made and signed, with the policy's keys\n" +
                             cli.key_line("bob", "accept") +
                             cli.key_line("eve", "cases, history, from 2026-01-01, until 2027-12-31") +
                             "  accept needs 1\n  cases needs 1\n"
                             "It still needs signatures: 1 of keys/ann.pub.pem, keys/bob.pub.pem (of "
                             ".kgate/keys/set-0001.dsse). Each of their "
                             "owners: kgate sign --keys "
                             "--key FILE\n");
  // The one that goes may sign for those that stay.
  answer = cli.sign("ann");
  CHECK(answer.code == 0);
  CHECK(answer.output.ends_with("It has all the signatures that it needs: commit it together with the policy.\n"));
}

TEST_CASE("a set that was begun for other keys is made anew") {
  const Keys cli;
  cli.sign("ann");
  cli.write(".kgate/policy.toml", kPolicy + key_table("bob", "\"accept\", \"cases\""));
  const auto answer = cli.sign("bob");
  CHECK(answer.code == 0);
  CHECK(answer.output == ".kgate/keys/set-0001.dsse: made and signed, with the policy's keys\n" +
                             cli.key_line("bob", "accept, cases") +
                             "  accept needs 1\n  cases needs 1\n"
                             "It has all the signatures that it needs: commit it together with the policy.\n");
}

TEST_CASE("a key that is neither old nor new signs no set") {
  const Keys cli;
  REQUIRE(cli.kgate({"keygen", "eve", "--keys-out", "secrets"}).code == 0);
  const auto answer = cli.sign("eve");
  CHECK(answer.code == 4);
  CHECK(answer.output == "kgate: signing key " + public_key(cli.root() / "secrets/eve.pub.pem").id().substr(0, 16) +
                             ": is neither in .kgate/keys/set-0001.dsse nor in the set before it; sign with a key that "
                             "the policy names, or "
                             "named before\n");
  CHECK_FALSE(fs::exists(cli.root() / ".kgate/keys/set-0001.dsse"));
}

TEST_CASE("a policy without keys has no set to sign") {
  const CliFixture cli;
  CHECK(cli.kgate({"sign", "--keys"}).output ==
        "kgate: .kgate/policy.toml: names no keys; add a [[key]]; kgate keygen NAME makes one\n");
  fs::remove(cli.root() / ".kgate/policy.toml");
  CHECK(cli.kgate({"sign", "--keys"}).output == "kgate: .kgate/policy.toml: is not in working tree " +
                                                    cli.root().string() +
                                                    "; a key set is about the policy's keys: write one first\n");
  CHECK(cli.kgate({"sign", "--keys", "scale"}).code == 64);
}

TEST_CASE("a private key is found in a file, a command's output or the environment, in this order") {
  Keys cli;
  const auto signs = [&](std::vector<std::string> arguments) {
    fs::remove(cli.root() / ".kgate/keys/set-0001.dsse");
    arguments.insert(arguments.begin(), {"sign", "--keys"});
    const auto answer = cli.kgate(arguments);
    if (answer.code != 0) return answer.output;
    // Who signed is who is not missing.
    return std::string(answer.output.find("needs signatures: keys/bob") != std::string::npos ? "ann" : "bob");
  };
  CHECK(signs({}) ==
        "kgate: signing key: there is none; give --key FILE or --key-command COMMAND, or set KGATE_KEY or "
        "KGATE_KEY_FILE; "
        "kgate keygen NAME makes one\n");
  cli.environment["KGATE_KEY_FILE"] = "secrets/ann.key.pem";
  CHECK(signs({}) == "ann");
  cli.environment["KGATE_KEY"] = "";  // a secret that the CI system does not have
  CHECK(signs({}) == "ann");
  cli.environment["KGATE_KEY"] = text_in(cli.root() / "secrets/bob.key.pem");
  CHECK(signs({}) == "bob");
  CHECK(signs({"--key-command", "cat secrets/ann.key.pem"}) == "ann");
  CHECK(signs({"--key", "secrets/ann.key.pem"}) == "ann");
  CHECK(signs({"--key", "secrets/ann.key.pem", "--key-command", "cat secrets/ann.key.pem"}) ==
        "kgate: signing key: --key and --key-command are both given; give one of them\n");
  std::string written_out = text_in(cli.root() / "secrets/bob.key.pem");
  for (auto at = written_out.find('\n'); at != std::string::npos; at = written_out.find('\n', at))
    written_out.replace(at, 1, "\\n");
  cli.environment["KGATE_KEY"] = written_out;
  CHECK(
      signs({}) ==
      "kgate: KGATE_KEY: has its line ends written out, as \\n; store the file as it is, with its lines; where that is "
      "not possible: KGATE_KEY_FILE, or --key-command\n");
  CHECK(signs({"--key-command", "true"}) ==
        "kgate: --key-command: printed nothing; run it by hand: it has to print the private key, as PEM, on stdout\n");
  CHECK(signs({"--key", "nope.pem"}) ==
        "kgate: nope.pem: cannot be opened: No such file or directory; name the file, and let this user alone read it; "
        "kgate keygen NAME makes a key\n");
  cli.environment["KGATE_KEY"] = "rubbish";
  CHECK(signs({}) == "kgate: KGATE_KEY: is not a single PEM block; make a key with kgate keygen NAME\n");
}

TEST_CASE("an encrypted key is signed with when its passphrase is there") {
  Keys cli;
  cli.environment["KGATE_KEY_PASSPHRASE"] = "swordfish";
  cli.make("eve");
  cli.write(".kgate/policy.toml", kPolicy + key_table("eve", "\"cases\""));
  CHECK(cli.sign("eve").code == 0);
  fs::remove(cli.root() / ".kgate/keys/set-0001.dsse");
  cli.environment["KGATE_KEY_PASSPHRASE"] = "wrong";
  CHECK(cli.sign("eve").output ==
        "kgate: secrets/eve.key.pem: cannot be decrypted: the passphrase is wrong, or the key is damaged; look at "
        "KGATE_KEY_PASSPHRASE or the file of --passphrase-file\n");
  cli.environment.erase("KGATE_KEY_PASSPHRASE");
  const auto answer = cli.sign("eve");
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "kgate: secrets/eve.key.pem: is encrypted, and there is no passphrase; set KGATE_KEY_PASSPHRASE, or give "
        "--passphrase-file FILE\n");
}

TEST_CASE("a private key or a passphrase that others can read or write is refused") {
  const Keys cli;
  const auto secret = cli.root() / "secrets/ann.key.pem";
  for (const auto& [mode, text] : {std::pair{0640U, "0640"}, {0604U, "0604"}, {0620U, "0620"}, {0602U, "0602"}}) {
    fs::permissions(secret, static_cast<fs::perms>(mode));
    const auto answer = cli.sign("ann");
    CHECK(answer.code == 64);
    CHECK(answer.output == "kgate: secrets/ann.key.pem: can be read or written by others (mode " + std::string(text) +
                               "); chmod 600 secrets/ann.key.pem\n");
  }
  fs::permissions(secret, static_cast<fs::perms>(0400));
  CHECK(cli.sign("ann").code == 0);
  cli.write("words", "open sesame\n");
  fs::permissions(cli.root() / "words", static_cast<fs::perms>(0644));
  CHECK(cli.kgate({"keygen", "a", "--passphrase-file", "words"}).output ==
        "kgate: words: can be read or written by others (mode 0644); chmod 600 words\n");
}

TEST_CASE("a key command that fails is told without what it printed; its own complaints come through") {
  const Keys cli;
  auto answer =
      cli.kgate({"sign", "--keys", "--key-command", "cat secrets/ann.key.pem; echo not logged in >&2; exit 3"});
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "not logged in\nkgate: --key-command: ended with exit code 3; run it by hand: it has to print the private key, "
        "as "
        "PEM, on stdout\n");
  answer = cli.kgate({"sign", "--keys", "--key-command", "echo a warning >&2; cat secrets/ann.key.pem"});
  CHECK(answer.code == 0);
  CHECK(answer.output.starts_with("a warning\n.kgate/keys/set-0001.dsse: made and signed"));
  CHECK(cli.kgate({"sign", "--keys", "--key-command", "kill -9 $$"}).output ==
        "kgate: --key-command: was ended by signal 9; run it by hand: it has to print the private key, as PEM, on "
        "stdout\n");
  CHECK(cli.kgate({"sign", "--keys", "--key-command", "true"}).output ==
        "kgate: --key-command: printed nothing; run it by hand: it has to print the private key, as PEM, on stdout\n");
}

TEST_CASE("a key command has the caller's environment, and nothing that kgate starts sees the key or the passphrase") {
  Keys cli;
  cli.environment["VAULT_ADDR"] = "https://vault.example";
  cli.environment["KGATE_KEY"] = "the key itself";
  cli.environment["KGATE_KEY_PASSPHRASE"] = "the words";
  const auto answer = cli.kgate({"sign", "--keys", "--key-command",
                                 "env > own; tr '\\0' '\\n' < /proc/$PPID/environ > judge; cat secrets/ann.key.pem"});
  REQUIRE(answer.code == 0);
  const std::string own = text_in(cli.root() / "own"), judge = text_in(cli.root() / "judge");
  CHECK(own.find("VAULT_ADDR=https://vault.example\n") != std::string::npos);
  CHECK(judge.find("VAULT_ADDR=https://vault.example\n") != std::string::npos);
  for (const std::string& seen : {own, judge}) {
    CHECK(seen.find("KGATE_KEY") == std::string::npos);
    CHECK(seen.find("the key itself") == std::string::npos);
    CHECK(seen.find("the words") == std::string::npos);
  }
}
