#include <filesystem>

#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"
#include "tests/trust/ledger_fixture.h"

// Everything that somebody can do to the branch who may push to it: each is told, with what it is, on opening where the
// newest record or a kernel's last one is concerned, else when the record is read or everything is verified.

using namespace kgate;
using namespace kgate::trust;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLedger = "untrusted: kgate/ledger";
constexpr const char* kScan2 = "records/scan/000002.json";
constexpr const char* kSum1 = "records/sum/000001.json";
constexpr const char* kSum3 = "records/sum/000003.json";
constexpr const char* kSum4 = "records/sum/000004.json";
constexpr const char* kSum5 = "records/sum/000005.json";

// sum 1, scan 2, sum 3, sum 4, sum 5: a day apart.
class Damaged : public LedgerFixture {
 public:
  Damaged() {
    init("r");
    for (int i = 1; i <= 5; ++i) {
      append("r", draft(i == 2 ? "scan" : "sum", 20 - i, "2026-01-0" + std::to_string(i) + "T00:00:00Z"));
    }
    REQUIRE(verify_error("r") == "no error");
  }
  void remove(const std::string& file) const { fs::remove(path("r/" + file)); }
  void rename(const std::string& from, const std::string& to) const {
    fs::create_directories(fs::path(path("r/" + to)).parent_path());
    fs::rename(path("r/" + from), path("r/" + to));
  }
  void copy(const std::string& from, const std::string& to) const {
    fs::create_directories(fs::path(path("r/" + to)).parent_path());
    fs::copy_file(path("r/" + from), path("r/" + to), fs::copy_options::overwrite_existing);
  }
  void hurt(const std::function<void()>& action) const { damage("r", action); }
  std::string opened() const { return open_error("r"); }
  std::string verified() const { return verify_error("r"); }
  // What reading the kernel's records says.
  std::string walked(const std::string& kernel) const {
    return error_of([&] { open("r").records(kernel, [](const LedgerEntry&) { return true; }); });
  }
  // Changes a record and signs it again, as somebody could who has a key.
  std::string change(const std::string& file, const std::function<void(Record&)>& action, unsigned key = 1,
                     const std::string& predicate = kAcceptedPredicate) const {
    Record changed = record("r", file);
    action(changed);
    return put("r", file, changed, key, predicate);
  }
};

}  // namespace

