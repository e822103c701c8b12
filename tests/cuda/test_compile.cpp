#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "fingerprint/toolkit.h"
#include "runner/cuda/compile.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

// Every NVRTC that this machine has for tests: the one that kgate would take, and the one that the build was told of.
std::vector<ToolkitPaths> toolkits() {
  std::vector<ToolkitPaths> found;
  const auto own = fingerprint::find_toolkit({});
  if (!own.nvrtc.empty()) found.push_back({own.nvrtc, own.include_dirs, ""});
  const std::filesystem::path extra = KGATE_TEST_NVRTC;
  if (!extra.empty()) {
    const auto other = fingerprint::find_toolkit({"", "", extra.parent_path().string()});
    found.push_back({other.nvrtc, other.include_dirs, ""});
  }
  return found;
}

#define KGATE_NEEDS_NVRTC(name) \
  const auto name = toolkits(); \
  if (name.empty()) KGATE_SKIP("no NVRTC was found on this machine")

CompileJob job_for(const ToolkitPaths& toolkit, const std::string& text, std::vector<std::string> entries) {
  CompileJob job;
  job.backend = "cuda";
  job.files = {{"kernels/k.cu", bytes_of(text)}};
  job.sources = {"kernels/k.cu"};
  job.entries = std::move(entries);
  job.architecture = "sm_80";
  job.toolkit = toolkit;
  return job;
}

bool contains(const Bytes& code, const std::string& text) {
  return text_of(code).find(text) != std::string_view::npos;
}

}  // namespace

TEST_CASE("plain, extern \"C\", templated and namespaced entries compile to a cubin with their symbols") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    INFO(toolkit.nvrtc);
    const auto job = job_for(toolkit,
                             "__global__ void plain(float* y) { y[0] = 1; }\n"
                             "extern \"C\" __global__ void c_name(float* y) { y[0] = 2; }\n"
                             "template <int N> __global__ void sized(float* y) { y[N] = 3; }\n"
                             "namespace n { template <typename T, int N> __global__ void typed(T* y) { y[N] = 4; } }\n",
                             {"plain", "c_name", "sized<4>", "n::typed<float, 2>", "plain"});
    const Compiled compiled = cuda::compile(job);
    INFO(compiled.log);
    REQUIRE(compiled.status == Compiled::Status::ok);
    CHECK(compiled.log.empty());
    CHECK(compiled.warnings == 0);
    CHECK(compiled.symbols == std::map<std::string, std::string>{{"plain", "_Z5plainPf"},
                                                                 {"c_name", "c_name"},
                                                                 {"sized<4>", "_Z5sizedILi4EEvPf"},
                                                                 {"n::typed<float, 2>", "_ZN1n5typedIfLi2EEEvPT_"}});
    CHECK(contains(compiled.code, "ELF"));
    CHECK(contains(compiled.code, ".text._Z5sizedILi4EEvPf"));
  }
}

TEST_CASE(
    "sources in their order, headers by relative paths, include folders, defines and options are what the compiler "
    "sees") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    INFO(toolkit.nvrtc);
    auto job = job_for(toolkit, "", {"last"});
    job.files = {
        {"kernels/a/first.cu",
         bytes_of("#include \"../common/deep.cuh\"\n__device__ int first() { return deep() + FACTOR; }\n")},
        {"kernels/a/last.cu",
         bytes_of("#include <named.cuh>\n__global__ void last(int* y) { y[0] = first() + named(); }\n")},
        {"kernels/common/deep.cuh", bytes_of("#pragma once\n__device__ inline int deep() { return 1; }\n")},
        {"lib/named.cuh",
         bytes_of(
             "#ifndef __USE_FAST_MATH__\n#error no fast math\n#endif\n__device__ inline int named() { return 2; }\n")}};
    job.sources = {"kernels/a/first.cu", "kernels/a/last.cu"};
    job.include_dirs = {"lib"};
    job.defines = {{"FACTOR", "(3 + 4)"}};
    job.options = {"--use_fast_math", "-D__USE_FAST_MATH__"};
    const Compiled compiled = cuda::compile(job);
    INFO(compiled.log);
    CHECK(compiled.status == Compiled::Status::ok);
  }
}

