#include "tests/adversarial/cheat.h"

using kgate::verdict::Verdict;

const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> all{
      {"It remembers", "", cheats_that_remember},
      {"It knows when it is timed", "", cheats_by_time},
      {"It writes where it must not", "", cheats_on_memory},
      {"It answers something else", "", cheats_on_the_answer},
      {"It attacks while it is compiled",
       "The secret is a file beside the repository and a variable of the job; the test looks for it in all that kgate "
       "prints and writes.",
       cheats_by_compiling},
      {"It attacks who reads the report",
       "After each run the test looks through what kgate printed for commands to CI systems and control characters.",
       cheats_on_reports},
      {"It attacks the machine",
       "On the host a kernel is native code. Those that are expected to pass answer rightly only where what they tried "
       "was refused.",
       cheats_on_the_machine},
      {"Honest kernels with similar traits", "None of them may be blocked.", honest_kernels}};
  return all;
}

Verdicts wrong() {
  return {Verdict::wrong};
}

Verdicts suspect() {
  return {Verdict::suspect};
}

Verdicts caught() {
  return {Verdict::wrong, Verdict::suspect};
}

Verdicts not_faster() {
  return {Verdict::pass,      Verdict::unchanged, Verdict::inconclusive,
          Verdict::regressed, Verdict::suspect,   Verdict::wrong};
}

Verdicts passes() {
  return {Verdict::pass, Verdict::faster, Verdict::unchanged};
}
