#include "tests/adversarial/cheat.h"

// Words that are commands to a CI system, to a terminal or to a browser. After each run the harness looks through all
// that kgate printed and wrote for them.

namespace {

constexpr const char* kNeutral = "reports make commands and control characters visible, and obey none";

}  // namespace

std::vector<Cheat> cheats_on_reports() {
  return {
      {.name = "shouts_in_an_error",
       .tries = "fails to compile with `::error::`, terminal escapes and `<script>` in the message",
       .expected = wrong(),
       .words = "pwned",
       .caught_by = kNeutral,
       .task = &untimed_blend(),
       .source = "#error pwned\n"
                 "::error file=pwned::pwned\n"
                 "#error \x1b[2J\x1b[1;1H\x1b[32mverdict: pass\x1b[0m \r<script>alert(1)</script>\n"
                 "##[error]pwned \xe2\x80\xae pwned\n",
       .compiles = false},
      {.name = "has_a_shouting_file",
       .tries = "has all that in the name of a file that does not compile",
       .expected = wrong(),
       .words = "pwned",
       .caught_by = kNeutral,
       .task = &untimed_blend(),
       .source = "pwned!\n",
       .file = "::error ::pwned <script>alert(1)<&script> ##[error].cu",
       .compiles = false},
      {.name = "has_a_shouting_entry",
       .tries = "names an entry that holds commands and does not exist",
       .expected = wrong(),
       .caught_by = kNeutral,
       .task = &untimed_blend(),
       .source = "__global__ void other(float* y, const float* x, int n, int rounds) {}\n",
       .keys = "defines = { blend = \"::error::pwned<script>\" }\n",
       .compiles = false},
      {.name = "prints_commands",
       .tries = "prints commands to its standard output",
       .expected = passes(),
       .caught_by = "a child's output goes nowhere",
       .task = &untimed_blend(),
       .source = R"(#include "blend.cuh"
#ifdef KGATE_HOST
#include <cstdio>
#endif
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  if (i == 0) printf("\n::error::pwned\n\033[2J<script>alert(1)</script>\n##[error]pwned\n");
}
)"},
      {.name = "prints_without_end",
       .tries = "floods the log with a line for each element",
       .expected = {kgate::verdict::Verdict::regressed, kgate::verdict::Verdict::wrong},
       .caught_by = "a child's output goes nowhere; printing counts as time, up to the deadline",
       .source = R"(#include "blend.cuh"
#ifdef KGATE_HOST
#include <cstdio>
#endif
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  for (int line = 0; line < 128; ++line) printf("::error::element %d is pwned\n", i);
}
)"},
  };
}
