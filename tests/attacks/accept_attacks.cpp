#include "base/digest.h"
#include "base/file.h"
#include "gate/verdict/acceptance.h"
#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"
#include "tests/attacks/honest_repository.h"

// What the ledger gets: with whose key, and from whom. A draft was measured elsewhere, by somebody who has no key, and
// is believed for its figures and its machine code alone.

namespace {

constexpr const char* kFolder = "kernels/scale";
const std::string kDraft = "../draft/scale/class_A/";

const Question kAccept{.command = "accept scale --reason tested"};
const Question kSign{.command = "accept --sign ../draft --no-push"};

// The holder of another key asks for it.
auto with_key(Who who) {
  return [who](Scene& s) { s.give_key(who); };
}
// An approver signs a draft that `change` was at.
auto drafted(void (*change)(kgate::trust::Draft&)) {
  return [change](Scene& s) {
    auto draft = draft_of(s.repo, kFolder, "2021-04-01T00:00:00Z");
    change(draft);
    kgate::verdict::write_draft(s.repo.at("../draft"), draft);
    s.give_key(Who::approver);
  };
}
// By its reviewers' word.
void rename_scale(Scene& s) {
  s.repo.replace("kernels/scale/cases.toml", "kernel = \"scale\"\nrevision = 2", "kernel = \"third\"\nrevision = 3");
  sign_cases(s.repo, kFolder);
}
// The version that a draft speaks of is not what is checked out where it is signed.
void draft_of_another_version(Scene& s) {
  s.repo.write("kernels/scale/scale.cu", kCoarseScale);
  kgate::verdict::write_draft(s.repo.at("../draft"), draft_of(s.repo, kFolder, "2021-04-01T00:00:00Z"));
  s.repo.write("kernels/scale/scale.cu", kScale);
  s.give_key(Who::approver);
}

}  // namespace