TEST_CASE("a record missing in the middle, at the beginning or of another kernel shows on opening") {
  const Damaged ledger;
  SECTION("in the middle") {
    ledger.hurt([&] { ledger.remove(kSum3); });
    CHECK(ledger.opened() == std::string(kLedger) + ": record 3 is missing, and record 5 is there" + kRestore);
  }
  SECTION("the first") {
    ledger.hurt([&] { ledger.remove(kSum1); });
    CHECK(ledger.opened() == std::string(kLedger) + ": record 1 is missing, and record 5 is there" + kRestore);
  }
  SECTION("a kernel's only one") {
    ledger.hurt([&] { ledger.remove(kScan2); });
    CHECK(ledger.opened() == std::string(kLedger) + ": record 2 is missing, and record 5 is there" + kRestore);
  }
  SECTION("a kernel's newest, behind another kernel's") {
    ledger.append("r", ledger.draft("scan", 12, "2026-01-06T00:00:00Z"));
    ledger.hurt([&] { ledger.remove(kSum5); });
    CHECK(ledger.opened() == std::string(kLedger) + ": record 5 is missing, and record 6 is there" + kRestore);
  }
  SECTION("all") {
    ledger.hurt([&] { fs::remove_all(ledger.path("r/records")); });
    CHECK(ledger.opened() == std::string(kLedger) + ": has no records" + kRestore);
  }
  SECTION("a number that nobody could have reached") {
    ledger.hurt([&] { ledger.rename(kSum5, "records/sum/900000000000000000.json"); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ": record 5 is missing, and record 900000000000000000 is there" + kRestore);
  }
}

TEST_CASE("records cannot be given other numbers, to close up where one was taken out") {
  const Damaged ledger;
  // Record 5 of sum goes, and scan's record takes its number.
  ledger.hurt([&] {
    ledger.rename(kScan2, "records/scan/000005.json");
    ledger.remove(kSum5);
    ledger.rename(kSum4, "records/sum/000002.json");
    ledger.copy(kSum3, kSum4);
  });
  CHECK(ledger.opened() ==
        std::string(kLedger) + ":records/scan/000005.json: is record 2 by its own word, not 5" + kRestore);
}

TEST_CASE("a kernel's last record replaced by an older one of the same kernel shows on opening") {
  const Damaged ledger;
  ledger.append("r", ledger.draft("scan", 12, "2026-01-06T00:00:00Z"));
  ledger.hurt([&] { ledger.copy(kSum3, kSum5); });
  CHECK(ledger.opened() == std::string(kLedger) +
                               ":records/scan/000006.json: was not made after record 5 as it is here: "
                               "that one was replaced, or this one belongs to another ledger" +
                               kRestore);
  // Nobody appends to what does not hold.
  CHECK(error_of([&] { ledger.append("r", ledger.draft("scan", 11, "2026-01-07T00:00:00Z")); }) == ledger.opened());
}

TEST_CASE("records in another order are told when they are read") {
  const Damaged ledger;
  ledger.hurt([&] {
    ledger.rename(kSum1, "x");
    ledger.rename(kSum3, kSum1);
    ledger.rename("x", kSum3);
  });
  // The newest and the kernels' last ones are as they were.
  CHECK(ledger.opened() == "no error");
  CHECK(ledger.walked("scan") == "no error");
  CHECK(ledger.walked("sum") ==
        std::string(kLedger) + ":" + kSum3 + ": is not the record that the ones after it name" + kRestore);
  CHECK(ledger.verified() == std::string(kLedger) + ":" + kSum1 + ": is record 3 by its own word, not 1" + kRestore);
}

TEST_CASE("the newest record has to be signed, whole and of the right kind") {
  const Damaged ledger;
  const std::string subject = std::string(kLedger) + ":" + kSum5 + ": ";
  const std::string keep =
      "; a record needs keys that the policy has for it on its day: keep earlier ones there, with not_after; a record "
      "that nobody was to sign has to go, docs/ledger.md says how";
  SECTION("truncated") {
    ledger.hurt([&] {
      const std::string text = ledger.read("r/" + std::string(kSum5));
      ledger.write("r/" + std::string(kSum5), text.substr(0, 100));
    });
    CHECK(ledger.opened() ==
          subject + "is not valid JSON at byte 100 (line 1, column 101): the text ends too early" + kRestore);
  }
  SECTION("empty") {
    ledger.hurt([&] { ledger.write("r/" + std::string(kSum5), ""); });
    CHECK(ledger.opened() ==
          subject + "is not valid JSON at byte 0 (line 1, column 1): the text ends too early" + kRestore);
  }
  SECTION("huge") {
    ledger.hurt([&] { ledger.write("r/" + std::string(kSum5), std::string(kMaxEnvelope + 1, ' ')); });
    CHECK(ledger.opened() == subject + "has 16777217 bytes, and at most 16777216 are allowed" + kRestore);
  }
  SECTION("changed") {
    ledger.hurt([&] {
      Record changed = ledger.record("r", kSum5);
      Envelope envelope = parse_envelope(ledger.read("r/" + std::string(kSum5)), "x");
      changed.measurements[0].cases["wide"].us = 100;
      envelope.payload = wrap(to_statement(changed)).payload;
      ledger.write("r/" + std::string(kSum5), write_envelope(envelope));
    });
    CHECK(ledger.opened() ==
          subject + "was changed after it was signed: the signature of keys/1.pub.pem does not hold" + keep);
  }
  SECTION("signed by nobody whom the policy knows") {
    ledger.hurt([&] {
      ledger.change(
          kSum5, [](Record&) {}, 5);
    });
    CHECK(ledger.opened() == subject + "no key that the policy knows has signed it" + keep);
  }
  SECTION("signed by a key of another role") {
    ledger.hurt([&] {
      ledger.change(
          kSum5, [](Record&) {}, 4);
    });
    CHECK(ledger.opened() ==
          subject + "its signature does not count: keys/4.pub.pem has the role cases, not accept" + keep);
  }
  SECTION("signed by a key that had expired by then") {
    ledger.hurt([&] {
      ledger.change(
          kSum5, [](Record& record) { record.time = "2026-07-01T00:00:00Z"; }, 2);
    });
    CHECK(ledger.opened() ==
          subject +
              "its signature does not count: keys/2.pub.pem was valid until 2026-06-30, and this is about 2026-07-01" +
              keep);
  }
  SECTION("dated in the future") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.time = "2999-01-01T00:00:00Z"; }); });
    CHECK(ledger.opened() == subject +
                                 "is dated 2999-01-01T00:00:00Z, which is in the future; set this machine's clock; "
                                 "where it is right, the record has to go: docs/ledger.md says how");
  }
  SECTION("dated before its predecessor") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.time = "2026-01-03T12:00:00Z"; }); });
    CHECK(ledger.opened() ==
          subject + "is dated 2026-01-03T12:00:00Z, and record 4 before it 2026-01-04T00:00:00Z: dates never go back" +
              kRestore);
  }
  SECTION("a record of history") {
    ledger.hurt([&] {
      ledger.change(
          kSum5, [](Record&) {}, 3, kHistoryPredicate);
    });
    CHECK(ledger.opened() == subject +
                                 "is no statement that kgate can use: it says \"https://kgate.dev/history/v1\", and "
                                 "\"https://kgate.dev/accepted/v1\" is expected here" +
                                 kRestore);
  }
  SECTION("signed by history's key") {
    ledger.hurt([&] {
      ledger.change(
          kSum5, [](Record&) {}, 3);
    });
    CHECK(ledger.opened() ==
          subject + "its signature does not count: keys/3.pub.pem has the role history, not accept" + keep);
  }
}

