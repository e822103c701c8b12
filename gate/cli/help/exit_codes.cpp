#include "gate/cli/help/exit_codes.h"

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::cli {
namespace {

// "usage or configuration: the command ..." -> "usage or configuration".
std::string first_words(const std::string& text) {
  std::string words = text.substr(0, text.find_first_of(":;("));
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

}  // namespace

const std::vector<ExitMeaning>& exit_meanings() {
  static const std::vector<ExitMeaning> meanings{
      {ExitCode::pass, "pass, faster, unchanged, preapproved",
       "right, and proved slower by less than the policy's `block`, or accepted beforehand; also every other verdict "
       "that "
       "the profile does not block on",
       "nothing; the report says what was found and did not block"},
      {ExitCode::regressed, "regressed", "slower than the policy allows, or over a limit on resources or numerics",
       "make it as fast as before; if the cost is meant, an approver accepts it: `kgate accept KERNEL --slower "
       "REASON`"},
      {ExitCode::wrong, "wrong, suspect",
       "wrong output, wrote out of bounds, changed its inputs, crashed, hung or does not compile; or faster than can "
       "be: "
       "caught cheating. Always blocks",
       "the report names case, place and values; `kgate check KERNEL --seed SEED` repeats it, without a GPU too"},
      {ExitCode::inconclusive, "inconclusive", "this machine could not measure finely enough within the budget",
       "run again on a quieter machine, or with a larger `[budget]`; `kgate doctor --noise` says what a runner can "
       "see"},
      {ExitCode::untrusted, "untrusted",
       "a signature, a key, the policy or a record of the ledger does not hold. Always blocks",
       "the reason names file and signer; `kgate verify` checks all of them"},
      {ExitCode::environment, "environment",
       "no GPU, a busy or lost GPU, a forbidden driver or state, a sandbox weaker than required", "`kgate doctor`"},
      {ExitCode::missing, "missing, new",
       "nothing selected, or a kernel or a case vanished; or a kernel that neither the base nor the ledger knows, "
       "where "
       "the policy says `[baseline] new = \"block\"`",
       "bring it back, or retire it (`kgate accept KERNEL --retire`); accept a new one (`kgate accept KERNEL`)"},
      {ExitCode::usage, "", "usage or configuration: the command, or a file that it reads, cannot be understood",
       "the message names file and line, and the nearest word that is known"},
      {ExitCode::internal, "", "a defect of kgate's own", "report it, with the message"},
      {ExitCode::interrupted, "", "interrupted (Ctrl-C, SIGINT); what was known until then is in result.json",
       "run again"},
      {ExitCode::terminated, "", "ended by SIGTERM (as a CI job that is cancelled); as 130", "run again"},
  };
  return meanings;
}

std::string exit_codes_text() {
  std::vector<std::string> codes;
  for (const auto& one : exit_meanings()) {
    const bool has_verdict = *one.verdicts != '\0';
    codes.push_back(
        fmt::format("{} {}", static_cast<int>(one.code), has_verdict ? one.verdicts : first_words(one.meaning)));
  }
  return report::wrap(fmt::format("Exit codes: {}. A verdict that the profile does not block on gives 0; kgate help "
                                  "exit-codes says more.",
                                  fmt::join(codes, "; ")),
                      100, 0);
}

std::string exit_codes_page() {
  std::string text =
      "# Exit codes\n\n"
      "Made from `gate/cli/help/exit_codes.cpp` by `kgate help exit-codes`; a test holds the two together.\n\n"
      "The verdict says what was found; the exit code is that of the worst verdict that the profile (`[profile.NAME] "
      "block_on` in "
      "[the policy](policy.md)) blocks on, else 0.\n\n"
      "| code | verdict | meaning | what to do |\n|---|---|---|---|\n";
  for (const auto& one : exit_meanings())
    text +=
        fmt::format("| {} | {} | {} | {} |\n", static_cast<int>(one.code), one.verdicts, one.meaning, one.what_to_do);
  text +=
      "\nSeveral kernels: the run's verdict is the worst of theirs, in the order untrusted, wrong, suspect, regressed, "
      "missing, environment, "
      "inconclusive, new, pass. A script that is to tell a slow kernel from a lost GPU asks for 1 and 5; whatever it "
      "does not know is to "
      "stop it: a code that is not 0 is never a pass.\n";
  return text;
}

}  // namespace kgate::cli