std::vector<Attack> attacks_on_accepting() {
  const std::string sign_with = "; have it signed with keys/approver.pub.pem";
  const std::string another = "; check out the commit that was measured, or measure again: kgate accept --prepare";
  return {
      {"a reviewer accepts", with_key(Who::reviewer),
       "signing key {*}: keys/reviewer.pub.pem has the role cases, not accept" + sign_with, kAccept},
      {"somebody accepts whose key the policy does not know", with_key(Who::stranger),
       "signing key {*}: the policy does not know it; commit its public half below .kgate/keys with a [[key]] with "
       "roles "
       "= [\"accept\"] in .kgate/policy.toml, and merge that first",
       kAccept},
      {"somebody accepts whose time is over", with_key(Who::former_approver),
       "signing key {*}: keys/former_approver.pub.pem was valid until 2020-06-30, and this is about {day}" + sign_with,
       kAccept},
      {"the change adds the key with which it accepts itself",
       [](Scene& s) {
         s.repo.write(".kgate/keys/approver.pub.pem", key_of(Who::stranger).public_key().pem());
         s.give_key(Who::stranger);
       },
       "signing key {*}: the policy does not know it; commit its public half below .kgate/keys with a [[key]] with "
       "roles "
       "= [\"accept\"] in .kgate/policy.toml, and merge that first",
       kAccept},
      {"a reviewer retires a kernel",
       with_key(Who::reviewer),
       "signing key {*}: keys/reviewer.pub.pem has the role cases, not accept" + sign_with,
       {.command = "accept scale --retire --reason gone"}},
      {"an approver is asked to accept a version whose cases were edited",
       [](Scene& s) {
         s.repo.write("kernels/scale/cases.toml", scale_cases(1));
         s.give_key(Who::approver);
       },
       "untrusted: kernels/scale/cases.toml: is not the file that kernels/scale/cases.toml.dsse signs" + kResign,
       kAccept},
      {"an approver is asked to add to a ledger that does not hold",
       [](Scene& s) {
         s.ledger([](const Folder& ledger) { ledger.remove("records/scale/000003.json"); });
         s.give_key(Who::approver);
       },
       "origin/kgate/ledger:records/scale/000001.json: is not the record that the ones after it name" + kRewritten,
       kAccept},
      {"one change renames a kernel and makes it worse, and an approver is asked to accept the name",
       [](Scene& s) {
         rename_scale(s);
         s.repo.write("kernels/scale/scale.cu", kCoarseScale);
         s.give_key(Who::approver);
       },
       "not accepted: the error of \"y\" grew to {*} times the base's over 1 cases, the policy allows 2: accept that "
       "with --slower REASON, or mend it",
       {.command = "accept third --renamed-from scale --reason renamed", .code = 1}},
      {"a kernel is made worse under the name that an approver has accepted for it",
       [](Scene& s) {
         rename_scale(s);
         auto draft = draft_of(s.repo, kFolder, "2022-01-01T00:00:00Z");
         draft.record.renamed_from = "scale";
         append_record(s.repo.root(), draft, Who::approver, true);
         s.repo.write("kernels/scale/scale.cu", kCoarseScale);
       },
       "the error of \"y\" grew to {*} times the base's over 1 cases, the policy allows 2",
       {.command = "run third", .code = 1, .note = "compared with the base's \"scale\", which goes on as this one"}},
      {"a reviewer signs a draft",
       [](Scene& s) {
         drafted([](auto&) {})(s);
         s.give_key(Who::reviewer);
       },
       "signing key {*}: keys/reviewer.pub.pem has the role cases, not accept" + sign_with, kSign},
      {"an object of a draft is swapped before it is signed",
       [](Scene& s) {
         drafted([](auto&) {})(s);
         for (const auto& entry : std::filesystem::directory_iterator(s.repo.at(kDraft + "objects")))
           kgate::write_file_atomic(entry.path(), std::string_view("other machine code"));
       },
       kDraft + "objects/{*}: is not what was measured; measure again: kgate accept --prepare", kSign},
      {"an object of a draft is taken out before it is signed",
       [](Scene& s) {
         drafted([](auto&) {})(s);
         std::filesystem::remove_all(s.repo.at(kDraft + "objects"));
       },
       kDraft + "objects/{*}: cannot be opened: No such file or directory; measure again: kgate accept --prepare",
       kSign},
      {"a draft speaks of another version than the one that is checked out", draft_of_another_version,
       kDraft + "statement.json: speaks of another version of \"scale\" than HEAD has" + another, kSign},
      {"a draft has the sources of one version and the digest of another", drafted([](auto& draft) {
         const std::string digest = "sha256:" + kgate::sha256_hex(std::string_view(kCoarseScale));
         draft.record.files["kernels/scale/scale.cu"] = digest;
         draft.objects[digest] = kgate::bytes_of(kCoarseScale);
       }),
       kDraft + "statement.json: speaks of another version of \"scale\" than HEAD has" + another, kSign},
      {"a draft speaks of a kernel under another one's name",
       drafted([](auto& draft) { draft.record.kernel = "wide"; }),
       "../draft/wide/class_A/statement.json: speaks of another version of \"wide\" than HEAD has" + another, kSign},
      {"a draft was measured with other cases",
       drafted([](auto& draft) { draft.record.cases_digest = "sha256:" + std::string(64, '0'); }),
       kDraft + "statement.json: speaks of other cases of \"scale\" than HEAD has" + another, kSign},
      {"a draft's statement says more than this kgate understands",
       [](Scene& s) {
         drafted([](auto&) {})(s);
         s.repo.replace(kDraft + "statement.json", "\"predicate\":{", "\"predicate\":{\"approved\":true,");
       },
       kDraft +
           "statement.json: is no record: \"approved\" is not known; a newer kgate may have written it: use that; else "
           "the branch has to be restored, docs/ledger.md says how",
       kSign},
  };
}
