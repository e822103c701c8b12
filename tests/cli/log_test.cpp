#include "gate/trust/ledger.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/repository.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

// A repository whose policy knows one approver, and who accepts in it.
class Approved : public CliFixture {
 public:
  Approved() {
    write(".kgate/keys/approver.pub.pem", key_.public_key().pem());
    write(
        ".kgate/policy.toml",
        "schema = \"kgate.policy/1\"\n[trust]\nunsigned = \"warn\"\n[[key]]\nfile = \"keys/approver.pub.pem\"\nroles = "
        "[\"accept\"]\n");
    commit("keys");
  }

  static Draft draft(const std::string& kernel, double small, double wide) {
    Draft draft;
    const auto store = [&](const std::string& text) {
      const std::string digest = digest_of(view_of(text));
      draft.objects[digest] = bytes_of(text);
      return digest;
    };
    Record& record = draft.record;
    record.kernel = kernel;
    record.time = "2026-01-0" + std::to_string(small > 9 ? 1 : 2) + "T00:00:00Z";
    record.commit = std::string(40, 'c');
    record.path = "kernels/" + kernel + "/kernel.toml";
    record.files[record.path] = record.content = record.cases_digest = store("toml");
    record.cases_revision = 3;
    record.reason = "it is right";
    Measurement one;
    one.device_class = "0123456789abcdef";
    one.backend = "cuda";
    one.device_name = "NVIDIA H200";
    one.architecture = "sm_90";
    one.toolkit = "13.0";
    one.code = one.fingerprint = store("code");
    one.cases["small"].us = small;
    one.cases["wide"].us = wide;
    record.measurements.push_back(one);
    return draft;
  }
  LedgerEntry accept(const Draft& draft) const {
    const auto repository = Repository::open(root().string());
    const GitProgram git(root(), environment);
    const Keyring keyring({{key_.public_key(), "keys/approver.pub.pem", {"accept"}, {}, {}}}, {});
    return append(repository, git, keyring, {}, draft, [&](Envelope& envelope) { add_signature(envelope, key_); });
  }
  Answer log(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"log", "--policy-ref", "HEAD"});
    return kgate(std::move(arguments));
  }

 private:
  PrivateKey key_ = PrivateKey::generate();
};

}  // namespace

TEST_CASE("log of a repository without a ledger says so, which is no failure") {
  const Approved cli;
  const auto answer = cli.log();
  CHECK(answer.code == 0);
  CHECK(answer.output ==
        "kgate/ledger: nothing was accepted yet\n"
        "if others have: git fetch origin +refs/heads/kgate/ledger:refs/remotes/origin/kgate/ledger\n");
  CHECK(cli.log({"nothing"}).code == 0);
  const auto json = Json::parse(cli.log({"--format", "json"}).output);
  CHECK(json["schema"] == "kgate.log/1");
  CHECK(json["ledger"]["sequence"] == 0);
  CHECK(json["records"].empty());
}

TEST_CASE("log shows what was accepted, by whom, why, and how the times changed") {
  const Approved cli;
  cli.accept(cli.draft("sum", 10, 100));
  Draft second = cli.draft("sum", 5, 101);
  second.record.release = "v1.4";
  second.record.slower = "exact sums";
  const auto newest = cli.accept(second);
  const auto answer = cli.log({"sum"});
  CHECK(answer.code == 0);
  CHECK(answer.output ==
        "     2  2026-01-02T00:00:00Z  sum  accepted, release v1.4, slower: exact sums\n"
        "        by keys/approver.pub.pem; commit cccccccccc; kernels/sum/kernel.toml; cases revision 3\n"
        "        it is right\n"
        "        NVIDIA H200 (0123456789abcdef), cuda sm_90, toolkit 13.0\n"
        "          small      5.000 us  -50.0 %\n"
        "          wide       101.0 us  +1.0 %\n"
        "          mean                 -28.9 %\n"
        "\n"
        "     1  2026-01-01T00:00:00Z  sum  accepted\n"
        "        by keys/approver.pub.pem; commit cccccccccc; kernels/sum/kernel.toml; cases revision 3\n"
        "        it is right\n"
        "        NVIDIA H200 (0123456789abcdef), cuda sm_90, toolkit 13.0\n"
        "          small      10.00 us\n"
        "          wide       100.0 us\n"
        "\n"
        "kgate/ledger: 2 records, the newest " +
            newest.digest + "\n");

  const auto json = Json::parse(cli.log({"--format", "json"}).output);
  REQUIRE(json["records"].size() == 2);
  CHECK(json["ledger"]["digest"] == newest.digest);
  CHECK(json["records"][0]["digest"] == newest.digest);
  CHECK(json["records"][0]["signers"] == Json{"keys/approver.pub.pem"});
  CHECK(json["records"][0]["record"]["release"] == "v1.4");
  CHECK(json["records"][0]["ratios"]["0123456789abcdef"]["cases"]["small"] == 0.5);
  CHECK(json["records"][1]["ratios"].empty());
}

