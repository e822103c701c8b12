#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"
#include "tests/attacks/honest_repository.h"

// What all these refusals must not stop: each row passes, with what it says.

namespace {

constexpr const char* kFolder = "kernels/scale";
constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kSource = "kernels/scale/scale.cu";
constexpr const char* kPolicy = ".kgate/policy.toml";

// An approver's word, before the merge.
void accept(const Scene& s, const kgate::trust::Draft& draft) {
  append_record(s.repo.root(), draft, Who::approver, true);
}

Question passes(const std::string& command, const std::string& note = "", Place place = Place::desk) {
  return {.command = command, .place = place, .code = kPass, .note = note};
}

}  // namespace

std::vector<Attack> honest_changes() {
  return {
      {"nothing is changed", [](Scene&) {}, "", passes("run")},
      {"nothing is changed, and everything is verified", [](Scene&) {}, "", passes("verify")},
      {"nothing is changed in a pull request", [](Scene&) {}, "", passes("run", "", Place::github_pull_request)},
      {"the candidate is written anew",
       [](Scene& s) { s.repo.replace(kSource, "(1.0f / DIVISOR)", "(2.0f / (DIVISOR + DIVISOR))"); }, "",
       passes("run scale")},
      {"cases of a higher revision are signed",
       [](Scene& s) {
         s.repo.write(kCases, scale_cases(3));
         sign_cases(s.repo, kFolder);
       },
       "",
       passes(
           "run scale",
           "cases revision 3, signed by keys/reviewer.pub.pem, count; the base {main} (origin/main) has revision 2")},
      {"cases whose signer's time is over are signed again by another, without a new revision",
       [](Scene& s) {
         sign_cases(s.repo, kFolder, {Who::former_reviewer});
         s.settle();
         sign_cases(s.repo, kFolder, {Who::former_reviewer, Who::second_reviewer});
       },
       "", passes("run scale")},
      {"two reviewers sign where two are wanted",
       [](Scene& s) {
         s.repo.replace(kPolicy, "cases = 1", "cases = 2");
         s.settle();
         s.repo.write(kCases, scale_cases(3));
         sign_cases(s.repo, kFolder, {Who::reviewer, Who::second_reviewer});
       },
       "",
       passes(
           "run scale",
           "cases revision 3, signed by keys/reviewer.pub.pem and keys/second_reviewer.pub.pem, count; the base {main} "
           "(origin/main) has revision 2")},
      {"a kernel's folder is moved", [](Scene& s) { s.repo.move("kernels/scale", "kernels/moved"); }, "",
       passes("run scale")},
      {"a header is added, and the cases are signed with it",
       [](Scene& s) {
         s.repo.write("kernels/scale/more.cuh", "#define MORE 1\n");
         s.repo.replace("kernels/scale/local.cuh", "// nothing yet\n", "#include \"more.cuh\"\n");
         s.repo.write(kCases, scale_cases(3));
         sign_cases(s.repo, kFolder);
       },
       "",
       passes(
           "run scale",
           "cases revision 3, signed by keys/reviewer.pub.pem, count; the base {main} (origin/main) has revision 2")},
      {"a worse version is accepted by an approver before it is merged",
       [](Scene& s) {
         s.repo.write(kSource, kCoarseScale);
         auto draft = draft_of(s.repo, kFolder, "2022-01-01T00:00:00Z");
         draft.record.slower = "half the registers";
         accept(s, draft);
       },
       "accepted by record 6 (keys/approver.pub.pem): half the registers (the error of \"y\" grew to {*} times the "
       "base's "
       "over 1 cases, the policy allows 2)",
       passes("run scale")},
      {"a kernel goes on under another name, by its reviewers' and an approver's word",
       [](Scene& s) {
         s.repo.replace(kCases, "kernel = \"scale\"\nrevision = 2", "kernel = \"third\"\nrevision = 3");
         sign_cases(s.repo, kFolder);
         auto draft = draft_of(s.repo, kFolder, "2022-01-01T00:00:00Z");
         draft.record.renamed_from = "scale";
         accept(s, draft);
       },
       "", passes("run", "kernel \"scale\" goes on as \"third\" since record 6 of the ledger")},
      {"a kernel is retired by an approver, and deleted",
       [](Scene& s) {
         kgate::trust::Draft draft;
         draft.record.kernel = "scale";
         draft.record.time = "2022-01-01T00:00:00Z";
         draft.record.reason = "nobody calls it";
         draft.record.retired = true;
         accept(s, draft);
         s.repo.remove(kFolder);
       },
       "", passes("run", "kernel \"scale\" was retired by record 6 of the ledger: nobody calls it")},
      {"a branch from before the cases' newest revision leaves them alone",
       [](Scene& s) {
         s.main_moves([](const Folder& main) {
           main.write(kCases, scale_cases(3));
           sign_cases(main, kFolder);
         });
       },
       "",
       passes("run scale",
              "cases revision 3 of {main} (origin/main) count: this branch, which has not touched them, is older",
              Place::github_pull_request)},
      {"a branch from before main's cases were signed anew, since a key's time was over, leaves them alone",
       [](Scene& s) {
         sign_cases(s.repo, kFolder, {Who::former_reviewer});
         s.settle();
         s.main_moves([](const Folder& main) { sign_cases(main, kFolder, {Who::second_reviewer}); });
       },
       "",
       passes("run scale",
              "cases revision 2 of {main} (origin/main) count: this branch, which has not touched them, is older",
              Place::github_pull_request)},
      {"a branch from before a kernel was added and accepted does not have it",
       [](Scene& s) {
         s.main_moves([&](const Folder& main) {
           main.copy("kernels/wide", "kernels/young");
           main.replace("kernels/young/cases.toml", "kernel = \"wide\"", "kernel = \"young\"");
           sign_cases(main, "kernels/young");
           accept(s, draft_of(main, "kernels/young", "2022-01-01T00:00:00Z"));
         });
       },
       "", passes("run", "", Place::github_pull_request)},
      {"a new kernel comes with signed cases, and the policy lets new ones pass",
       [](Scene& s) {
         s.repo.replace(kPolicy, "[numerics]", "[baseline]\nnew = \"pass\"\n[numerics]");
         s.settle();
         s.repo.copy("kernels/scale", "kernels/fresh");
         s.repo.replace("kernels/fresh/cases.toml", "kernel = \"scale\"", "kernel = \"fresh\"");
         sign_cases(s.repo, "kernels/fresh");
       },
       "right; neither the base nor the ledger has a version to compare it with", passes("run fresh")},
      {"the policy is changed, which takes effect once it is merged",
       [](Scene& s) { s.repo.replace(kPolicy, "error_growth = 2.0", "error_growth = 1.5"); }, "",
       passes("run scale",
              ".kgate/policy.toml differs from the base commit's: what they say takes effect once it is "
              "merged")},
  };
}
