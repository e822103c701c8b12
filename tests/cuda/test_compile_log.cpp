#include "runner/cuda/compile_log.h"
#include "tests/support/catch.h"

using namespace kgate::runner::cuda;

TEST_CASE("what NVRTC says about name expressions becomes one line an entry, spelled as in kernel.toml") {
  // As NVRTC 13.0 wrote it.
  const std::string log =
      "k/s.cu(4): warning #177-D: variable \"u\" was declared but never referenced\n"
      "  __global__ void plain(float* y) { int u; }\n"
      "                                        ^\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
      "__nv_name_map(2): error: identifier \"nothere\" is undefined\n"
      "  #pragma nv_mangled_name nothere<4>\n"
      "                          ^\n\n"
      "__nv_name_map(2): error: expected an expression\n"
      "  #pragma nv_mangled_name nothere<4>\n"
      "                                    ^\n\n"
      "__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name expression was: "
      "\" nothere < 4 >\"\n"
      "  #pragma nv_mangled_name nothere<4>\n"
      "                          ^\n\n"
      "__nv_name_map(3): error: Name expression cannot form address of a non-__global__ function. Input name "
      "expression was: \" helper\"\n"
      "  #pragma nv_mangled_name helper\n"
      "                          ^\n\n"
      "4 errors detected in the compilation of \"kgate.cu\".\n";
  const CleanLog clean = clean_log(log, "/tmp/stage", {"helper", "nothere<4>"});
  CHECK(clean.text ==
        "entry \"nothere<4>\": identifier \"nothere\" is undefined\n"
        "entry \"helper\": Name expression cannot form address of a non-__global__ function\n\n"
        "k/s.cu(4): warning #177-D: variable \"u\" was declared but never referenced\n"
        "  __global__ void plain(float* y) { int u; }\n"
        "                                        ^\n");
  CHECK(clean.warnings == 1);
}

TEST_CASE("the folder of the stage is not in the log") {
  const CleanLog clean = clean_log(
      "/tmp/stage/k.cu(1): error: no\n\n1 error detected in the compilation of \"kgate.cu\".\n", "/tmp/stage", {});
  CHECK(clean.text == "k.cu(1): error: no\n");
}

TEST_CASE("a header that cannot be found comes with the rule about what can be included") {
  const CleanLog clean = clean_log(
      "k.cu(1): catastrophic error: cannot open source file \"x.cuh\"\n\nCompilation terminated.\n", "/s", {});
  CHECK(clean.text ==
        "k.cu(1): catastrophic error: cannot open source file \"x.cuh\"\n"
        "note: only the files that sources and headers of kernel.toml name, and the toolkit's own, can be included\n");
}

TEST_CASE("a log without end is cut at 64 KiB, and says so") {
  const CleanLog clean = clean_log(std::string(1 << 20, 'x'), "/s", {});
  CHECK(clean.text.size() == 65536);
  CHECK(clean.text.substr(clean.text.size() - 39) == "\n... (the rest of the log is left out)\n");
}

TEST_CASE("an empty log stays empty") {
  CHECK(clean_log("", "/s", {"a"}).text.empty());
  CHECK(clean_log("\n\n", "/s", {"a"}).text.empty());
}
