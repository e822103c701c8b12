#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"
#include "tests/attacks/honest_repository.h"

// A kernel is who its signed cases say it is, wherever it lies: its record, its override and its absence go by that
// name.

namespace {

constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kSource = "kernels/scale/scale.cu";
const std::string kWorse = "the error of \"y\" grew to {*} times the base's over 1 cases, the policy allows 2";
const std::string kGone = "the base {main} (origin/main) has it, this tree does not";

}  // namespace

std::vector<Attack> attacks_on_names() {
  return {
      {"a slow kernel is moved to a folder whose name has an override",
       [](Scene& s) {
         s.repo.move("kernels/wide", "kernels/tiny_wide");
         s.repo.write("kernels/tiny_wide/wide.cu", kSlowWide);
       },
       "case \"timed\": slower by {*}, 50 % is tolerated",
       {.command = "run wide", .code = 1}},
      {"a kernel takes a name that has an override",
       [](Scene& s) { s.repo.replace(kCases, "kernel = \"scale\"", "kernel = \"tiny_scale\""); },
       std::string(kCases) +
           ": is not the file that kernels/scale/cases.toml.dsse signs; restore it, or have the change reviewed and "
           "signed: kgate sign tiny_scale",
       {.command = "run tiny_scale"}},
      {"a kernel takes a name that has an override, which a reviewer signs and no approver accepts",
       [](Scene& s) {
         s.repo.replace(kCases, "kernel = \"scale\"", "kernel = \"tiny_scale\"");
         sign_cases(s.repo, "kernels/scale");
       },
       kGone,
       {.command = "run *scale", .code = 6}},
      {"a second kernel comes under the first one's name",
       [](Scene& s) { s.repo.copy("kernels/scale", "kernels/also"); },
       "kernels/scale/cases.toml: kernel \"scale\" is declared by kernels/also/cases.toml too; give each kernel a name "
       "of "
       "its own"},
      {"another kernel takes the place of the first one, under its name",
       [](Scene& s) {
         s.repo.move("kernels/scale", "attic/scale");
         s.repo.copy("kernels/wide", "kernels/scale");
         s.repo.replace(kCases, "kernel = \"wide\"", "kernel = \"scale\"");
       },
       std::string(kCases) +
           ": is not the file that kernels/scale/cases.toml.dsse signs; restore it, or have the change reviewed and "
           "signed: kgate sign scale"},
      {"a kernel is deleted", [](Scene& s) { s.repo.remove("kernels/scale"); }, kGone, {.code = 6}},
      {"a kernel is moved into a hidden folder",
       [](Scene& s) { s.repo.move("kernels/scale", "kernels/.scale"); },
       kGone,
       {.code = 6}},
      {"a kernel that was deleted before is still in the ledger",
       [](Scene& s) {
         s.repo.remove("kernels/scale");
         s.settle();
       },
       "record 5 of the ledger has accepted it, this tree does not have it",
       {.code = 6}},
      {"a version that was accepted before the base's comes back",
       [](Scene& s) { s.repo.write(kSource, kCoarseScale); },
       kWorse,
       {.code = 1}},
      {"a version that was accepted last comes back, after a better one was merged that nobody accepted",
       [](Scene& s) {
         // The ledger's last word on scale is the coarse version, accepted in 2022; main went on without it since.
         s.repo.write(kSource, kCoarseScale);
         append_record(s.repo.root(), draft_of(s.repo, "kernels/scale", "2022-01-01T00:00:00Z"), Who::approver, true);
         s.settle();
         s.repo.write(kSource, kScale);
         s.settle("2023-01-01T00:00:00Z");
         s.repo.write(kSource, kCoarseScale);
       },
       kWorse,
       {.code = 1}},
  };
}