TEST_CASE("a record belongs to its place: kernel, number, predecessors") {
  const Damaged ledger;
  const std::string subject = std::string(kLedger) + ":" + kSum5 + ": ";
  SECTION("under another kernel's name") {
    ledger.hurt([&] { ledger.rename(kSum5, "records/scan/000005.json"); });
    CHECK(ledger.opened() ==
          std::string(kLedger) +
              ":records/scan/000005.json: is a record of \"sum\", and lies in the folder of \"scan\"" + kRestore);
  }
  SECTION("under two names") {
    ledger.hurt([&] { ledger.copy(kSum5, "records/scan/000005.json"); });
    CHECK(ledger.opened() ==
          std::string(kLedger) +
              ":records/scan/000005.json: is a record of \"sum\", and lies in the folder of \"scan\"" + kRestore);
  }
  SECTION("two records with one number") {
    ledger.hurt([&] { ledger.copy(kSum4, "records/scan/000005.json"); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum5 + ": has the number of records/scan/000005.json" + kRestore);
  }
  SECTION("of another number") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.sequence = 6; }); });
    CHECK(ledger.opened() == subject + "is record 6 by its own word, not 5" + kRestore);
  }
  SECTION("after another record") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.previous = record.heads; }); });
    CHECK(
        ledger.opened() ==
        subject +
            "was not made after record 4 as it is here: that one was replaced, or this one belongs to another ledger" +
            kRestore);
  }
  SECTION("after another record of the kernel") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.kernel_previous = record.heads; }); });
    CHECK(ledger.opened() == subject +
                                 "was not made after the last record of \"sum\" as it is here: that one was removed or "
                                 "replaced, or this one belongs to another ledger" +
                                 kRestore);
  }
  SECTION("as if it were the kernel's first") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.kernel_previous.clear(); }); });
    CHECK(ledger.opened() == subject +
                                 "was not made after the last record of \"sum\" as it is here: that one was removed or "
                                 "replaced, or this one belongs to another ledger" +
                                 kRestore);
  }
  SECTION("with other heads") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.heads = heads_digest({}); }); });
    CHECK(ledger.opened() == subject +
                                 "was made when the kernels' last records were others: one of them was removed or "
                                 "replaced, or this one belongs to another ledger" +
                                 kRestore);
  }
  SECTION("goes on under a name that has no folder for it") {
    ledger.hurt([&] { ledger.change(kSum5, [](Record& record) { record.renamed_from = "scan"; }); });
    CHECK(ledger.opened() == subject + "is a record of \"scan\" too, and does not lie in its folder" + kRestore);
  }
  SECTION("renames what is not there") {
    ledger.hurt([&] {
      ledger.change(kSum5, [](Record& record) {
        record.renamed_from = "old";
        record.kernel_previous.clear();
      });
      ledger.copy(kSum5, "records/old/000005.json");
    });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":records/old/000005.json: renames \"old\", of which there is no record" + kRestore);
  }
}

