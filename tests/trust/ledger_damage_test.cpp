#include <filesystem>

#include "gate/trust/dsse.h"
#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"
#include "tests/trust/ledger_fixture.h"

// Everything that somebody can do to the branch who may push to it. What concerns the newest record or the last records
// of kernels is told on opening, the rest when a record is read, and all of it when everything is verified.

using namespace kgate;
using namespace kgate::trust;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLedger = "untrusted: kgate/ledger";
constexpr const char* kNewest = "newest.json";
constexpr const char* kScan2 = "records/scan/000002.json";
constexpr const char* kSum1 = "records/sum/000001.json";
constexpr const char* kSum3 = "records/sum/000003.json";
constexpr const char* kSum4 = "records/sum/000004.json";
constexpr const char* kSum5 = "records/sum/000005.json";

// sum 1, scan 2, sum 3, sum 4, sum 5: a day apart. Made once and copied.
class Damaged : public LedgerFixture {
 public:
  Damaged() {
    static const Damaged whole{0};
    fs::copy(whole.path("r"), path("r"), fs::copy_options::recursive);
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
  void change_newest(const std::function<void(Record&)>& action, unsigned key = 1,
                     const std::string& predicate = kAcceptedPredicate) const {
    change(kNewest, action, key, predicate);
    copy(kNewest, kSum5);
  }

 private:
  explicit Damaged(int) {
    init("r");
    for (int i = 1; i <= 5; ++i)
      append("r", draft(i == 2 ? "scan" : "sum", 20 - i, "2026-01-0" + std::to_string(i) + "T00:00:00Z"));
    REQUIRE(verify_error("r") == "no error");
  }
};

}  // namespace

