#include <filesystem>

#include "base/file.h"
#include "base/process.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/trust/key_fixture.h"
#include "tests/trust/ledger_fixture.h"

// What docs/ledger.md tells its readers to run, word for word.

using namespace kgate;
using namespace kgate::trust;

namespace {

std::string page() {
  return std::string(text_of(read_file(std::filesystem::path(KGATE_SOURCE_DIR) / "docs/ledger.md", 1 << 20)));
}

// The block of commands that holds these words.
std::string commands_with(const std::string& words) {
  const std::string text = page(), fence = "```sh\n";
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size(), end = text.find("```", begin);
    if (text.substr(begin, end - begin).find(words) != std::string::npos) return text.substr(begin, end - begin);
  }
  FAIL("docs/ledger.md has no commands with " << words);
  return {};
}

CommandResult shell(const std::string& script, const std::string& folder) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-e", "-c", script};
  options.environment = {{"PATH", options.search_path}, {"HOME", "/nonexistent"}, {"LC_ALL", "C"}};
  options.folder = folder;
  return run_command(options, {});
}

// A clone of a host whose ledger has softmax 1, scan 2 and softmax 3.
class Published : public LedgerFixture {
 public:
  Published() {
    init("seed");
    git("", {"clone", "-q", "--bare", "seed", "host.git"});
    git("", {"clone", "-q", "host.git", "r"});
    append("r", draft("softmax", 10));
    append("r", draft("scan", 20));
    append("r", draft("softmax", 9));
    write("r/.kgate/keys/release.pub.pem", test_key(1).public_key().pem());
  }
};

}  // namespace

TEST_CASE("git and openssl alone check a record, as docs/ledger.md says") {
  if (!shell("openssl version | grep -q '^OpenSSL [3-9]'", "/").status.ok()) KGATE_SKIP("openssl 3 is not installed");
  const Published published;
  const auto answer = shell(commands_with("pkeyutl -verify"), published.path("r"));
  INFO(answer.output);
  REQUIRE(answer.status.ok());
  const auto has = [&](const std::string& text) { return answer.output.find(text) != std::string::npos; };
  CHECK(has("Signature Verified Successfully\n"));
  const Ledger ledger = published.open("r");
  const LedgerEntry head = *ledger.head("softmax");
  for (const auto& digest : objects_of(head.record))
    CHECK(has("stored/objects/sha256/" + digest.substr(7, 2) + "/" + digest.substr(9) + ": OK\n"));
  CHECK(has("= " + head.digest.substr(7) + "\n"));
  CHECK(has("\n\"previous\":\"" + ledger.head("scan")->digest + "\"\n"));
  CHECK(has("\n\"kernel_previous\":\"" + head.record.kernel_previous + "\"\n"));
  CHECK(has("= " + head.record.heads.substr(7) + "\n\"heads\":\"" + head.record.heads + "\"\n"));
}

TEST_CASE("a swapped file and another key's record do not pass the commands of docs/ledger.md") {
  if (!shell("openssl version | grep -q '^OpenSSL [3-9]'", "/").status.ok()) KGATE_SKIP("openssl 3 is not installed");
  const Published published;
  SECTION("another key") {
    published.write("r/.kgate/keys/release.pub.pem", test_key(5).public_key().pem());
    const auto answer = shell(commands_with("pkeyutl -verify"), published.path("r"));
    CHECK_FALSE(answer.status.ok());
    CHECK(answer.output.find("Signature Verification Failure") != std::string::npos);
  }
  SECTION("a swapped file") {
    const std::string digest = published.open("r").head("softmax")->record.measurements[0].code;
    published.damage("r", [&] {
      published.write("r/objects/sha256/" + digest.substr(7, 2) + "/" + digest.substr(9), "other code");
    });
    published.git("r", {"update-ref", "refs/remotes/origin/kgate/ledger", "kgate/ledger"});
    published.write("r/.kgate/keys/release.pub.pem", test_key(1).public_key().pem());
    const auto answer = shell(commands_with("pkeyutl -verify"), published.path("r"));
    INFO(answer.output);
    CHECK_FALSE(answer.status.ok());
    CHECK(answer.output.find(": FAILED\n") != std::string::npos);
  }
}

TEST_CASE("a damaged branch is reset by the commands of docs/ledger.md") {
  const Published published;
  published.git("r", {"branch", "kgate/ledger", "origin/kgate/ledger"});
  published.damage("r", [&] { std::filesystem::remove(published.path("r/heads.json")); });
  published.git("r", {"push", "-q", "--force", "origin", "kgate/ledger"});
  published.git("r", {"branch", "-q", "-D", "kgate/ledger"});
  REQUIRE(published.open_error("r").find("untrusted: origin/kgate/ledger:heads.json: is missing") == 0);

  std::string script = commands_with("git push --force origin kgate/ledger");
  const std::size_t check = script.find("kgate verify\n");
  REQUIRE(check != std::string::npos);
  const auto look = shell(script.substr(0, check), published.path("r"));
  INFO(look.output);
  REQUIRE(look.status.ok());
  CHECK(published.open("r").verify(1).records == 2);
  const auto restore = shell(script.substr(check + std::string("kgate verify\n").size()), published.path("r"));
  INFO(restore.output);
  REQUIRE(restore.status.ok());
  CHECK(published.append("r", published.draft("softmax", 9)).record.sequence == 3);
}
