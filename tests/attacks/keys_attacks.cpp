#include "base/file_tree.h"
#include "gate/trust/key_set.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/policy.h"
#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"

// Whose signature counts is the target branch's word: its keys, their roles and dates, and how many of them.

namespace {

constexpr const char* kFolder = "kernels/scale";
constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kEnvelope = "kernels/scale/cases.toml.dsse";
constexpr const char* kPolicy = ".kgate/policy.toml";
constexpr const char* kSecond = "[[key]]\nfile = \"keys/second_reviewer.pub.pem\"\nroles = [\"cases\"]\n";

// Cases of a higher revision, signed by these.
auto signed_with(const std::vector<Who>& who) {
  return [who](Scene& s) {
    s.repo.write(kCases, scale_cases(3));
    sign_cases(s.repo, kFolder, who);
  };
}
// The same where main wants two reviewers.
auto of_two(const std::vector<Who>& who) {
  return [who](Scene& s) {
    s.repo.replace(kPolicy, "cases = 1", "cases = 2");
    s.settle();
    signed_with(who)(s);
  };
}
// A key of the attacker's own, in the policy of the change.
void add_own_key(Scene& s) {
  s.repo.write(".kgate/keys/mine.pub.pem", key_of(Who::stranger).public_key().pem());
  s.repo.write(kPolicy, s.repo.read(kPolicy) + "[[key]]\nfile = \"keys/mine.pub.pem\"\nroles = [\"cases\"]\n");
  signed_with({Who::stranger})(s);
}
// The second reviewer's key is withdrawn on main after the change began, which is signed with it.
void withdraw(Scene& s) {
  signed_with({Who::second_reviewer})(s);
  s.main_moves([](const Folder& main) {
    main.replace(kPolicy, kSecond, "");
    main.remove(".kgate/keys/second_reviewer.pub.pem");
  });
}

// Main's keys are signed as a set, and then it gets another key; `signs`: that key alone signs the next set.
auto key_beside_the_sets(bool signs) {
  return [signs](Scene& s) {
    namespace trust = kgate::trust;
    const auto policy = trust::parse_policy(s.repo.read(kPolicy), kPolicy);
    trust::KeySet set{1, "", trust::Keyring::read(policy, kgate::FolderTree(s.repo.root())).keys(), policy.thresholds};
    const std::string first = signed_by({Who::reviewer, Who::second_reviewer, Who::former_reviewer,
                                         Who::coming_reviewer, Who::approver, Who::former_approver, Who::historian},
                                        trust::to_statement(set));
    s.repo.write(trust::key_set_path(1), first);
    add_own_key(s);
    if (signs) {
      set.version = 2;
      set.previous = trust::digest_of(kgate::view_of(first));
      set.keys.push_back({key_of(Who::stranger).public_key(), "keys/mine.pub.pem", {"cases"}, {}, {}});
      s.repo.write(trust::key_set_path(2), signed_by({Who::stranger}, trust::to_statement(set)));
    }
    s.settle();
  };
}

std::string refused(const std::string& fact) {
  return std::string(kEnvelope) + ": " + fact;
}

}  // namespace