TEST_CASE("a record of another repository's ledger, signed with the same key, does not fit in") {
  const Damaged ledger;
  ledger.init("other");
  for (int i = 1; i <= 5; ++i) ledger.append("other", ledger.draft("sum", 30 - i));
  ledger.hurt([&] {
    ledger.write("r/" + std::string(kSum5), ledger.git("other", {"show", std::string("kgate/ledger:") + kSum5}) + "\n");
  });
  CHECK(
      ledger.opened() ==
      std::string(kLedger) + ":" + kSum5 +
          ": was not made after record 4 as it is here: that one was replaced, or this one belongs to another ledger" +
          kRestore);
}

TEST_CASE("an old record cannot be put in again as the newest") {
  const Damaged ledger;
  ledger.hurt([&] { ledger.copy(kSum3, "records/sum/000006.json"); });
  CHECK(ledger.opened() ==
        std::string(kLedger) + ":records/sum/000006.json: is record 3 by its own word, not 6" + kRestore);
}

TEST_CASE("names in the tree that are neither records nor objects are told") {
  const Damaged ledger;
  const auto told = [&](const std::string& file) {
    ledger.hurt([&] { ledger.write("r/" + file, "x"); });
    return ledger.opened();
  };
  SECTION("at the top") {
    CHECK(told("README.md") == std::string(kLedger) + ":README.md: has no place in a ledger" + kRestore);
  }
  SECTION("beside the kernels") {
    CHECK(told("records/x.json") == std::string(kLedger) + ":records/x.json: is no kernel's folder" + kRestore);
  }
  SECTION("a kernel that nobody could have") {
    CHECK(told("records/.x/000006.json") == std::string(kLedger) + ":records/.x: is no kernel's folder" + kRestore);
  }
  SECTION("beside the records") {
    CHECK(told("records/sum/6.json") == std::string(kLedger) + ":records/sum/6.json: is no record's file" + kRestore);
  }
  SECTION("with zeros too many") {
    CHECK(told("records/sum/0000006.json") ==
          std::string(kLedger) + ":records/sum/0000006.json: is no record's file" + kRestore);
  }
  SECTION("beside the digests' folder") {
    CHECK(told("objects/md5/x") == std::string(kLedger) + ":objects/md5: has no place in a ledger" + kRestore);
  }
  SECTION("a link") {
    ledger.hurt([&] { fs::create_symlink("000001.json", ledger.path("r/records/sum/000006.json")); });
    CHECK(ledger.opened() == std::string(kLedger) + ":records/sum/000006.json: is no record's file" + kRestore);
  }
}

