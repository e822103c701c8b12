#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"

// What is right is what the reviewers signed: cases.toml and every file that it names.

namespace {

constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kEnvelope = "kernels/scale/cases.toml.dsse";

std::string not_the_file(const std::string& path) {
  return path + ": is not the file that " + kEnvelope + " signs" + kResign;
}
std::string missing(const std::string& path) {
  return path + ": is signed by " + kEnvelope + " and missing in working tree {root}" + kResign;
}

}  // namespace

std::vector<Attack> attacks_on_cases() {
  const std::string raise = "; set revision = 3 and sign again: kgate sign scale";
  const std::string unsigned_here = std::string(kCases) +
                                    ": is signed in the base {main} (origin/main), but not here; have it signed by a "
                                    "key with the role cases: kgate sign scale";
  return {
      {"a case is taken out under the old signature", [](Scene& s) { s.repo.replace(kCases, "n = 4000", "n = 1"); },
       not_the_file(kCases)},
      {"a tolerance is loosened under the old signature",
       [](Scene& s) { s.repo.replace(kCases, "rtol = 1e-3", "rtol = 1e+3"); }, not_the_file(kCases)},
      {"the revision is raised, and nobody signs", [](Scene& s) { s.repo.write(kCases, scale_cases(3)); },
       not_the_file(kCases)},
      {"the reference is edited to agree with a wrong kernel",
       [](Scene& s) { s.repo.replace("kernels/scale/reference.cu", "double(DIVISOR)", "4.0"); },
       not_the_file("kernels/scale/reference.cu")},
      {"a header that kernel and reference share is edited, so that both are wrong alike",
       [](Scene& s) { s.repo.write("kernels/common/shapes.cuh", "#define DIVISOR 1.0f\n"); },
       not_the_file("kernels/common/shapes.cuh")},
      {"the stored input is replaced by an easier one",
       [](Scene& s) { s.repo.replace("kernels/scale/x.npy", "(64,)", "(1, )"); }, not_the_file("kernels/scale/x.npy")},
      {"a header that a pattern of the reference finds is added",
       [](Scene& s) { s.repo.write("kernels/scale/a.cuh", "#undef DIVISOR\n"); },
       std::string("kernels/scale/a.cuh: is named by ") + kCases + " but not signed in " + kEnvelope +
           "; remove it, or sign the cases with it: kgate sign scale"},
      {"a header is added in a folder that several references share",
       [](Scene& s) { s.repo.write("kernels/common/a.cuh", "#undef DIVISOR\n"); },
       std::string("kernels/common/a.cuh: is named by ") + kCases + " but not signed in " + kEnvelope +
           "; remove it, or sign the cases with it: kgate sign scale"},
      {"the reference is removed", [](Scene& s) { s.repo.remove("kernels/scale/reference.cu"); },
       missing("kernels/scale/reference.cu")},
      {"the stored input is removed", [](Scene& s) { s.repo.remove("kernels/scale/x.npy"); },
       missing("kernels/scale/x.npy")},
      {"cases.toml is removed, and its signature stays", [](Scene& s) { s.repo.remove(kCases); },
       std::string(kCases) + ": is missing in the working tree {root}, and its signature is there; restore it; a "
                             "kernel that is to go goes "
                             "with its whole folder"},
      {"the signature is removed", [](Scene& s) { s.repo.remove(kEnvelope); }, unsigned_here},
      {"cases are edited, and their signature is removed",
       [](Scene& s) {
         s.repo.write(kCases, scale_cases(1));
         s.repo.remove(kEnvelope);
       },
       unsigned_here},
      {"an older, looser revision comes back with its own good signature",
       [](Scene& s) {
         s.repo.write(kCases, scale_cases(1));
         sign_cases(s.repo, "kernels/scale");
       },
       std::string(kCases) + ": is revision 1, the ledger has accepted this kernel by revision 2" + raise},
      {"an older, looser revision comes back with its own good signature, where there is no ledger",
       [](Scene& s) {
         s.git({"push", "-q", "origin", ":refs/heads/kgate/ledger"});
         s.repo.write(kCases, scale_cases(1));
         sign_cases(s.repo, "kernels/scale");
       },
       std::string(kCases) + ": is revision 1, the base {main} (origin/main) has revision 2" + raise},
      {"other cases are signed with the revision that the base has",
       [](Scene& s) {
         s.repo.replace(kCases, "rtol = 1e-3", "rtol = 1e-1");
         sign_cases(s.repo, "kernels/scale");
       },
       std::string(kCases) + ": differs from the base {main} (origin/main), which has revision 2 too" + raise},
      {"another reference is signed with the revision that the base has",
       [](Scene& s) {
         s.repo.replace("kernels/scale/reference.cu", "double(DIVISOR)", "4.0");
         sign_cases(s.repo, "kernels/scale");
       },
       std::string(kCases) + ": differs from the base {main} (origin/main), which has revision 2 too" + raise},
      {"cases are signed with a revision that the ledger has left behind",
       [](Scene& s) {
         s.ledger([&](const Folder& ledger) {
           auto record = s.record(ledger, "records/scale/000005.json");
           record.cases_revision = 7;
           s.put(ledger, record);
         });
         s.repo.write(kCases, scale_cases(3));
         sign_cases(s.repo, "kernels/scale");
       },
       std::string(kCases) +
           ": is revision 3, the ledger has accepted this kernel by revision 7; set revision = 8 and sign again: "
           "kgate sign scale"},
      {"the signature of another kernel's cases is put beside them",
       [](Scene& s) { s.repo.copy("kernels/wide/cases.toml.dsse", kEnvelope); },
       std::string(kCases) + ": is not the file that " + kEnvelope +
           " signs; restore it, or have the change reviewed and signed: kgate sign scale"},
      {"the signature of an earlier set of cases is put beside them",
       [](Scene& s) {
         const std::string now = s.repo.read(kCases);
         s.repo.write(kCases, scale_cases(1));
         sign_cases(s.repo, "kernels/scale");
         s.repo.write(kCases, now);
       },
       not_the_file(kCases)},
      {"a good signature says another kernel's name",
       [](Scene& s) { sign_changed(s.repo, "kernels/scale", [](auto& cases) { cases.kernel = "wide"; }); },
       std::string(kEnvelope) +
           ": is signed for the kernel \"wide\", the cases are of \"scale\"; sign these cases: kgate sign scale"},
      {"a good signature says another revision",
       [](Scene& s) { sign_changed(s.repo, "kernels/scale", [](auto& cases) { cases.revision = 9; }); },
       std::string(kEnvelope) +
           ": is signed for revision 9, the cases are revision 2; sign these cases: kgate sign scale"},
      {"a good signature covers the files, and not cases.toml",
       [](Scene& s) { sign_changed(s.repo, "kernels/scale", [](auto& cases) { cases.files.erase("cases.toml"); }); },
       std::string(kEnvelope) + ": does not sign cases.toml" + kRestored},
      {"a good signature covers cases.toml, and not its reference",
       [](Scene& s) { sign_changed(s.repo, "kernels/scale", [](auto& cases) { cases.files.erase("reference.cu"); }); },
       std::string("kernels/scale/reference.cu: is named by ") + kCases + " but not signed in " + kEnvelope +
           "; remove it, or sign the cases with it: kgate sign scale"},
      {"a signature names a file outside the repository",
       [](Scene& s) {
         sign_changed(s.repo, "kernels/scale",
                      [](auto& cases) { cases.files["../../../../etc/passwd"] = std::string(64, '0'); });
       },
       "../../../../etc/passwd: leaves the repository; keep what a kernel needs inside it"},
      {"a new kernel comes with cases that nobody signed",
       [](Scene& s) {
         s.repo.copy("kernels/scale", "kernels/fresh");
         s.repo.replace("kernels/fresh/cases.toml", "kernel = \"scale\"", "kernel = \"fresh\"");
         s.repo.remove("kernels/fresh/cases.toml.dsse");
       },
       "kernels/fresh/cases.toml: is not signed; have it signed by a key with the role cases: kgate sign fresh",
       {.command = "run fresh"}},
      {"the reference is edited on a branch from before the cases' newest revision",
       [](Scene& s) {
         s.main_moves([](const Folder& main) {
           main.write(kCases, scale_cases(3));
           sign_cases(main, "kernels/scale");
         });
         s.repo.replace("kernels/scale/reference.cu", "double(DIVISOR)", "4.0");
       },
       not_the_file("kernels/scale/reference.cu"),
       {.place = Place::github_pull_request}},
      {"the stored input is swapped while kgate compiles, after its check",
       [](Scene& s) { s.repo.write("kernels/scale/scale.cu", std::string(kScale) + "// changed\n"); },
       "",
       {.code = kPass, .meanwhile = [](Scene& s) { s.repo.write("kernels/scale/x.npy", "no array any more"); }}},
      {"the reference is swapped while kgate compiles, after its check",
       [](Scene& s) { s.repo.write("kernels/scale/scale.cu", std::string(kScale) + "// changed\n"); },
       "",
       {.code = kPass, .meanwhile = [](Scene& s) { s.repo.write("kernels/scale/reference.cu", "#error swapped\n"); }}},
  };
}
