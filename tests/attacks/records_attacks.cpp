#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"
#include "tests/attacks/attack.h"

// Somebody has a key, and the wrong one, or no more: what can be signed with it, and does not count. And what an
// approver signed elsewhere, put here.

using kgate::trust::Record;

namespace {

constexpr const char* kScale5 = "records/scale/000005.json";
constexpr const char* kWide4 = "records/wide/000004.json";
const std::string kZeros = "sha256:" + std::string(64, '0');

// A record 6, which fits into the chain, but for what `change` makes of it.
auto appended(
    Who who, void (*change)(Record&) = [](Record&) {}) {
  return [=](Scene& s) {
    s.ledger(
        [&](const Folder& ledger) {
          Record record = s.record(ledger, kScale5);
          const auto digest = [&](const char* path) {
            return kgate::trust::digest_of(kgate::view_of(ledger.read(path)));
          };
          const auto heads =
              kgate::trust::heads_text({{"scale", {digest(kScale5), 5, false}}, {"wide", {digest(kWide4), 4, false}}});
          record.sequence = 6;
          record.previous = record.kernel_previous = digest(kScale5);
          record.heads = kgate::trust::digest_of(kgate::view_of(heads));
          record.time = "2021-04-01T00:00:00Z";
          record.release.clear();
          record.slower = "it may be a thousand times slower";
          change(record);
          ledger.write("heads.json", heads);
          s.put(ledger, record, who);
        },
        Scene::Ledger::extended);
  };
}
// A record with a change, signed anew.
auto rewritten(const char* path, void (*change)(Record&), const char* predicate = kgate::trust::kAcceptedPredicate) {
  return [=](Scene& s) {
    s.ledger([&](const Folder& ledger) {
      Record record = s.record(ledger, path);
      change(record);
      s.put(ledger, record, Who::approver, predicate);
    });
  };
}

std::string of(const std::string& path, const std::string& fact) {
  return "origin/kgate/ledger:" + path + ": " + fact;
}
std::string newest(const std::string& fact) {
  return of("newest.json", fact);
}

}  // namespace

std::vector<Attack> attacks_by_records() {
  const std::string uncounted = "its signature does not count: ";
  return {
      {"a record is signed with a key that the policy does not know", appended(Who::stranger),
       newest("no key that the policy knows has signed it" + kKeepKeys)},
      {"a record is signed with a reviewer's key", appended(Who::reviewer),
       newest(uncounted + "keys/reviewer.pub.pem has the role cases, not accept" + kKeepKeys)},
      {"a record is signed with the nightly job's key", appended(Who::historian),
       newest(uncounted + "keys/historian.pub.pem has the role history, not accept" + kKeepKeys)},
      {"a record is signed with a key whose time is over", appended(Who::former_approver),
       newest(uncounted + "keys/former_approver.pub.pem was valid until 2020-06-30, and this is about 2021-04-01" +
              kKeepKeys)},
      {"a record is signed with a key whose time is over, and dated back",
       appended(Who::former_approver, [](Record& record) { record.time = "2020-06-01T00:00:00Z"; }),
       newest("is dated 2020-06-01T00:00:00Z, and record 5 before it 2021-03-01T00:00:00Z: dates never go back" +
              kRewritten)},
      {"one approver signs where two are wanted",
       [](Scene& s) {
         s.repo.replace(".kgate/policy.toml", "accept = 1", "accept = 2");
         s.settle();
       },
       newest(
           "2 distinct keys with the role accept must sign, and 1 did (keys/approver.pub.pem); records cannot be "
           "signed again: where the policy has come to ask for more keys, it begins a new branch in the same change, "
           "[ledger] branch = \"kgate/ledger-2\", and the current versions are accepted anew; docs/ledger.md says "
           "how")},
      {"a record is dated in the future, to outlive the others",
       appended(Who::approver, [](Record& record) { record.time = "2999-01-01T00:00:00Z"; }),
       newest("is dated 2999-01-01T00:00:00Z, which is in the future; set this machine's clock; where it is right, the "
              "record has to go: docs/ledger.md says how")},
      {"an approver's record of another repository's ledger is put here",
       appended(Who::approver, [](Record& record) { record.previous = kZeros; }),
       newest(
           "was not made after record 5 as it is here: that one was replaced, or this one belongs to another ledger" +
           kRewritten)},
      {"an approver's record leaves out what was accepted of its kernel before",
       appended(Who::approver, [](Record& record) { record.kernel_previous = kZeros; }),
       newest(
           "was not made after the last record of \"scale\" as it is here: that one was removed or replaced, or this "
           "one belongs to another ledger" +
           kRewritten)},
      {"an approver's record was made when another kernel's last record was another",
       appended(Who::approver, [](Record& record) { record.heads = kZeros; }),
       of("heads.json", "is not what the newest record attests" + kRewritten)},
      {"an approver's record skips a number", appended(Who::approver, [](Record& record) { record.sequence = 7; }),
       newest(
           "was not made after record 6 as it is here: that one was replaced, or this one belongs to another ledger" +
           kRewritten)},
      {"an old record is put at the end again",
       [](Scene& s) {
         s.ledger(
             [](const Folder& ledger) {
               ledger.copy("records/scale/000001.json", "records/scale/000006.json");
               ledger.copy("records/scale/000001.json", "newest.json");
             },
             Scene::Ledger::extended);
       },
       of("heads.json", "is not what the newest record attests" + kRewritten)},
      {"a nightly figure is passed off as an accepted version",
       rewritten(
           kScale5, [](Record&) {}, kgate::trust::kHistoryPredicate),
       newest("is no statement that kgate can use: it says \"https://kgate.dev/history/v1\", and "
              "\"https://kgate.dev/accepted/v1\" is expected here" +
              kRewritten)},
      {"an older record is signed again with another content",
       rewritten("records/scale/000003.json", [](Record& record) { record.slower = "it may be"; }),
       of("records/scale/000003.json", "is not the record that the ones after it name" + kRewritten)},
      {"the last record of another kernel is signed again with another content",
       rewritten(kWide4, [](Record& record) { record.slower = "it may be"; }),
       of(kWide4, "is not the record that the ones after it name" + kRewritten)},
      {"a record measures one class twice",
       rewritten(kScale5, [](Record& record) { record.measurements.push_back(record.measurements[0]); }),
       newest("is no record: \"measurements\" has the class \"class A\" twice; a newer kgate may have written it: use "
              "that; else the branch has to be restored, docs/ledger.md says how")},
      {"a record goes on from a kernel that is not in the ledger",
       appended(Who::approver,
                [](Record& record) {
                  record.renamed_from = "nobody";
                  record.kernel_previous.clear();
                }),
       newest("renames \"nobody\", which is not there or had ended" + kRewritten)},
      {"a record lets a kernel go on under the name of another one that is alive",
       appended(Who::approver,
                [](Record& record) {
                  record.kernel = "wide";
                  record.renamed_from = "scale";
                }),
       newest("lets \"scale\" go on as \"wide\", which had not ended" + kRewritten)},
  };
}
