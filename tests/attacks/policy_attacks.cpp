#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"

// What is allowed is what the target branch's newest commit says. A change that touches .kgate/ is told that this takes
// effect once it is merged, and is judged by what held before. Here the candidate is worse than main's (a thousand
// times the error, within the tolerance): `regressed` is the honest answer.

namespace {

constexpr const char* kPolicy = ".kgate/policy.toml";
constexpr const char* kSource = "kernels/scale/scale.cu";
const std::string kWorse = "the error of \"y\" grew to {*} times the base's over 1 cases, the policy allows 2";
const std::string kPending =
    ".kgate/policy.toml differs from the base commit's: what they say takes effect once it is merged";

// A worse candidate, and a policy in the change that would let it pass.
auto loosened(const std::string& old_text, const std::string& new_text) {
  return [=](Scene& s) {
    s.repo.write(kSource, kCoarseScale);
    s.repo.replace(kPolicy, old_text, new_text);
  };
}
// Main wanted less when the change began.
void tightened_since(Scene& s) {
  s.repo.replace(kPolicy, "error_growth = 2.0", "error_growth = 1e9");
  s.settle();
  s.repo.write(kSource, kCoarseScale);
  s.main_moves([](const Folder& main) { main.replace(kPolicy, "error_growth = 1e9", "error_growth = 2.0"); });
}
// The same, and this clone and the job's event know an older main: a job that runs again.
void tightened_since_the_event(Scene& s) {
  const std::string clone = "refs/remotes/origin/main";
  s.repo.replace(kPolicy, "error_growth = 2.0", "error_growth = 1e9");
  s.settle();
  const std::string old_main = s.git({"rev-parse", clone});
  s.repo.write(kSource, kCoarseScale);
  s.main_moves([](const Folder& main) { main.replace(kPolicy, "error_growth = 1e9", "error_growth = 2.0"); });
  s.git({"update-ref", clone, old_main});
}
// The change says that cases need no signature, and has none.
void unsigned_by_its_own_word(Scene& s) {
  s.repo.replace(kPolicy, "[numerics]", "[trust]\nunsigned = \"warn\"\n[numerics]");
  s.repo.write("kernels/scale/cases.toml", scale_cases(1));
  s.repo.remove("kernels/scale/cases.toml.dsse");
}
const std::string kUnsigned =
    "kernels/scale/cases.toml: is signed in the base {main} (origin/main), but not here; have it signed by a key with "
    "the role cases: kgate sign scale";

}  // namespace

std::vector<Attack> attacks_on_policy() {
  return {
      {"the change allows itself a larger error",
       loosened("error_growth = 2.0", "error_growth = 1e9"),
       kWorse,
       {.code = 1, .note = kPending}},
      {"the change takes itself out of what blocks",
       loosened("block_on = [\"change\", \"creep\", \"missing\"]", "block_on = []"),
       kWorse,
       {.code = 1, .note = kPending}},
      {"the change takes its kernel out of the policy's sight",
       loosened("schema = \"kgate.policy/1\"", "schema = \"kgate.policy/1\"\nkernels = [\"kernels/wide/kernel.toml\"]"),
       kWorse,
       {.code = 1, .note = kPending}},
      {"the change removes the policy",
       [](Scene& s) {
         s.repo.write(kSource, kCoarseScale);
         s.repo.remove(kPolicy);
       },
       kWorse,
       {.code = 1, .note = kPending}},
      {"a branch from before the policy was tightened is judged by the new one",
       tightened_since,
       kWorse,
       {.place = Place::github_pull_request, .code = 1}},
      {"a merge request from before the policy was tightened is judged by the new one",
       tightened_since,
       kWorse,
       {.place = Place::gitlab_merge_request, .code = 1}},
      {"a job runs again that began before the policy was tightened, in a clone from then",
       tightened_since_the_event,
       kWorse,
       {.place = Place::github_pull_request, .code = 1}},
      {"a merge request's job runs again that began before the policy was tightened, in a clone from then",
       tightened_since_the_event,
       kWorse,
       {.place = Place::gitlab_merge_request, .code = 1}},
      {"a push's job runs again that began before the policy was tightened, in a clone from then",
       tightened_since_the_event,
       kWorse,
       {.place = Place::github_push, .code = 1}},
      {"the change says that its cases need no signature", unsigned_by_its_own_word, kUnsigned},
      {"a push to a branch of its own says that cases need no signature",
       unsigned_by_its_own_word,
       kUnsigned,
       {.place = Place::github_push}},
      {"a CI job does not say where the change begins, so that its own policy would count",
       [](Scene&) {},
       "base commit: this is a CI job (CI is set), but not one that tells where the change starts; name the protected "
       "branch: --policy-ref origin/main",
       {.place = Place::other_ci}},
      {"somebody runs kgate where HEAD's policy would count, and main forbids that",
       [](Scene& s) {
         s.repo.replace(kPolicy, "[numerics]", "[trust]\nimplied_base = \"block\"\n[numerics]");
         s.settle();
       },
       "base commit: is only implied (no CI job and no --policy-ref), which the policy forbids; name the protected "
       "branch: --policy-ref origin/main",
       {.place = Place::desk_without_ref}},
  };
}