TEST_CASE(
    "equal sources give equal machine code in every folder, with comments changed, and with the file's name in it") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    INFO(toolkit.nvrtc);
    const std::string text =
        "static __device__ int hidden;\n"
        "__device__ const char* where() { return __FILE__; }\n"
        "__global__ void k(const char** y) { hidden += 1; *y = where(); }\n";
    const Compiled first = cuda::compile(job_for(toolkit, text, {"k"}));
    const Compiled second = cuda::compile(job_for(toolkit, text, {"k"}));
    const Compiled commented =
        cuda::compile(job_for(toolkit, "// a comment\n" + text + "// another\n#define UNUSED 1\n", {"k"}));
    INFO(first.log);
    REQUIRE(first.status == Compiled::Status::ok);
    CHECK(first.code == second.code);
    CHECK(first.code == commented.code);
    CHECK(contains(first.code, "kernels/k.cu"));
  }
}

TEST_CASE("a source that does not compile is a finding with the compiler's message, once, at the user's own line") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    INFO(toolkit.nvrtc);
    const Compiled compiled =
        cuda::compile(job_for(toolkit, "// one\n// two\n__global__ void k(float* y) { y[0] = nothing; }\n", {"k"}));
    CHECK(compiled.status == Compiled::Status::failed);
    CHECK(compiled.code.empty());
    const std::string message = "kernels/k.cu(3): error: identifier \"nothing\" is undefined";
    CHECK(compiled.log.substr(0, message.size()) == message);
    CHECK(compiled.log.find(message, 1) == std::string::npos);
    CHECK(compiled.log.find("/kgate-compile") == std::string::npos);
    CHECK(compiled.log.find("kgate.cu") == std::string::npos);
  }
}

TEST_CASE("entries that the sources do not define, or not as kernels, are named") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    INFO(toolkit.nvrtc);
    const std::string text =
        "__global__ void k(float* y) { y[0] = 1; }\n__device__ void helper(float*) {}\n"
        "__global__ void twice(float* y) { y[0] = 1; }\n__global__ void twice(int* y) { y[0] = 1; }\n";
    CHECK(cuda::compile(job_for(toolkit, text, {"k", "sofmax<4>"})).log ==
          "entry \"sofmax<4>\": identifier \"sofmax\" is undefined\n");
    CHECK(cuda::compile(job_for(toolkit, text, {"helper"})).log ==
          "entry \"helper\": Name expression cannot form address of a non-__global__ function\n");
    CHECK(cuda::compile(job_for(toolkit, text, {"twice"})).log ==
          "entry \"twice\": cannot determine which instance of overloaded function \"twice\" is intended\n");
  }
}

TEST_CASE("warnings are counted and kept") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    INFO(toolkit.nvrtc);
    const Compiled compiled =
        cuda::compile(job_for(toolkit, "__global__ void k(float* y) { int a; int b; y[0] = 1; }\n", {"k"}));
    CHECK(compiled.status == Compiled::Status::ok);
    CHECK(compiled.warnings == 2);
    CHECK(compiled.log.substr(0, 31) == "kernels/k.cu(1): warning #177-D");
  }
}

TEST_CASE("an undeclared header cannot be included, also when it lies in the working folder") {
  KGATE_NEEDS_NVRTC(all);
  const auto before = std::filesystem::current_path();
  const TemporaryFolder folder("kgate-test-");
  std::ofstream(folder.path() / "undeclared.cuh") << "#define FOUND 1\n";
  std::filesystem::create_directories(folder.path() / "kernels");
  std::ofstream(folder.path() / "kernels/k.cu") << "#error the working folder's source\n";
  std::filesystem::current_path(folder.path());
  for (const auto& toolkit : all) {
    INFO(toolkit.nvrtc);
    const Compiled compiled =
        cuda::compile(job_for(toolkit, "#include \"undeclared.cuh\"\n__global__ void k() {}\n", {"k"}));
    CHECK(compiled.status == Compiled::Status::failed);
    const std::string message = "kernels/k.cu(1): catastrophic error: cannot open source file \"undeclared.cuh\"";
    CHECK(compiled.log.substr(0, message.size()) == message);
    CHECK(compiled.log.find("note: only the files that sources and headers of kernel.toml name") != std::string::npos);
  }
  std::filesystem::current_path(before);
}

TEST_CASE("an include by an absolute path does not reach the compiler") {
  KGATE_NEEDS_NVRTC(all);
  const Compiled compiled =
      cuda::compile(job_for(all.front(), "#include \"/etc/passwd\"\n__global__ void k() {}\n", {"k"}));
  CHECK(compiled.status == Compiled::Status::failed);
  CHECK(compiled.log ==
        "kernels/k.cu(1): error: includes \"/etc/passwd\" by an absolute path; include declared headers and the "
        "toolkit's own\n");
}