TEST_CASE("a record that is missing is told by whoever needs it, and by its number when everything is verified") {
  const Damaged ledger;
  const auto missing = [&](const char* record, const char* highest) {
    return std::string(kLedger) + ": record " + record + " is missing, and record " + highest + " is there" + kRestore;
  };
  SECTION("in the middle") {
    ledger.hurt([&] { ledger.remove(kSum3); });
    CHECK(ledger.walked("scan") == "no error");
    CHECK(ledger.walked("sum") ==
          std::string(kLedger) + ":" + kSum1 + ": is not the record that the ones after it name" + kRestore);
    CHECK(ledger.verified() == missing("3", "5"));
  }
  SECTION("the first") {
    ledger.hurt([&] { ledger.remove(kSum1); });
    CHECK(ledger.walked("sum") ==
          std::string(kLedger) + ":" + kSum3 + ": goes on from a record of \"sum\" that is not there" + kRestore);
    CHECK(ledger.verified() == missing("1", "5"));
  }
  SECTION("a kernel's only one") {
    ledger.hurt([&] { ledger.remove(kScan2); });
    CHECK(ledger.open("r").kernels() == std::vector<std::string>{"scan", "sum"});
    CHECK(ledger.walked("scan") ==
          std::string(kLedger) + ":" + kScan2 + ": is missing, and the records after it name it" + kRestore);
    CHECK(ledger.verified() == missing("2", "5"));
  }
  SECTION("a kernel's newest, behind another kernel's") {
    ledger.append("r", ledger.draft("scan", 12, "2026-01-06T00:00:00Z"));
    ledger.append("r", ledger.draft("scan", 11, "2026-01-07T00:00:00Z"));
    ledger.hurt([&] { ledger.remove(kSum5); });
    CHECK(ledger.walked("sum") ==
          std::string(kLedger) + ":" + kSum5 + ": is missing, and the records after it name it" + kRestore);
    CHECK(ledger.verified() == missing("5", "7"));
  }
  SECTION("the one before the newest") {
    ledger.hurt([&] { ledger.remove(kSum4); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum4 + ": is missing, and the records after it name it" + kRestore);
  }
  SECTION("the newest, from its folder") {
    ledger.hurt([&] { ledger.remove(kSum5); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum5 + ": is missing, and is the newest record by newest.json" + kRestore);
  }
  SECTION("the newest, from the top") {
    ledger.hurt([&] { ledger.remove(kNewest); });
    CHECK(ledger.opened() == std::string(kLedger) + ":newest.json: is missing" + kRestore);
  }
  SECTION("all") {
    ledger.hurt([&] { fs::remove_all(ledger.path("r/records")); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum4 + ": is missing, and the records after it name it" + kRestore);
  }
  SECTION("up to a number that nobody could have reached") {
    ledger.hurt([&] { ledger.copy(kSum5, "records/sum/900000000000000000.json"); });
    CHECK(ledger.opened() == "no error");
    CHECK(ledger.verified() == missing("6", "900000000000000000"));
  }
}

TEST_CASE("heads.json is what the newest record attests, and no kernel's last record can be another") {
  const Damaged ledger;
  const std::string subject = std::string(kLedger) + ":heads.json: ";
  SECTION("missing") {
    ledger.hurt([&] { ledger.remove("heads.json"); });
    CHECK(ledger.opened() == subject + "is missing" + kRestore);
  }
  SECTION("changed") {
    ledger.hurt([&] { ledger.write("r/heads.json", "{}"); });
    CHECK(ledger.opened() == subject + "is not what the newest record attests" + kRestore);
  }
  SECTION("huge") {
    ledger.hurt([&] { ledger.write("r/heads.json", std::string(kMaxEnvelope + 1, ' ')); });
    CHECK(ledger.opened() == subject + "has 16777217 bytes, and at most 16777216 are allowed" + kRestore);
  }
  SECTION("attested, and not canonical") {
    for (const std::string text :
         {"{ }", "[]", "", "{\"sum\":1}", "{\"sum\":{\"digest\":\"\",\"ended\":false,\"sequence\":1,\"x\":1}}"}) {
      ledger.hurt([&] {
        ledger.write("r/heads.json", text);
        ledger.change(kNewest, [&](Record& record) { record.heads = digest_of(view_of(text)); });
      });
      CHECK(ledger.opened().find(subject + "is not ") == 0);
    }
  }
  SECTION("an older state with its own newest record: that is a ledger, and what came later is told") {
    const std::string heads = ledger.git("r", {"show", "kgate/ledger~1:heads.json"});
    ledger.hurt([&] {
      ledger.copy(kSum4, kNewest);
      ledger.write("r/heads.json", heads);
    });
    CHECK(ledger.open("r").sequence() == 4);
    CHECK(ledger.verified() ==
          std::string(kLedger) + ": record 5 is there, and record 4 is the newest by newest.json" + kRestore);
  }
  SECTION("a kernel's last record replaced by an older one") {
    ledger.append("r", ledger.draft("scan", 12, "2026-01-06T00:00:00Z"));
    ledger.hurt([&] { ledger.copy(kSum3, kSum5); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum5 + ": is not the record that the ones after it name" + kRestore);
    // Nobody appends to what does not hold.
    CHECK(error_of([&] { ledger.append("r", ledger.draft("scan", 11, "2026-01-07T00:00:00Z")); }) == ledger.opened());
    ledger.git("r", {"branch", "-f", "kgate/ledger", "kgate/ledger@{1}"});
  }
}

TEST_CASE("records in another order are told when they are read") {
  const Damaged ledger;
  ledger.hurt([&] {
    ledger.rename(kSum1, "x");
    ledger.rename(kSum3, kSum1);
    ledger.rename("x", kSum3);
  });
  CHECK(ledger.walked("scan") == "no error");
  CHECK(ledger.walked("sum") ==
        std::string(kLedger) + ":" + kSum3 + ": is not the record that the ones after it name" + kRestore);
  CHECK(ledger.verified() == std::string(kLedger) + ":" + kSum1 + ": is record 3 by its own word, not 1" + kRestore);
}

TEST_CASE("records cannot be given other numbers, to close up where one was taken out") {
  const Damaged ledger;
  ledger.hurt([&] {
    ledger.remove(kSum3);
    ledger.rename(kSum4, kSum3);
    ledger.rename(kSum5, kSum4);
    ledger.copy(kSum4, kNewest);
  });
  CHECK(ledger.opened() ==
        std::string(kLedger) + ":" + kSum4 + ": is not the record that the ones after it name" + kRestore);
}

TEST_CASE("the newest record has to be signed, whole and of the right kind") {
  const Damaged ledger;
  const std::string subject = std::string(kLedger) + ":newest.json: ";
  const std::string keep =
      "; a record needs keys that the policy has for it on its day: keep earlier ones there, with not_after; a record "
      "that nobody was to sign has to go, docs/ledger.md says how";
  SECTION("truncated") {
    ledger.hurt([&] {
      const std::string text = ledger.read("r/" + std::string(kNewest));
      ledger.write("r/" + std::string(kNewest), text.substr(0, 100));
    });
    CHECK(ledger.opened() ==
          subject + "is not valid JSON at byte 100 (line 1, column 101): the text ends too early" + kRestore);
  }
  SECTION("empty") {
    ledger.hurt([&] { ledger.write("r/" + std::string(kNewest), ""); });
    CHECK(ledger.opened() ==
          subject + "is not valid JSON at byte 0 (line 1, column 1): the text ends too early" + kRestore);
  }
  SECTION("huge") {
    ledger.hurt([&] { ledger.write("r/" + std::string(kNewest), std::string(kMaxEnvelope + 1, ' ')); });
    CHECK(ledger.opened() == subject + "has 16777217 bytes, and at most 16777216 are allowed" + kRestore);
  }
  SECTION("changed") {
    ledger.hurt([&] {
      Record changed = ledger.record("r", kSum5);
      Envelope envelope = parse_envelope(ledger.read("r/" + std::string(kNewest)), "x");
      changed.measurements[0].cases["wide"].us = 100;
      envelope.payload = wrap(to_statement(changed)).payload;
      ledger.write("r/" + std::string(kNewest), write_envelope(envelope));
    });
    CHECK(ledger.opened() ==
          subject + "the signature in the name of keys/1.pub.pem does not hold: this is not what that key signed" +
              keep);
  }
  SECTION("signed by nobody whom the policy knows") {
    ledger.hurt([&] { ledger.change_newest([](Record&) {}, 5); });
    CHECK(ledger.opened() == subject + "no key that the policy knows has signed it" + keep);
  }
  SECTION("signed by a key of another role") {
    ledger.hurt([&] { ledger.change_newest([](Record&) {}, 4); });
    CHECK(ledger.opened() ==
          subject + "its signature does not count: keys/4.pub.pem has the role cases, not accept" + keep);
  }
  SECTION("signed by a key that had expired by then") {
    ledger.hurt([&] { ledger.change_newest([](Record& record) { record.time = "2026-07-01T00:00:00Z"; }, 2); });
    CHECK(ledger.opened() ==
          subject +
              "its signature does not count: keys/2.pub.pem was valid until 2026-06-30, and this is about 2026-07-01" +
              keep);
  }
  SECTION("dated in the future") {
    ledger.hurt([&] { ledger.change_newest([](Record& record) { record.time = "2999-01-01T00:00:00Z"; }); });
    CHECK(ledger.opened() == subject +
                                 "is dated 2999-01-01T00:00:00Z, which is in the future; set this machine's clock; "
                                 "where it is right, the record has to go: docs/ledger.md says how");
  }
  SECTION("dated before its predecessor") {
    ledger.hurt([&] { ledger.change_newest([](Record& record) { record.time = "2026-01-03T12:00:00Z"; }); });
    CHECK(ledger.opened() ==
          subject + "is dated 2026-01-03T12:00:00Z, and record 4 before it 2026-01-04T00:00:00Z: dates never go back" +
              kRestore);
  }
  SECTION("a record of history") {
    ledger.hurt([&] { ledger.change_newest([](Record&) {}, 3, kHistoryPredicate); });
    CHECK(ledger.opened() == subject +
                                 "is no statement that kgate can use: it says \"https://kgate.dev/history/v1\", and "
                                 "\"https://kgate.dev/accepted/v1\" is expected here" +
                                 kRestore);
  }
  SECTION("signed by history's key") {
    ledger.hurt([&] { ledger.change_newest([](Record&) {}, 3); });
    CHECK(ledger.opened() ==
          subject + "its signature does not count: keys/3.pub.pem has the role history, not accept" + keep);
  }
}

TEST_CASE("a record belongs to its place: kernel, number, predecessors") {
  const Damaged ledger;
  const std::string subject = std::string(kLedger) + ":newest.json: ";
  const auto changed = [&](const std::function<void(Record&)>& action) {
    ledger.hurt([&] { ledger.change_newest(action); });
    return ledger.opened();
  };
  const std::string replaced = "that one was removed or replaced, or this one belongs to another ledger" + kRestore;
  SECTION("under another kernel's name") {
    ledger.hurt([&] { ledger.rename(kSum5, "records/scan/000005.json"); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum5 + ": is missing, and is the newest record by newest.json" + kRestore);
  }
  SECTION("under two names") {
    ledger.hurt([&] { ledger.copy(kSum5, "records/scan/000005.json"); });
    CHECK(ledger.walked("scan") == "no error");
    CHECK(ledger.verified() ==
          std::string(kLedger) +
              ":records/scan/000005.json: is a record of \"sum\", and lies in the folder of \"scan\"" + kRestore);
  }
  SECTION("two records with one number") {
    ledger.hurt([&] { ledger.copy(kSum4, "records/scan/000005.json"); });
    CHECK(ledger.verified() ==
          std::string(kLedger) + ":" + kSum5 + ": has the number of records/scan/000005.json" + kRestore);
  }
  SECTION("another than at the top") {
    ledger.hurt([&] { ledger.copy(kSum4, kSum5); });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum5 + ": is another, and is the newest record by newest.json" + kRestore);
  }
  SECTION("of another number") {
    CHECK(
        changed([](Record& record) { record.sequence = 6; }) ==
        subject +
            "was not made after record 5 as it is here: that one was replaced, or this one belongs to another ledger" +
            kRestore);
  }
  SECTION("after another record") {
    CHECK(
        changed([](Record& record) { record.previous = record.heads; }) ==
        subject +
            "was not made after record 4 as it is here: that one was replaced, or this one belongs to another ledger" +
            kRestore);
  }
  SECTION("after another record of the kernel") {
    CHECK(changed([](Record& record) { record.kernel_previous = record.heads; }) ==
          subject + "was not made after the last record of \"sum\" as it is here: " + replaced);
  }
  SECTION("as if it were the kernel's first") {
    CHECK(changed([](Record& record) { record.kernel_previous.clear(); }) ==
          subject + "was not made after the last record of \"sum\" as it is here: " + replaced);
  }
  SECTION("with other heads") {
    CHECK(changed([](Record& record) { record.heads = digest_of(view_of("{}")); }) ==
          std::string(kLedger) + ":heads.json: is not what the newest record attests" + kRestore);
  }
  SECTION("goes on under another name, of whose kernel it does not know") {
    CHECK(changed([](Record& record) { record.renamed_from = "scan"; }) ==
          subject + "was not made after the last record of \"scan\" as it is here: " + replaced);
  }
  SECTION("goes on under a name that is taken") {
    const std::string scan = ledger.open("r").head("scan")->digest;
    CHECK(changed([&](Record& record) {
            record.renamed_from = "scan";
            record.kernel_previous = scan;
          }) == subject + "lets \"scan\" go on as \"sum\", which had not ended" + kRestore);
  }
  SECTION("goes on under another name, and does not lie in both folders") {
    const std::string scan = ledger.open("r").head("scan")->digest;
    ledger.hurt([&] {
      ledger.change(kNewest, [&](Record& record) {
        record.kernel = "all";
        record.renamed_from = "scan";
        record.kernel_previous = scan;
      });
      ledger.copy(kNewest, "records/all/000005.json");
    });
    CHECK(ledger.opened() == std::string(kLedger) +
                                 ":records/scan/000005.json: is missing, and is the newest record by newest.json" +
                                 kRestore);
  }
  SECTION("renames what is not there") {
    CHECK(changed([](Record& record) {
            record.renamed_from = "old";
            record.kernel_previous.clear();
          }) == subject + "renames \"old\", which is not there or had ended" + kRestore);
  }
  SECTION("retires what is not there") {
    ledger.hurt([&] {
      ledger.change(kNewest, [&](Record& record) {
        const Record was = record;
        record = {};
        record.kernel = "old";
        record.sequence = 5;
        record.previous = was.previous;
        record.heads = was.heads;
        record.time = was.time;
        record.retired = true;
        record.kernel_previous = was.heads;
      });
    });
    CHECK(ledger.opened() == subject + "was not made after the last record of \"old\" as it is here: " + replaced);
  }
}

TEST_CASE("a record of another repository's ledger, signed with the same key, does not fit in") {
  const Damaged ledger;
  ledger.init("other");
  for (int i = 1; i <= 5; ++i) ledger.append("other", ledger.draft(i == 2 ? "scan" : "sum", 30 - i));
  const std::string foreign = ledger.git("other", {"show", "kgate/ledger:newest.json"}) + "\n";
  const std::string heads = ledger.git("other", {"show", "kgate/ledger:heads.json"});
  SECTION("as the newest") {
    ledger.hurt([&] { ledger.write("r/newest.json", foreign); });
    CHECK(ledger.opened() == std::string(kLedger) + ":heads.json: is not what the newest record attests" + kRestore);
  }
  SECTION("as the newest, with its heads") {
    ledger.hurt([&] {
      ledger.write("r/newest.json", foreign);
      ledger.write("r/heads.json", heads);
    });
    CHECK(ledger.opened() ==
          std::string(kLedger) + ":" + kSum4 + ": is not the record that the ones after it name" + kRestore);
  }
  SECTION("in the middle") {
    ledger.hurt([&] {
      ledger.write("r/" + std::string(kSum3),
                   ledger.git("other", {"show", std::string("kgate/ledger:") + kSum3}) + "\n");
    });
    CHECK(ledger.walked("sum") ==
          std::string(kLedger) + ":" + kSum3 + ": is not the record that the ones after it name" + kRestore);
    CHECK(ledger.verified() == std::string(kLedger) + ":" + kSum3 +
                                   ": was not made after record 2 as it is here: that one was replaced, or this one "
                                   "belongs to another ledger" +
                                   kRestore);
  }
}

TEST_CASE("an old record cannot be put in again as the newest") {
  const Damaged ledger;
  ledger.hurt([&] {
    ledger.copy(kSum3, "records/sum/000006.json");
    ledger.copy(kSum3, kNewest);
  });
  CHECK(ledger.opened() == std::string(kLedger) + ":heads.json: is not what the newest record attests" + kRestore);
}

TEST_CASE("names in the tree that are neither records nor objects are told") {
  const Damaged ledger;
  const auto told = [&](const std::string& file) {
    ledger.hurt([&] { ledger.write("r/" + file, "x"); });
    return ledger.verified();
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
    CHECK(ledger.verified() == std::string(kLedger) + ":records/sum/000006.json: is no record's file" + kRestore);
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

TEST_CASE("what was wrong from the start, deep in the chain, is told when it is read or everything is verified") {
  const Damaged ledger;
  // Record 3 changed and everything after it made anew, as somebody could who had a key and the branch.
  const auto forge = [&](const std::function<void(Record&)>& change) {
    ledger.hurt([&] {
      Heads heads;
      heads["scan"] = {digest_of(view_of(ledger.read("r/" + std::string(kScan2)))), 2, false};
      heads["sum"] = {ledger.change(kSum3, change), 3, false};
      const auto follow = [&](Record& record) {
        record.previous = record.kernel_previous = heads["sum"].digest;
        record.heads = digest_of(view_of(heads_text(heads)));
      };
      heads["sum"] = {ledger.change(kSum4, follow), 4, false};
      ledger.change(kSum5, follow);
      ledger.copy(kSum5, kNewest);
      ledger.write("r/heads.json", heads_text(heads));
    });
    REQUIRE(ledger.opened() == "no error");
  };
  const std::string subject = std::string(kLedger) + ":" + kSum3 + ": ";
  SECTION("backdated") {
    forge([](Record& record) { record.time = "2026-01-01T12:00:00Z"; });
    CHECK(ledger.walked("sum") == "no error");
    CHECK(ledger.verified() ==
          subject + "is dated 2026-01-01T12:00:00Z, and record 2 before it 2026-01-02T00:00:00Z: dates never go back" +
              kRestore);
  }
  SECTION("dated after those that came later") {
    forge([](Record& record) { record.time = "2026-01-09T00:00:00Z"; });
    CHECK(ledger.walked("sum") == subject + "is dated 2026-01-09T00:00:00Z, after records that came later" + kRestore);
    CHECK(ledger.verified() ==
          std::string(kLedger) + ":" + kSum4 +
              ": is dated 2026-01-04T00:00:00Z, and record 3 before it 2026-01-09T00:00:00Z: dates never go back" +
              kRestore);
  }
  SECTION("with other heads") {
    forge([](Record& record) { record.heads = digest_of(view_of("{}")); });
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
    CHECK(ledger.verified() == subject + "is record 7 by its own word, not 3" + kRestore);
  }
  SECTION("another kernel") {
    forge([](Record& record) { record.kernel = "scan"; });
    CHECK(ledger.walked("sum") == subject + "is a record of \"scan\", and lies in the folder of \"sum\"" + kRestore);
    CHECK(ledger.verified() == ledger.walked("sum"));
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
  options.at_least = 6;
  options.at_least_digest = ledger.open("r").digest();
  CHECK(ledger.open_error("r", options) == "no error");
  options.at_least = 5;
  ledger.git("r", {"branch", "-q", "-D", "kgate/ledger"});
  CHECK(ledger.open_error("r", options) ==
        std::string(kLedger) + ": is not in this clone, and [ledger] at_least of the policy wants record 5 of it" +
            fetch);
  options.at_least = 0;
  CHECK(ledger.open_error("r", options) == "no error");
}
