#include "base/file.h"
#include "gate/trust/ledger_names.h"
#include "tests/attacks/attack.h"
#include "tests/attacks/git.h"
#include "tests/attacks/honest_repository.h"

// Somebody may push to kgate/ledger and has no key: what can be done with what others signed. `run` reads what it needs
// (the newest record, the last one of every kernel, those of the kernel at hand); `verify` reads everything.

namespace {

constexpr const char* kPolicy = ".kgate/policy.toml";
constexpr const char* kScale5 = "records/scale/000005.json";
constexpr const char* kWide4 = "records/wide/000004.json";
const std::string kBranch = "origin/kgate/ledger";
const std::string kZeros(64, '0');
const std::string kRestoreIt =
    "; git fetch origin +refs/heads/kgate/ledger:refs/remotes/origin/kgate/ledger; where that changes nothing, the "
    "branch was rolled back: have it restored, docs/ledger.md says how";

// The newest commit's files are edited, and it is replaced.
auto damaged(void (*edit)(const Folder&)) {
  return [edit](Scene& s) { s.ledger(edit); };
}
// Main wants record 5, with this digest.
void want_record_5(const Scene& s, const std::string& digest) {
  s.repo.replace(kPolicy, "[numerics]",
                 "[ledger]\nat_least = { sequence = 5, digest = \"sha256:" + digest + "\" }\n[numerics]");
  s.settle();
}
// The first file of that content below the ledger's objects gets another.
void replace_object(const Folder& ledger, const std::string& content, const std::string& other) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ledger.at("objects"))) {
    if (!entry.is_regular_file()) continue;
    const auto path = std::filesystem::relative(entry.path(), ledger.root()).string();
    if (ledger.read(path).find(content) == std::string::npos) continue;
    if (other.empty()) {
      ledger.remove(path);
    } else {
      ledger.write(path, other);
    }
    return;
  }
}
std::string says(const std::string& fact) {
  return kBranch + ": " + fact;
}
std::string of(const std::string& path, const std::string& fact) {
  return kBranch + ":" + path + ": " + fact;
}

}  // namespace

