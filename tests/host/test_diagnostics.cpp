#include "runner/host/diagnostics.h"
#include "runner/host/module.h"
#include "runner/host/unit.h"
#include "tests/host/host_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::runner::host;

TEST_CASE("kgate's own unit disappears from the chain of includes") {
  CHECK(user_log("In file included from kgate_unit.cpp:2:\nk.cu:1:1: error: x\n") == "k.cu:1:1: error: x\n");
  CHECK(user_log("In file included from a/../b.cuh:1,\n                 from k/../k.cu:2,\n                 from "
                 "kgate_unit.cpp:2:\nb.cuh:9:1: error: x\n") ==
        "In file included from b.cuh:1,\n                 from k.cu:2:\nb.cuh:9:1: error: x\n");
}

TEST_CASE("A log is cut where it grows too long, and says so") {
  std::string output;
  for (int i = 0; i < 10000; ++i) output += "k.cu:1:1: note: the same thing again\n";
  const std::string log = user_log(output);
  CHECK(log.size() <= 64 << 10);
  CHECK(log.substr(log.size() - 36) == "\n[the compiler said more; cut here]\n");
}

TEST_CASE("Clang's words are understood like GCC's") {
  const CompileJob job = compile_job("", {"k"});
  CHECK(unsupported_feature(job, "k.cu:1:10: fatal error: 'cuda_fp16.h' file not found\n") ==
        "k.cu:1: half types (cuda_fp16.h) are beyond the host backend; run this kernel on a GPU");
  CHECK(unsupported_feature(job, "k.cu:3:2: error: use of undeclared identifier '__ballot_sync'\n") ==
        "k.cu:3: warp votes (__ballot_sync) are beyond the host backend; run this kernel on a GPU");
  CHECK(entry_error(job, "kgate-entry-0:1:33: error: use of undeclared identifier 'k'\n") ==
        "entry \"k\": the sources do not define it");
}

TEST_CASE("A misspelt intrinsic and a name of the user's own are failures, not limits") {
  const CompileJob job = compile_job("", {"k"});
  CHECK_FALSE(unsupported_feature(
      job, "k.cu:3:2: error: '__synchthreads' was not declared in this scope; did you mean '__syncthreads'?\n"));
  CHECK_FALSE(unsupported_feature(job, "k.cu:3:2: error: 'mine' was not declared in this scope\n"));
  CHECK_FALSE(unsupported_feature(job, "k.cu:3:2: error: cannot convert '__half' to 'int'\n"));
  CHECK_FALSE(unsupported_feature(job, "nothing that looks like an error"));
}

TEST_CASE("A compiler without its library is the machine's fault") {
  CHECK(broken_compiler(".kgate-host/kgate_host.cuh:20:10: fatal error: math.h: No such file or directory\n") ==
        "math.h");
  CHECK_FALSE(broken_compiler("k.cu:20:10: fatal error: math.h: No such file or directory\n"));
}

TEST_CASE("Reading the sections of something that is no ELF object gives nothing") {
  CHECK(zeroed_thread_bytes({}) == 0);
  CHECK(zeroed_thread_bytes(
            view_of("not an object at all, but long enough to hold the header of one, if it were one")) == 0);
}

TEST_CASE("The command line asks for the same bytes everywhere") {
  CompileJob job = compile_job("", {"k"});
  job.toolkit.host_compiler = "/usr/bin/c++";
  job.include_dirs = {"common", ""};
  job.defines = {{"N", "4"}};
  const std::vector<std::string> command = command_line(job).command;
  CHECK(command.front() == "/usr/bin/c++");
  for (const char* part :
       {"-std=c++17", "-ffp-contract=off", "-Wl,--strip-debug", "-Wl,--build-id=none", "-Icommon", "-I.", "-DN=4"}) {
    CHECK(std::count(command.begin(), command.end(), part) == 1);
  }
  CHECK(unit_text(job) ==
        "#include \".kgate-host/kgate_host.cuh\"\n#include \"kernels/k.cu\"\n#line 1 "
        "\"kgate-entry-0\"\nKGATE_HOST_ENTRY(kgate_entry_0, k)\n");
}