TEST_CASE("everything about the objects is verified with everything, and one by one when it is read") {
  const Damaged ledger;
  const std::string digest = ledger.open("r").head("sum")->record.measurements[0].code;
  const std::string file = object_path(digest), subject = std::string(kLedger) + ":" + file + ": ";
  const auto read = [&] { return error_of([&] { ledger.open("r").object(digest); }); };
  SECTION("swapped") {
    ledger.hurt([&] { ledger.write("r/" + file, "other code"); });
    CHECK(read() == subject + "does not have the digest that it is named by" + kRestore);
    CHECK(ledger.verified() == read());
  }
  SECTION("missing") {
    ledger.hurt([&] { ledger.remove(file); });
    CHECK(read() == subject + "is missing, and a record names it" + kRestore);
    CHECK(ledger.verified() ==
          std::string(kLedger) + ":" + kSum5 + ": names " + file + ", which is missing" + kRestore);
  }
  SECTION("one that no record names") {
    const std::string stray = object_path(digest_of(view_of("stray")));
    ledger.hurt([&] { ledger.write("r/" + stray, "stray"); });
    CHECK(ledger.opened() == "no error");
    CHECK(ledger.verified() == std::string(kLedger) + ":" + stray + ": is named by no record" + kRestore);
  }
  SECTION("a name that is no digest") {
    ledger.hurt([&] { ledger.write("r/objects/sha256/ab/cd", "x"); });
    CHECK(ledger.verified() == std::string(kLedger) + ":objects/sha256/ab/cd: is no object" + kRestore);
  }
  SECTION("a folder that is none") {
    ledger.hurt([&] { ledger.write("r/objects/sha256/abc", "x"); });
    CHECK(ledger.verified() == std::string(kLedger) + ":objects/sha256/abc: is no folder of objects" + kRestore);
  }
}

TEST_CASE("what was wrong from the start, deep in the chain, is found by verifying everything") {
  const Damaged ledger;
  // Record 3 changed and everything after it made anew, as somebody could who had a key and the branch.
  const auto forge = [&](const std::function<void(Record&)>& change) {
    ledger.hurt([&] {
      const std::string third = ledger.change(kSum3, change);
      const std::string fourth = ledger.change(kSum4, [&](Record& record) {
        record.previous = record.kernel_previous = third;
        record.heads =
            heads_digest({{"scan", digest_of(view_of(ledger.read("r/" + std::string(kScan2))))}, {"sum", third}});
      });
      ledger.change(kSum5, [&](Record& record) {
        record.previous = record.kernel_previous = fourth;
        record.heads =
            heads_digest({{"scan", digest_of(view_of(ledger.read("r/" + std::string(kScan2))))}, {"sum", fourth}});
      });
    });
  };
  const std::string subject = std::string(kLedger) + ":" + kSum3 + ": ";
  SECTION("backdated") {
    forge([](Record& record) { record.time = "2026-01-01T12:00:00Z"; });
    CHECK(ledger.opened() == "no error");
    CHECK(ledger.verified() ==
          subject + "is dated 2026-01-01T12:00:00Z, and record 2 before it 2026-01-02T00:00:00Z: dates never go back" +
              kRestore);
  }
  SECTION("dated after those that came later") {
    forge([](Record& record) { record.time = "2026-01-09T00:00:00Z"; });
    CHECK(ledger.opened() == "no error");
    CHECK(ledger.walked("sum") == subject + "is dated 2026-01-09T00:00:00Z, after records that came later" + kRestore);
  }
  SECTION("with other heads") {
    forge([](Record& record) { record.heads = heads_digest({}); });
    CHECK(ledger.verified() == subject +
                                   "was made when the kernels' last records were others: one of them was removed or "
                                   "replaced, or this one belongs to another ledger" +
                                   kRestore);
  }
  SECTION("the kernel's first by its own word") {
    forge([](Record& record) { record.kernel_previous.clear(); });
    CHECK(ledger.walked("sum") ==
          subject + "is the first of \"sum\" by its own word, and record 1 is there" + kRestore);
  }
  SECTION("another number") {
    forge([](Record& record) { record.sequence = 7; });
    CHECK(ledger.walked("sum") == subject + "is record 7 by its own word, not 3" + kRestore);
  }
}

