#include "gate/trust/ledger.h"

#include "gate/trust/ledger_names.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/ledger_fixture.h"

using namespace kgate;
using namespace kgate::trust;
using Names = std::vector<std::string>;

namespace {

// "5 scan* 3 sum 1": the records of a kernel, newest first, with the star where it ended.
std::string walk(const Ledger& ledger, const std::string& kernel) {
  std::string text;
  ledger.records(kernel, [&](const LedgerEntry& entry) {
    text += (text.empty() ? "" : " ") + std::to_string(entry.record.sequence) + " " + entry.record.kernel;
    if (entry.ended) text += "*";
    return true;
  });
  return text;
}

}  // namespace

TEST_CASE("a repository without the branch has an empty ledger") {
  const LedgerFixture fixture;
  fixture.init("r");
  const Ledger ledger = fixture.open("r");
  CHECK(ledger.commit().empty());
  CHECK(ledger.sequence() == 0);
  CHECK(ledger.digest().empty());
  CHECK(ledger.kernels().empty());
  CHECK_FALSE(ledger.head("sum"));
  CHECK(ledger.verify(2).records == 0);
  CHECK(error_of([&] { ledger.object("sha256:" + std::string(64, '0')); }) ==
        "untrusted: kgate/ledger: is not in this clone; git fetch origin "
        "+refs/heads/kgate/ledger:refs/remotes/origin/kgate/ledger");
}

TEST_CASE("what was appended is read back, kernel by kernel, the newest first") {
  const LedgerFixture fixture;
  fixture.init("r");
  const LedgerEntry first = fixture.append("r", fixture.draft("sum", 10));
  fixture.append("r", fixture.draft("scan", 20), 2);
  const LedgerEntry third = fixture.append("r", fixture.draft("sum", 9));
  const Ledger ledger = fixture.open("r");
  CHECK(ledger.sequence() == 3);
  CHECK(ledger.digest() == third.digest);
  CHECK(ledger.commit() == fixture.git("r", {"rev-parse", "kgate/ledger"}));
  CHECK(ledger.kernels() == Names{"scan", "sum"});
  CHECK(walk(ledger, "sum") == "3 sum 1 sum");
  CHECK(walk(ledger, "scan") == "2 scan");
  CHECK(walk(ledger, "nothing").empty());
  const auto head = ledger.head("sum");
  REQUIRE(head);
  CHECK(head->record.measurements[0].cases.at("wide").us == 9);
  CHECK(head->record.kernel_previous == first.digest);
  CHECK(head->signers == Names{"keys/1.pub.pem"});
  CHECK(ledger.head("scan")->signers == Names{"keys/2.pub.pem"});
  CHECK(text_of(ledger.object(head->record.measurements[0].code)) == "code of sum in 9 us");
  CHECK(error_of([&] { ledger.object(digest_of(view_of("nothing"))); }) ==
        "untrusted: kgate/ledger:" + object_path(digest_of(view_of("nothing"))) +
            ": is missing, and a record names it" + kRestore);
  const auto totals = ledger.verify(2);
  CHECK(totals.records == 3);
  // Two files and two objects that all share, and a source, code and samples for each.
  CHECK(totals.objects == 2 + 3 * 3);
}

TEST_CASE("a record is one commit by kgate, and the tree has its envelope and its objects") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.append("r", fixture.draft("sum", 10));
  const LedgerEntry second = fixture.append("r", fixture.draft("sum", 9));
  CHECK(fixture.git("r", {"log", "--format=%an <%ae> %s", "kgate/ledger"}) ==
        "kgate <noreply@kgate.dev> sum: record 2\nkgate <noreply@kgate.dev> sum: record 1");
  CHECK(fixture.git("r", {"ls-tree", "-r", "--name-only", "kgate/ledger", "records"}) ==
        "records/sum/000001.json\nrecords/sum/000002.json");
  for (const auto& digest : objects_of(second.record)) {
    const std::string path = "objects/sha256/" + digest.substr(7, 2) + "/" + digest.substr(9);
    CHECK(fixture.git("r", {"cat-file", "-t", "kgate/ledger:" + path}) == "blob");
  }
  CHECK(fixture.git("r", {"fsck", "--strict"}).empty());
}

TEST_CASE("a kernel that was retired is not alive, and may come back") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.append("r", fixture.draft("sum", 10));
  Draft end;
  end.record.kernel = "sum";
  end.record.retired = true;
  end.record.reason = "nobody calls it";
  end.record.time = "2026-01-02T00:00:00Z";
  fixture.append("r", end);
  const Ledger retired = fixture.open("r");
  CHECK(retired.kernels().empty());
  CHECK(walk(retired, "sum") == "2 sum* 1 sum");
  CHECK(retired.head("sum")->ended);
  CHECK(retired.verify(1).records == 2);
  fixture.append("r", fixture.draft("sum", 8, "2026-01-03T00:00:00Z"));
  const Ledger back = fixture.open("r");
  CHECK(back.kernels() == Names{"sum"});
  CHECK(walk(back, "sum") == "3 sum 2 sum* 1 sum");
  CHECK(back.verify(2).records == 3);
}

