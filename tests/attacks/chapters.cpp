#include "tests/attacks/attack.h"

const std::string kResign = "; restore it, or have the change reviewed and signed: kgate sign scale";
const std::string kRestored = "; restore the file as it was signed, or sign anew";
const std::string kRewritten =
    "; the branch was damaged or rewritten: have it reset to its last commit that holds, docs/ledger.md says how";
const std::string kKeepKeys =
    "; a record needs keys that the policy has for it on its day: keep earlier ones there, with not_after; a record "
    "that nobody was to sign has to go, docs/ledger.md says how";

const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> all{{"Cases, and what they name", attacks_on_cases},
                                        {"Links and other things that are no files", attacks_by_links},
                                        {"Attributes of git", attacks_by_attributes},
                                        {"Includes of what is not declared", attacks_by_includes},
                                        {"Envelopes and statements", attacks_on_envelopes},
                                        {"Keys", attacks_by_keys},
                                        {"The policy", attacks_on_policy},
                                        {"Kernels and their names", attacks_on_names},
                                        {"The ledger", attacks_on_the_ledger},
                                        {"Records of the ledger", attacks_by_records},
                                        {"Accepting", attacks_on_accepting},
                                        {"What honest people do, and may", honest_changes}};
  return all;
}
