#include "gate/lint/device_launches.h"

#include "tests/support/catch.h"

using namespace kgate;

namespace {

lint::Findings in(const std::string& text) {
  return lint::device_launches({{"kernels/k/k.cu", bytes_of(text)}});
}

}  // namespace

TEST_CASE("a launch from the device is found with its file, its line and its text") {
  const auto found = in("__global__ void child(int*);\n__global__ void k(int* p) {\n  child<<<1, 32>>>(p);\n}\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "device_launches");
  CHECK(found[0].where == "kernels/k/k.cu:3");
  CHECK(found[0].what == "child<<<1, 32>>>(p);");
  CHECK_FALSE(found[0].in_base);
}

TEST_CASE("calls of CUDA's device runtime are found, in every file") {
  const auto found = lint::device_launches({{"a.cuh", bytes_of("cudaGraphLaunch(g, s);")},
                                            {"b.cu", bytes_of("x = 1;\r\n\tcudaLaunchDevice(f, p, 1, 1, 0, s);\r\n")}});
  REQUIRE(found.size() == 2);
  CHECK(found[0].where == "a.cuh:1");
  CHECK(found[1].where == "b.cu:2");
  CHECK(found[1].what == "cudaLaunchDevice(f, p, 1, 1, 0, s);");
}

TEST_CASE("a line is told once, and a long one is cut") {
  CHECK(in("a<<<1, 1>>>(); b<<<1, 1>>>(); cudaGraphLaunch(g, 0);").size() == 1);
  const auto found = in("f<<<" + std::string(500, '1') + ">>>();");
  REQUIRE(found.size() == 1);
  CHECK(found[0].what.size() == 123);
  CHECK(found[0].what.ends_with("1..."));
}

TEST_CASE("shifts, comments, strings and longer names are no launches") {
  for (const char* text : {"", "int a = b << 2;", "// child<<<1, 1>>>();", "/* child<<<1, 1>>>(); */", "\"<<<\"",
                           "my_cudaGraphLaunch(g);", "cudaGraphLaunchCount = 1;"}) {
    INFO(text);
    CHECK(in(text).empty());
  }
}