TEST_CASE("a renamed kernel goes on under its new name, and a name may be taken again") {
  const LedgerFixture fixture;
  fixture.init("r");
  const auto renamed = [&](const std::string& from, const std::string& to, double us) {
    Draft draft = fixture.draft(to, us);
    draft.record.renamed_from = from;
    return fixture.append("r", draft);
  };
  fixture.append("r", fixture.draft("sum", 10));
  fixture.append("r", fixture.draft("scan", 20));
  const LedgerEntry rename = renamed("sum", "total", 9);
  CHECK(fixture.git("r", {"ls-tree", "-r", "--name-only", "kgate/ledger", "records"}) ==
        "records/scan/000002.json\nrecords/sum/000001.json\nrecords/sum/000003.json\nrecords/total/000003.json");
  CHECK(fixture.open("r").kernels() == Names{"scan", "total"});
  CHECK(walk(fixture.open("r"), "total") == "3 total 1 sum");
  CHECK(walk(fixture.open("r"), "sum") == "3 total* 1 sum");
  CHECK(fixture.open("r").head("sum")->record.kernel == "total");
  CHECK(fixture.open("r").head("sum")->digest == rename.digest);

  fixture.append("r", fixture.draft("total", 8));
  CHECK(walk(fixture.open("r"), "total") == "4 total 3 total 1 sum");
  CHECK(fixture.open("r").verify(2).records == 4);

  SECTION("by another kernel") {
    fixture.append("r", fixture.draft("sum", 30));
    CHECK(fixture.open("r").kernels() == Names{"scan", "sum", "total"});
    CHECK(walk(fixture.open("r"), "sum") == "5 sum 3 total* 1 sum");
    CHECK(walk(fixture.open("r"), "total") == "4 total 3 total 1 sum");
  }
  SECTION("by itself") {
    renamed("total", "sum", 7);
    CHECK(fixture.open("r").kernels() == Names{"scan", "sum"});
    CHECK(walk(fixture.open("r"), "sum") == "5 sum 4 total 3 total 1 sum");
    CHECK(walk(fixture.open("r"), "total") == "5 sum* 4 total 3 total 1 sum");
  }
  CHECK(fixture.open("r").verify(2).records == 5);
}

TEST_CASE("the ledger of history has a branch, a role and a predicate of its own") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.append("r", fixture.draft("sum", 10));
  AppendOptions options;
  options.ledger.branch = "kgate/history";
  options.ledger.role = "history";
  options.ledger.predicate = kHistoryPredicate;
  Draft night;
  night.record.kernel = "0123456789abcdef";
  night.record.time = "2026-01-02T02:00:00Z";
  night.record.night = night.record.fingerprint = digest_of(view_of("figures"));
  night.objects[night.record.night] = bytes_of("figures");
  append(Repository::open(fixture.path("r")), fixture.program("r"), fixture.keyring(), options, night,
         fixture.signer(3));
  CHECK(fixture.open("r", options.ledger).kernels() == Names{"0123456789abcdef"});
  CHECK(fixture.open("r", options.ledger).time() == "2026-01-02T02:00:00Z");
  CHECK(fixture.open("r").head("sum")->record.measurements[0].cases.at("wide").us == 10);
  CHECK(fixture.open("r", options.ledger).verify(1).records == 1);
  options.ledger.branch = "kgate/ledger";
  CHECK(fixture.open_error("r", options.ledger) ==
        "untrusted: kgate/ledger:newest.json: is no statement that kgate can use: it says "
        "\"https://kgate.dev/accepted/v1\", and \"https://kgate.dev/history/v1\" is expected here" +
            kRestore);
}

TEST_CASE("the ledger is found in worktrees, shallow clones and detached heads, and not read in sparse ones") {
  const LedgerFixture fixture;
  fixture.init("r");
  for (const double us : {10, 9, 8}) fixture.append("r", fixture.draft("sum", us));
  fixture.git("r", {"worktree", "add", "-q", "--detach", "../w"});
  CHECK(fixture.open("w").verify(2).records == 3);
  fixture.git("", {"clone", "-q", "--depth", "1", "--no-single-branch", "file://" + fixture.path("r"), "s"});
  CHECK(fixture.open("s").verify(2).records == 3);
  CHECK(walk(fixture.open("s"), "sum") == "3 sum 2 sum 1 sum");
  fixture.git("s", {"sparse-checkout", "set", "nothing"});
  CHECK(fixture.open("s").verify(2).records == 3);
}

TEST_CASE("a partial clone without the ledger's files says how to get them") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.append("r", fixture.draft("sum", 10));
  fixture.git("r", {"config", "uploadpack.allowFilter", "true"});
  fixture.git("", {"clone", "-q", "--filter=blob:none", "file://" + fixture.path("r"), "p"});
  const std::string remedy = "git -C " + fixture.path("p") + " fetch --refetch --no-filter origin";
  CHECK(reads(fixture.open_error("p"), "usage: git object ",
              ": it is not in this clone, which leaves files out (git clone --filter); bring them all: " + remedy +
                  " (git 2.36 or newer); or clone without --filter"));
  fixture.shell(remedy);
  CHECK(fixture.open("p").verify(1).records == 1);
}