TEST_CASE("log goes through all kernels by number, names and retirements, as far as it is asked to") {
  const Approved cli;
  cli.accept(cli.draft("sum", 10, 100));
  cli.accept(cli.draft("scan", 20, 200));
  Draft renamed = cli.draft("total", 8, 90);
  renamed.record.renamed_from = "sum";
  cli.accept(renamed);
  Draft end;
  end.record.kernel = "scan";
  end.record.retired = true;
  end.record.reason = "nobody calls it";
  end.record.time = "2026-01-03T00:00:00Z";
  const auto newest = cli.accept(end);
  const std::string last = "kgate/ledger: 4 records, the newest " + newest.digest + "\n";
  CHECK(cli.log({"--quiet"}).output ==
        "     4  2026-01-03T00:00:00Z  scan  retired\n"
        "     3  2026-01-02T00:00:00Z  total  accepted, renamed from sum\n"
        "     2  2026-01-01T00:00:00Z  scan  accepted\n"
        "     1  2026-01-01T00:00:00Z  sum  accepted\n");
  CHECK(cli.log({"--quiet", "--limit", "1"}).output == "     4  2026-01-03T00:00:00Z  scan  retired\n");
  CHECK(cli.log({"--quiet", "--limit", "0"}).output == cli.log({"--quiet"}).output);
  CHECK(cli.log({"--quiet", "t*"}).output ==
        "     3  2026-01-02T00:00:00Z  total  accepted, renamed from sum\n"
        "     1  2026-01-01T00:00:00Z  sum  accepted\n");
  CHECK(cli.log({"scan", "--limit", "1"}).output ==
        "     4  2026-01-03T00:00:00Z  scan  retired\n"
        "        by keys/approver.pub.pem\n"
        "        nobody calls it\n"
        "\n" +
            last);
  const auto unknown = cli.log({"totel"});
  CHECK(unknown.code == 6);
  CHECK(unknown.output == "kgate: kernel \"totel\": is not in the ledger; did you mean \"total\"?\n");
}

TEST_CASE("log neutralises what records say, and shows nothing of a ledger that does not hold") {
  const Approved cli;
  Draft hostile = cli.draft("sum", 10, 100);
  hostile.record.reason = "\x1b[2Jgood\n::error ::x";
  hostile.record.measurements[0].device_name = "\x1b]0;x\x07";
  cli.accept(hostile);
  const auto answer = cli.log();
  CHECK(answer.code == 0);
  CHECK(answer.output.find('\x1b') == std::string::npos);
  CHECK(answer.output.find("\\x1b[2Jgood \\::error") != std::string::npos);

  cli.git({"checkout", "-q", "kgate/ledger"});
  cli.write("heads.json", "{}x");
  cli.git({"commit", "-q", "-a", "--amend", "--no-edit"});
  cli.git({"checkout", "-q", "main"});
  const auto damaged = cli.log();
  CHECK(damaged.code == 4);
  CHECK(damaged.output ==
        "kgate: kgate/ledger:heads.json: is not what the newest record attests; the branch was damaged or rewritten: "
        "have it reset to its last commit that holds, docs/ledger.md says how\n");
}