std::vector<Attack> attacks_by_keys() {
  const std::string nobody = "no key that the policy knows has signed it";
  const std::string either = "; have it signed with keys/reviewer.pub.pem or keys/second_reviewer.pub.pem";
  const std::string one_of_two = "2 distinct keys with the role cases must sign, and 1 did (keys/reviewer.pub.pem)";
  const std::string second = "; have it signed with keys/second_reviewer.pub.pem";
  return {
      {"cases are signed with a key that the policy does not know", signed_with({Who::stranger}),
       refused(nobody + either)},
      {"the change adds a key to the policy, and signs with it", add_own_key, refused(nobody + either)},
      {"the change puts its own key in the place of the reviewer's",
       [](Scene& s) {
         s.repo.write(".kgate/keys/reviewer.pub.pem", key_of(Who::stranger).public_key().pem());
         signed_with({Who::stranger})(s);
       },
       refused(nobody + either)},
      {"cases are signed with an approver's key", signed_with({Who::approver}),
       refused("its signature does not count: keys/approver.pub.pem has the role accept, not cases" + either)},
      {"the change gives an approver's key the role cases",
       [](Scene& s) {
         s.repo.replace(kPolicy, "roles = [\"accept\"]", "roles = [\"accept\", \"cases\"]");
         signed_with({Who::approver})(s);
       },
       refused("its signature does not count: keys/approver.pub.pem has the role accept, not cases" + either)},
      {"cases are signed with a key whose time is over", signed_with({Who::former_reviewer}),
       refused("its signature does not count: keys/former_reviewer.pub.pem was valid until 2020-12-31, and this is "
               "about {day}" +
               either)},
      {"the change gives a key whose time is over more time",
       [](Scene& s) {
         s.repo.replace(kPolicy, "not_after = 2020-12-31", "not_after = 2999-12-31");
         signed_with({Who::former_reviewer})(s);
       },
       refused("its signature does not count: keys/former_reviewer.pub.pem was valid until 2020-12-31, and this is "
               "about {day}" +
               either)},
      {"cases are signed with a key whose time has not come", signed_with({Who::coming_reviewer}),
       refused("its signature does not count: keys/coming_reviewer.pub.pem is valid from 2999-01-01, and this is about "
               "{day}" +
               either)},
      {"one key signs where two are wanted", of_two({Who::reviewer}), refused(one_of_two + second)},
      {"one key signs twice where two are wanted",
       [](Scene& s) {
         of_two({Who::reviewer})(s);
         edit_envelope(s.repo, kEnvelope, [](auto& envelope) {
           auto again = envelope["signatures"][0];
           again.erase("keyid");
           envelope["signatures"].push_back(again);
         });
       },
       refused(one_of_two + second)},
      {"a reviewer and an approver sign where two reviewers are wanted", of_two({Who::reviewer, Who::approver}),
       refused(one_of_two + "; keys/approver.pub.pem has the role accept, not cases" + second)},
      {"the change wants one key where main wants two",
       [](Scene& s) {
         of_two({Who::reviewer})(s);
         s.repo.replace(kPolicy, "cases = 2", "cases = 1");
       },
       refused(one_of_two + second)},
      {"the policy has one key under two names, to count twice",
       [](Scene& s) {
         s.repo.copy(".kgate/keys/reviewer.pub.pem", ".kgate/keys/second_reviewer.pub.pem");
         s.settle();
       },
       ".kgate/keys/second_reviewer.pub.pem: is the same key as keys/reviewer.pub.pem; name each key once, with all "
       "its "
       "roles"},
      {"main gets a key that is in no signed set of keys", key_beside_the_sets(false),
       ".kgate/policy.toml: its keys are not those of .kgate/keys/set-0001.dsse: keys/mine.pub.pem is not in it; make "
       "the next set and have it signed by the old keys and the new: kgate sign --keys"},
      {"main gets a key that signs the next set of keys by itself", key_beside_the_sets(true),
       ".kgate/keys/set-0002.dsse: is not signed by 1 of {*} (of .kgate/keys/set-0001.dsse); have it signed before "
       "it "
       "is merged: kgate sign --keys"},
      {"a change is signed with a key that main has withdrawn since it began",
       withdraw,
       refused(nobody + "; have it signed with keys/reviewer.pub.pem"),
       {.place = Place::github_pull_request}},
      {"a merge request is signed with a key that main has withdrawn since it began",
       withdraw,
       refused(nobody + "; have it signed with keys/reviewer.pub.pem"),
       {.place = Place::gitlab_merge_request}},
      {"a push to a branch of its own brings a policy with its own key",
       add_own_key,
       refused(nobody + either),
       {.place = Place::github_push}},
  };
}
