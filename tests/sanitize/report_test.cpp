// Reports in the forms that NVIDIA's manual shows, and that users of CUDA 11 to 13 quote.
#include "gate/sanitize/report.h"

#include "tests/support/catch.h"

using namespace kgate::sanitize;

namespace {

const std::vector<std::string> kFiles{"kernels/k/k.cu", "kernels/k/tile.cuh"};

Report read(const std::string& text, const std::string& tool = "memcheck") {
  return read_report(text, tool, kFiles);
}

std::string place(const Finding& finding) {
  return finding.file + ":" + std::to_string(finding.line);
}

}  // namespace

TEST_CASE("an access out of bounds is told with its place, its thread and its distance") {
  const auto report = read(R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at scale(float *, const float *, int)+0x70 in /anywhere/kernels/k/k.cu:6
=========     by thread (255,0,0) in block (3,0,0)
=========     Access at 0x74b834000ffc is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x74b834000000 of size 4,092 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main [0x8ae3] in kgate-runner
=========
========= ERROR SUMMARY: 1 error
)");
  CHECK(report.trouble.empty());
  REQUIRE(report.findings.size() == 1);
  const Finding& one = report.findings[0];
  CHECK(one.tool == "memcheck");
  CHECK(one.kind == "invalid_read");
  CHECK(one.severity == "error");
  CHECK(place(one) == "kernels/k/k.cu:6");
  CHECK(one.count == 1);
  CHECK(one.what ==
        "Invalid __global__ read of size 4 bytes, at scale(float *, const float *, int)+0x70 in "
        "/anywhere/kernels/k/k.cu:6, by thread (255,0,0) in block (3,0,0), Access at 0x74b834000ffc is out of bounds "
        "and is 1 bytes after the nearest allocation at 0x74b834000000 of size 4,092 bytes");
}

TEST_CASE("many threads at one place are one finding, and several places several") {
  std::string text = "========= COMPUTE-SANITIZER\n";
  for (int thread = 0; thread < 5; ++thread) {
    text += "========= Invalid __global__ write of size 4 bytes\n=========     at f(int *)+0x70 in k.cu:" +
            std::to_string(thread < 3 ? 10 : 11) + "\n=========     by thread (" + std::to_string(thread) +
            ",0,0) in block (0,0,0)\n========= \n";
  }
  const auto report = read(text + "========= ERROR SUMMARY: 5 errors\n");
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].kind == "invalid_write");
  CHECK(report.findings[0].count == 3);
  CHECK(place(report.findings[1]) == "kernels/k/k.cu:11");
  CHECK(report.findings[1].count == 2);
}

TEST_CASE("of a stack the innermost place in the kernel's own files counts") {
  const auto report = read(R"(========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at __syncthreads()+0x30 in /usr/local/cuda/include/device.hpp:110
=========     by thread (32,0,0) in block (0,0,0)
=========         Device Frame: load(int *)+0xf0 in kernels/k/tile.cuh:48
=========         Device Frame: f(int *)+0xe40 in kernels/k/k.cu:60
=========
========= ERROR SUMMARY: 32 errors
)",
                           "synccheck");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == "barrier_error");
  CHECK(place(report.findings[0]) == "kernels/k/tile.cuh:48");
  CHECK(report.findings[0].what ==
        "Barrier error detected. Divergent thread(s) in block., at __syncthreads()+0x30 in "
        "/usr/local/cuda/include/device.hpp:110, by thread (32,0,0) in block (0,0,0)");
}

TEST_CASE("a race is told with both accesses, in the form of every version") {
  const auto newer = read(R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sum(int *, int *)+0x90 in kernels/k/k.cu:41
=========     and Read access at sum(int *, int *)+0x100 in kernels/k/k.cu:51 [508 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)",
                          "racecheck");
  REQUIRE(newer.findings.size() == 1);
  CHECK(newer.findings[0].kind == "race");
  CHECK(newer.findings[0].severity == "error");
  CHECK(place(newer.findings[0]) == "kernels/k/k.cu:41");
  CHECK(newer.findings[0].what ==
        "Race reported between Write access at sum(int *, int *)+0x90 in kernels/k/k.cu:41 and Read access at sum(int "
        "*, int *)+0x100 in kernels/k/k.cu:51 [508 hazards]");
  const auto older = read(R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at 0x278 in /home/me/kernels/k/k.cu:113:f(Matrix, Matrix)
=========     and Read access at 0x298 in /home/me/kernels/k/k.cu:121:f(Matrix, Matrix) [6144 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)",
                          "racecheck");
  REQUIRE(older.findings.size() == 1);
  CHECK(place(older.findings[0]) == "kernels/k/k.cu:113");
}