TEST_CASE("two branches that were merged, and commits without a record, are told by verifying everything") {
  const Damaged ledger;
  SECTION("merged") {
    ledger.git("r", {"checkout", "-q", "kgate/ledger"});
    ledger.git("r", {"checkout", "-q", "-b", "fork", "HEAD~1"});
    ledger.write("r/x", "x");
    ledger.git("r", {"add", "-A"});
    ledger.git("r", {"commit", "-q", "-m", "x"});
    ledger.git("r", {"checkout", "-q", "kgate/ledger"});
    ledger.git("r", {"merge", "-q", "-s", "ours", "-m", "merge", "fork"});
    const std::string merge = ledger.git("r", {"rev-parse", "HEAD"});
    ledger.git("r", {"checkout", "-q", "main"});
    CHECK(ledger.opened() == "no error");
    CHECK(ledger.verified() == std::string(kLedger) + ": commit " + merge.substr(0, 10) +
                                   ": has two parents: two branches were merged" + kRestore);
  }
  SECTION("empty commits") {
    ledger.git("r", {"checkout", "-q", "kgate/ledger"});
    ledger.git("r", {"commit", "-q", "--allow-empty", "-m", "x"});
    ledger.git("r", {"checkout", "-q", "main"});
    CHECK(ledger.verified() ==
          std::string(kLedger) + ": has more commits for 5 records: each record is a commit of its own" + kRestore);
  }
  SECTION("squashed") {
    ledger.git("r", {"checkout", "-q", "kgate/ledger"});
    ledger.git("r", {"reset", "-q", "--soft", "HEAD~2"});
    ledger.git("r", {"commit", "-q", "-m", "x"});
    ledger.git("r", {"checkout", "-q", "main"});
    CHECK(ledger.verified() ==
          std::string(kLedger) + ": has 4 commits for 5 records: each record is a commit of its own" + kRestore);
  }
}

TEST_CASE("a forked ledger holds by itself, and only one of the forks has what the policy knows") {
  const Damaged ledger;
  const LedgerEntry seen = *ledger.open("r").head("sum");
  ledger.git("r", {"branch", "fork", "kgate/ledger~1"});
  ledger.git("r", {"branch", "-f", "kgate/ledger", "fork"});
  LedgerOptions options;
  const std::string fetch =
      "; git fetch origin +refs/heads/kgate/ledger:refs/remotes/origin/kgate/ledger; where that changes nothing, the "
      "branch was rolled back: have it restored, docs/ledger.md says how";
  CHECK(ledger.open_error("r") == "no error");  // rolled back: four records are a ledger too
  options.at_least = 5;
  options.at_least_digest = seen.digest;
  CHECK(ledger.open_error("r", options) ==
        std::string(kLedger) + ": ends with record 4, and [ledger] at_least of the policy wants record 5" + fetch);
  const LedgerEntry other = ledger.append("r", ledger.draft("sum", 1, "2026-01-05T00:00:00Z"));
  CHECK(ledger.open_error("r", options) ==
        std::string(kLedger) + ":" + kSum5 + ": has the digest " + other.digest +
            ", and [ledger] at_least of the policy wants " + seen.digest +
            "; it is another ledger, or its history was rewritten: have it restored, docs/ledger.md says how");
  ledger.append("r", ledger.draft("sum", 1, "2026-01-05T00:00:00Z"));
  options.at_least_digest = other.digest;
  CHECK(ledger.open_error("r", options) == "no error");
  ledger.git("r", {"branch", "-q", "-D", "kgate/ledger"});
  CHECK(ledger.open_error("r", options) ==
        std::string(kLedger) + ": is not in this clone, and [ledger] at_least of the policy wants record 5 of it" +
            fetch);
  options.at_least = 0;
  CHECK(ledger.open_error("r", options) == "no error");
}