std::vector<Attack> attacks_on_the_ledger() {
  const Question everything{.command = "verify"};
  return {
      {"the branch is deleted, and the policy knows a record",
       [](Scene& s) {
         want_record_5(s, kZeros);
         s.git({"push", "-q", "origin", ":refs/heads/kgate/ledger"});
       },
       "kgate/ledger: is not in this clone, and [ledger] at_least of the policy wants record 5 of it" + kRestoreIt},
      {"the branch is deleted, and this clone has it",
       [](Scene& s) {
         run_git(s.origin.root(), {"update-ref", "-d", "refs/heads/kgate/ledger"});
       },
       says("was deleted at origin, and this clone has it; to restore it: git push origin "
            "refs/remotes/origin/kgate/ledger:refs/heads/kgate/ledger; where it was deleted on purpose: git update-ref "
            "-d "
            "refs/remotes/origin/kgate/ledger"),
       {.place = Place::github_pull_request}},
      {"the branch is rolled back, and the policy knows a later record",
       [](Scene& s) {
         want_record_5(s, kZeros);
         s.point_ledger_at(kBranch + "~1");
       },
       says("ends with record 4, and [ledger] at_least of the policy wants record 5" + kRestoreIt)},
      {"the branch is rolled back, and this clone has seen a later record",
       [](Scene& s) {
         run_git(s.origin.root(), {"update-ref", "refs/heads/kgate/ledger", "refs/heads/kgate/ledger~2"});
       },
       says("record 5, which this clone has seen, is no longer in it: the branch was rolled back or rewritten; this "
            "clone keeps what it had; to restore that: git push --force origin "
            "refs/remotes/origin/kgate/ledger:refs/heads/kgate/ledger; where the branch was reset on purpose: git "
            "update-ref -d refs/remotes/origin/kgate/ledger"),
       {.place = Place::github_pull_request}},
      {"another ledger with good signatures takes its place, and the policy knows a record",
       [](Scene& s) { want_record_5(s, kZeros); },
       of(kScale5, "has the digest sha256:{*}, and [ledger] at_least of the policy wants sha256:" + kZeros +
                       "; it is another ledger, or its history was rewritten: have it restored, docs/ledger.md says "
                       "how")},
      {"a record in the middle is taken out",
       damaged([](const Folder& ledger) { ledger.remove("records/scale/000003.json"); }),
       of("records/scale/000001.json", "is not the record that the ones after it name" + kRewritten)},
      {"a record of another kernel is taken out",
       damaged([](const Folder& ledger) { ledger.remove("records/wide/000002.json"); }),
       says("record 2 is missing, and record 5 is there" + kRewritten), everything},
      {"the newest record of another kernel is taken out", damaged([](const Folder& ledger) { ledger.remove(kWide4); }),
       of(kWide4, "is missing, and the records after it name it" + kRewritten)},
      {"the newest record is taken out, and its copy is not",
       damaged([](const Folder& ledger) { ledger.remove(kScale5); }),
       of(kScale5, "is missing, and is the newest record by newest.json" + kRewritten)},
      {"the newest record is replaced by the one before, and its copy is not",
       damaged([](const Folder& ledger) { ledger.copy("records/scale/000003.json", kScale5); }),
       of(kScale5, "is another, and is the newest record by newest.json" + kRewritten)},
      {"the copy of the newest record is put back to the one before",
       damaged([](const Folder& ledger) { ledger.copy(kWide4, "newest.json"); }),
       of("heads.json", "is not what the newest record attests" + kRewritten)},
      {"the list of last records is edited, to hide one",
       damaged([](const Folder& ledger) { ledger.replace("heads.json", "\"ended\":false", "\"ended\":true"); }),
       of("heads.json", "is not what the newest record attests" + kRewritten)},
      {"a kernel's newest record is replaced by an older one of it",
       damaged([](const Folder& ledger) { ledger.copy("records/wide/000002.json", kWide4); }),
       of(kWide4, "is not the record that the ones after it name" + kRewritten)},
      {"two records change places", damaged([](const Folder& ledger) {
         ledger.move("records/scale/000001.json", "x");
         ledger.move("records/scale/000003.json", "records/scale/000001.json");
         ledger.move("x", "records/scale/000003.json");
       }),
       of("records/scale/000003.json", "is not the record that the ones after it name" + kRewritten)},
      {"two records of another kernel change places", damaged([](const Folder& ledger) {
         ledger.move("records/scale/000001.json", "records/scale/000002.json");
         ledger.move("records/wide/000002.json", "records/wide/000001.json");
       }),
       of("records/wide/000001.json", "is record 2 by its own word, not 1" + kRewritten), everything},
      {"the ledger is forked: two records have one number",
       damaged([](const Folder& ledger) { ledger.copy(kWide4, "records/wide/000005.json"); }),
       of("records/wide/000005.json", "has the number of records/scale/000005.json" + kRewritten), everything},
      {"a record lies in the folder of another kernel",
       damaged([](const Folder& ledger) { ledger.move(kScale5, "records/wide/000005.json"); }),
       of(kScale5, "is missing, and is the newest record by newest.json" + kRewritten)},
      {"a record's class is edited, to pass off another machine's figures", damaged([](const Folder& ledger) {
         auto envelope = kgate::trust::parse_envelope(ledger.read(kScale5), "x");
         std::string payload(kgate::text_of(envelope.payload));
         payload.replace(payload.find("class B"), 7, "class C");
         envelope.payload = kgate::bytes_of(payload);
         ledger.write(kScale5, kgate::trust::write_envelope(envelope));
         ledger.copy(kScale5, "newest.json");
       }),
       of("newest.json",
          "the signature in the name of keys/approver.pub.pem does not hold: this is not what that key signed" +
              kKeepKeys)},
      {"the machine code of a record is replaced",
       damaged([](const Folder& ledger) { replace_object(ledger, "machine code of", "other machine code"); }),
       of("objects/sha256/{*}", "does not have the digest that it is named by" + kRewritten), everything},
      {"the source that a record accepted is replaced by a slower one",
       damaged([](const Folder& ledger) { replace_object(ledger, "(1.0f / DIVISOR)", "while (true) {}"); }),
       of("objects/sha256/{*}", "does not have the digest that it is named by" + kRewritten)},
      {"the source that a record accepted is taken out",
       damaged([](const Folder& ledger) { replace_object(ledger, "(1.0f / DIVISOR)", ""); }),
       of("objects/sha256/{*}", "is missing, and a record names it" + kRewritten)},
      {"an object is added that no record names", damaged([](const Folder& ledger) {
         ledger.write(kgate::trust::object_path(kgate::trust::digest_of(kgate::view_of("x"))), "x");
       }),
       of(kgate::trust::object_path(kgate::trust::digest_of(kgate::view_of("x"))),
          "is named by no record" + kRewritten),
       everything},
      {"an object is added under a name that is not its digest",
       damaged([](const Folder& ledger) { ledger.write("objects/sha256/00/" + std::string(62, '0'), "x"); }),
       of("objects/sha256/00/" + std::string(62, '0'), "does not have the digest that it is named by" + kRewritten),
       everything},
      {"the newest record is truncated",
       damaged([](const Folder& ledger) { ledger.write("newest.json", ledger.read(kScale5).substr(0, 100)); }),
       of("newest.json", "is not valid JSON at byte 100 (line 1, column 101): the text ends too early" + kRewritten)},
      {"the newest record has 17 MiB", damaged([](const Folder& ledger) { ledger.enlarge("newest.json", 17u << 20); }),
       of("newest.json", "has 17825792 bytes, and at most 16777216 are allowed" + kRewritten)},
      {"an older record has 17 MiB",
       damaged([](const Folder& ledger) { ledger.enlarge("records/scale/000003.json", 17u << 20); }),
       of("records/scale/000003.json", "has 17825792 bytes, and at most 16777216 are allowed" + kRewritten)},
      {"the newest record is a link to another one",
       damaged([](const Folder& ledger) { ledger.link("newest.json", "records/scale/000003.json"); }),
       of("newest.json", "is missing" + kRewritten)},
      {"an older record is a link to another one",
       damaged([](const Folder& ledger) { ledger.link("records/scale/000003.json", "000001.json"); }),
       of("records/scale/000003.json", "is no record's file" + kRewritten)},
      {"the records of a kernel are a submodule",
       [](Scene& s) {
         const std::string commit = s.git({"rev-parse", "main"});
         s.ledger([&](const Folder& ledger) {
           std::filesystem::create_directory(ledger.at("records/other"));
           run_git(ledger.root(), {"update-index", "--add", "--cacheinfo", "160000," + commit + ",records/other"});
         });
       },
       of("records/other", "is no kernel's folder" + kRewritten), everything},
      {"the objects are a link", damaged([](const Folder& ledger) { ledger.link("objects", "/etc"); }),
       of("objects/sha256/{*}", "is missing, and a record names it" + kRewritten)},
      {"a file is added beside the records",
       damaged([](const Folder& ledger) { ledger.write("README.md", "all is well\n"); }),
       of("README.md", "has no place in a ledger" + kRewritten), everything},
      {"a merge with two parents hides what came before",
       [](Scene& s) {
         s.point_ledger_at(
             s.git({"commit-tree", "-m", "merge", "-p", kBranch + "^", "-p", kBranch + "~2", kBranch + "^{tree}"}));
       },
       kBranch + ": commit {*}: has two parents: two branches were merged" + kRewritten, everything},
      {"a commit is added that brings no record",
       [](Scene& s) { s.ledger([](const Folder&) {}, Scene::Ledger::extended); },
       says("has more commits for 5 records: each record is a commit of its own" + kRewritten), everything},
      {"the history before the newest record is cut off",
       [](Scene& s) {
         s.point_ledger_at(s.git({"commit-tree", "-m", "record", kBranch + "^{tree}"}));
       },
       says("has 1 commits for 5 records: each record is a commit of its own" + kRewritten), everything},
      {"the branch points to a commit of main", [](Scene& s) { s.point_ledger_at("main"); },
       of("newest.json", "is missing" + kRewritten)},
      {"the branch points to an empty commit",
       [](Scene& s) {
         const std::string empty = s.git({"hash-object", "-t", "tree", "-w", "/dev/null"});
         s.point_ledger_at(s.git({"commit-tree", "-m", "nothing", empty}));
       },
       of("newest.json", "is missing" + kRewritten)},
      {"the branch is a tag",
       [](Scene& s) {
         s.git({"tag", "-a", "-m", "v1", "v1", kBranch});
         kgate::write_file_atomic(s.repo.at(".git/refs/remotes/origin/kgate/ledger"),
                                  s.git({"rev-parse", "v1"}) + "\n");
       },
       says("points to {*}, which is no commit" + kRewritten)},
  };
}