TEST_CASE("a race within a warp that may be meant is a warning") {
  const auto report = read(R"(========= COMPUTE-SANITIZER
========= Warning: Race reported between Read access at f(int *)+0x20 in k.cu:7
=========     and Write access at f(int *)+0x40 in k.cu:9 [4 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)
)",
                           "racecheck");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].severity == "warning");
  CHECK(report.findings[0].kind == "race");
}

TEST_CASE("uninitialized memory and the heap of the device have kinds of their own") {
  const auto uninitialized = read(R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at add(int *)+0x70 in kernels/k/k.cu:41
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
=========
========= ERROR SUMMARY: 1 error
)",
                                  "initcheck");
  REQUIRE(uninitialized.findings.size() == 1);
  CHECK(uninitialized.findings[0].kind == "uninitialized_read");
  const auto heap = read(R"(========= COMPUTE-SANITIZER
========= Malloc/Free error encountered : Double free
=========     at 0x79d8
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x400aff920
========= ERROR SUMMARY: 1 error
)");
  REQUIRE(heap.findings.size() == 1);
  CHECK(heap.findings[0].kind == "allocation_error");
  CHECK(heap.findings[0].file.empty());
}

TEST_CASE("a report without its indentation reads the same") {
  const auto report = read(R"(========= COMPUTE-SANITIZER
========= Invalid __shared__ atomic of size 4 bytes
========= at f(int *)+0x50 in k.cu:3
========= by thread (0,0,0) in block (0,0,0)
========= Address 0x400 is out of bounds
========= ERROR SUMMARY: 1 error
)");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == "invalid_atomic");
  CHECK(place(report.findings[0]) == "kernels/k/k.cu:3");
}

TEST_CASE("silence is proof only where the tool has summed up") {
  CHECK(read("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n").trouble.empty());
  CHECK(read("========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n")
            .trouble.empty());
  CHECK(read("").trouble == "memcheck ended without a summary");
  CHECK(read("========= COMPUTE-SANITIZER\n").trouble == "memcheck ended without a summary");
  const auto lost = read(R"(========= COMPUTE-SANITIZER
========= Error: No attachable process found. compute-sanitizer timed-out.
========= Default timeout can be adjusted with --launch-timeout. Awaiting target completion.
)");
  CHECK(lost.findings.empty());
  CHECK(lost.trouble == "Error: No attachable process found. compute-sanitizer timed-out.");
  const auto ended = read(R"(========= COMPUTE-SANITIZER
========= Error: Target application terminated before first instrumented API call
========= ERROR SUMMARY: 0 errors
)");
  CHECK(ended.trouble == "Error: Target application terminated before first instrumented API call");
}

TEST_CASE("calls of the driver that failed are no findings, and errors of an unknown form are") {
  CHECK(
      read("========= Program hit CUDA_ERROR_NOT_FOUND (error 500) due to \"named symbol not found\" on CUDA API call "
           "to cuGetProcAddress_v2.\n=========     Saved host backtrace up to driver entry point at error\n"
           "========= \n========= ERROR SUMMARY: 0 errors\n")
          .findings.empty());
  const auto placed = read(
      "========= Stack overflow of a new kind\n=========     at f(int *)+0x10 in k.cu:4\n"
      "========= ERROR SUMMARY: 1 error\n");
  REQUIRE(placed.findings.size() == 1);
  CHECK(placed.findings[0].kind == "other");
  CHECK(placed.findings[0].severity == "error");
  const auto unknown = read("========= Something new\n========= ERROR SUMMARY: 3 errors\n");
  REQUIRE(unknown.findings.size() == 1);
  CHECK(unknown.findings[0].what == "3 errors in a form that kgate does not know: Something new");
}

TEST_CASE("warnings alone are no proof: the summary must be there, and what it counts must be told") {
  const std::string warning =
      "========= Warning: Race reported between Read access at f(int *)+0x20 in k.cu:7\n"
      "=========     and Write access at f(int *)+0x40 in k.cu:9 [4 hazards]\n=========\n";
  const auto cut = read(warning, "racecheck");
  CHECK(cut.findings.size() == 1);
  CHECK(cut.trouble == "racecheck ended without a summary");
  const auto more =
      read(warning + "========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)\n", "racecheck");
  REQUIRE(more.findings.size() == 2);
  CHECK(more.findings[1].severity == "error");
}

TEST_CASE("any text is read without harm") {
  for (const char* text : {"=========", "========= ", "=========\n=========", "========= Invalid ", "no report\n",
                           "========= ERROR SUMMARY:", "========= RACECHECK SUMMARY: (", "=========     at  in :1"}) {
    INFO(text);
    CHECK_NOTHROW(read(text));
  }
}