TEST_CASE("an option that NVRTC does not know is a finding") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    auto job = job_for(toolkit, "__global__ void k() {}\n", {"k"});
    job.options = {"--make-it-fast"};
    const Compiled compiled = cuda::compile(job);
    CHECK(compiled.status == Compiled::Status::failed);
    CHECK(compiled.log == "nvrtc: error: unrecognized option --make-it-fast found\n");
  }
}

TEST_CASE("an architecture that this NVRTC does not know, or nobody knows, is an error that says so") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    auto job = job_for(toolkit, "__global__ void k() {}\n", {"k"});
    job.architecture = "sm_999";
    const std::string message = error_of([&] { cuda::compile(job); });
    CHECK(message.substr(0, 19) == "environment: nvrtc ");
    CHECK(message.find("does not compile for sm_999; it knows sm_") != std::string::npos);
    const std::string remedy = "; install a newer CUDA toolkit, or correct arch in kernel.toml";
    CHECK(message.substr(message.size() - remedy.size()) == remedy);
  }
  for (const char* wrong : {"", "sm_", "90", "compute_90", "sm_9x", "sm_99999"}) {
    auto job = job_for(all.front(), "__global__ void k() {}\n", {"k"});
    job.architecture = wrong;
    CHECK(error_of([&] { cuda::compile(job); }) ==
          std::string("usage: architecture \"") + wrong +
              "\": is not one of NVIDIA's real architectures; write it like sm_90 or sm_90a");
  }
}

TEST_CASE("Hopper's own instructions can be asked for") {
  KGATE_NEEDS_NVRTC(all);
  for (const auto& toolkit : all) {
    auto job = job_for(toolkit, "__global__ void k() {}\n", {"k"});
    job.architecture = "sm_90a";
    std::string log;
    const std::string outcome = error_of([&] { log = cuda::compile(job).log; });
    INFO(toolkit.nvrtc << ": " << outcome);
    CHECK(log.empty());
    const bool too_old =
        outcome ==
        "environment: nvrtc 11.8: does not compile for sm_90a; install a newer CUDA toolkit, or correct "
        "arch in kernel.toml";
    CHECK((outcome == "no error" || too_old));
  }
}

TEST_CASE("the toolkit's own headers, with CUB, can be included") {
  KGATE_NEEDS_NVRTC(all);
  bool tried = false;
  for (const auto& toolkit : all) {
    const bool has_cccl =
        std::any_of(toolkit.include_dirs.begin(), toolkit.include_dirs.end(),
                    [](const std::string& folder) { return folder.find("cccl") != std::string::npos; });
    if (!has_cccl) continue;  // before CUDA 13 the toolkit's CUB needs the C++ library's headers
    tried = true;
    auto job = job_for(
        toolkit,
        "#include <cub/block/block_reduce.cuh>\n#include <cuda_fp16.h>\n"
        "__global__ void k(float* y) { using R = cub::BlockReduce<float, 128>; __shared__ typename R::TempStorage t;\n"
        "float s = R(t).Sum(y[threadIdx.x]); if (threadIdx.x == 0) y[0] = s + __half2float(__float2half(s)); }\n",
        {"k"});
    const Compiled compiled = cuda::compile(job);
    INFO(compiled.log);
    CHECK(compiled.status == Compiled::Status::ok);
  }
  if (!tried) KGATE_SKIP("no toolkit with CUB for NVRTC was found on this machine");
}

TEST_CASE("a missing NVRTC, and a file that is none, are environment errors with a remedy") {
  CHECK(error_of([] { cuda::compile(job_for({}, "", {"k"})); }) ==
        "environment: nvrtc: was not found; install the CUDA toolkit's NVRTC, or name its folder with --cuda");
  const std::string absent = error_of([] { cuda::compile(job_for({"/nowhere/libnvrtc.so.13", {}, ""}, "", {"k"})); });
  CHECK(absent.substr(0, 54) == "environment: /nowhere/libnvrtc.so.13: cannot be opened");
  const std::string other = error_of([] { cuda::compile(job_for({"libm.so.6", {}, ""}, "", {"k"})); });
  CHECK(other ==
        "environment: libm.so.6: has no nvrtcVersion: it is no NVRTC, or one older than 11.8; install the CUDA "
        "toolkit's NVRTC, or name "
        "its folder with --cuda");
}
