#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"
#include "tests/attacks/attack.h"

// Somebody has a key, and the wrong one, or no more: what can be signed with it, and does not count. And what an
// approver signed elsewhere, put here.

using kgate::trust::Record;

namespace {

constexpr const char* kNewest = "records/scale/000005.json";
constexpr const char* kNext = "records/scale/000006.json";
const std::string kBranch = "origin/kgate/ledger";

// A record 6, which fits into the chain, but for what `change` makes of it.
auto appended(
    Who who, void (*change)(Record&) = [](Record&) {}) {
  return [=](Scene& s) {
    s.ledger(
        [&](const Folder& ledger) {
          Record record = s.record(ledger, kNewest);
          const auto digest = [&](const char* path) {
            return kgate::trust::digest_of(kgate::view_of(ledger.read(path)));
          };
          record.sequence = 6;
          record.previous = record.kernel_previous = digest(kNewest);
          record.heads =
              kgate::trust::heads_digest({{"scale", record.previous}, {"wide", digest("records/wide/000004.json")}});
          record.time = "2021-04-01T00:00:00Z";
          record.release.clear();
          record.slower = "it may be a thousand times slower";
          change(record);
          s.put(ledger, kNext, record, who);
        },
        Scene::Ledger::extended);
  };
}
// The newest record with a change, signed anew.
auto rewritten(const char* path, Who who, void (*change)(Record&)) {
  return [=](Scene& s) {
    s.ledger([&](const Folder& ledger) {
      Record record = s.record(ledger, path);
      change(record);
      s.put(ledger, path, record, who);
    });
  };
}

std::string of(const std::string& path, const std::string& fact) {
  return kBranch + ":" + path + ": " + fact;
}

}  // namespace

std::vector<Attack> attacks_by_records() {
  const std::string uncounted = "its signature does not count: ";
  const std::string zeros = "sha256:" + std::string(64, '0');
  return {
      {"a record is signed with a key that the policy does not know", appended(Who::stranger),
       of(kNext, "no key that the policy knows has signed it" + kKeepKeys)},
      {"a record is signed with a reviewer's key", appended(Who::reviewer),
       of(kNext, uncounted + "keys/reviewer.pub.pem has the role cases, not accept" + kKeepKeys)},
      {"a record is signed with the nightly job's key", appended(Who::historian),
       of(kNext, uncounted + "keys/historian.pub.pem has the role history, not accept" + kKeepKeys)},
      {"a record is signed with a key whose time is over", appended(Who::former_approver),
       of(kNext, uncounted + "keys/former_approver.pub.pem was valid until 2020-06-30, and this is about 2021-04-01" +
                     kKeepKeys)},
      {"a record is signed with a key whose time is over, and dated back",
       appended(Who::former_approver, [](Record& record) { record.time = "2020-06-01T00:00:00Z"; }),
       of(kNext, "is dated 2020-06-01T00:00:00Z, and record 5 before it 2021-03-01T00:00:00Z: dates never go back" +
                     kRewritten)},
      {"a record is dated in the future, to outlive the others",
       appended(Who::approver, [](Record& record) { record.time = "2999-01-01T00:00:00Z"; }),
       of(kNext,
          "is dated 2999-01-01T00:00:00Z, which is in the future; set this machine's clock; where it is right, the "
          "record has to go: docs/ledger.md says how")},
      {"an approver's record of another repository's ledger is put here",
       appended(Who::approver, [](Record& record) { record.previous = "sha256:" + std::string(64, '0'); }),
       of(kNext,
          "was not made after record 5 as it is here: that one was replaced, or this one belongs to another "
          "ledger" +
              kRewritten)},
      {"an approver's record leaves out what was accepted of its kernel before",
       appended(Who::approver, [](Record& record) { record.kernel_previous = "sha256:" + std::string(64, '0'); }),
       of(kNext,
          "was not made after the last record of \"scale\" as it is here: that one was removed or replaced, or "
          "this one belongs to another ledger" +
              kRewritten)},
      {"an approver's record was made when another kernel's last record was another",
       appended(Who::approver, [](Record& record) { record.heads = "sha256:" + std::string(64, '0'); }),
       of(kNext,
          "was made when the kernels' last records were others: one of them was removed or replaced, or this one "
          "belongs to another ledger" +
              kRewritten)},
      {"an old record is put at the end again",
       [](Scene& s) {
         s.ledger([](const Folder& ledger) { ledger.copy("records/scale/000001.json", kNext); },
                  Scene::Ledger::extended);
       },
       of(kNext, "is record 1 by its own word, not 6" + kRewritten)},
      {"a nightly figure is passed off as an accepted version",
       [](Scene& s) {
         s.ledger([&](const Folder& ledger) {
           const auto record = s.record(ledger, kNewest);
           ledger.write(kNewest, signed_by({Who::approver}, to_statement(record, kgate::trust::kHistoryPredicate)));
         });
       },
       of(kNewest,
          "is no statement that kgate can use: it says \"https://kgate.dev/history/v1\", and "
          "\"https://kgate.dev/accepted/v1\" is expected here" +
              kRewritten)},
      {"an older record is signed again with another content",
       rewritten("records/scale/000003.json", Who::approver, [](Record& record) { record.slower = "it may be"; }),
       of("records/scale/000003.json", "is not the record that the ones after it name" + kRewritten)},
      {"the last record of another kernel is signed again with another content",
       rewritten("records/wide/000004.json", Who::approver, [](Record& record) { record.slower = "it may be"; }),
       of(kNewest,
          "was not made after record 4 as it is here: that one was replaced, or this one belongs to another "
          "ledger" +
              kRewritten)},
      {"a record measures one class twice",
       rewritten(kNewest, Who::approver, [](Record& record) { record.measurements.push_back(record.measurements[0]); }),
       of(kNewest,
          "is no record: \"measurements\" has the class \"class A\" twice; a newer kgate may have written it: use "
          "that; "
          "else the branch has to be restored, docs/ledger.md says how")},
      {"a record goes on from a kernel that is not in the ledger",
       [](Scene& s) {
         appended(Who::approver, [](Record& record) {
           record.renamed_from = "nobody";
           record.kernel_previous.clear();
         })(s);
         s.ledger([](const Folder& ledger) { ledger.copy(kNext, "records/nobody/000006.json"); });
       },
       of("records/nobody/000006.json", "renames \"nobody\", of which there is no record" + kRewritten)},
  };
}
