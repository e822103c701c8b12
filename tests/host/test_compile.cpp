#include "runner/host/unit.h"
#include "tests/host/host_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

Compiled compiled(const CompileJob& job) {
  return make_host_backend({"", 1})->compile(job);
}

// "unsupported: ..." and so on: the status and the log.
std::string outcome(const CompileJob& job) {
  const Compiled result = compiled(job);
  switch (result.status) {
    case Compiled::Status::ok:
      return "ok: " + result.log;
    case Compiled::Status::failed:
      return "failed: " + result.log;
    case Compiled::Status::unsupported:
      return "unsupported: " + result.log;
  }
  return "";
}

std::string outcome(const std::string& source) {
  return outcome(compile_job(source, {"k"}));
}

std::string unsupported(const std::string& place, const std::string& what) {
  return "unsupported: kernels/k.cu:" + place + ": " + what + " beyond the host backend; run this kernel on a GPU";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("A header of the toolkit that the host backend lacks is unsupported, with its name and place") {
  CHECK(outcome("#include <cuda_fp16.h>\n__global__ void k() {}") == unsupported("1", "half types (cuda_fp16.h) are"));
  CHECK(outcome("#include <cuda_bf16.h>\n__global__ void k() {}") == unsupported("1", "half types (cuda_bf16.h) are"));
  CHECK(outcome("\n#include <mma.h>\n__global__ void k() {}") == unsupported("2", "tensor cores (mma.h) are"));
  CHECK(outcome("#include <cooperative_groups.h>\n__global__ void k() {}") ==
        unsupported("1", "cooperative groups (cooperative_groups.h) are"));
  CHECK(outcome("#include <cub/cub.cuh>\n__global__ void k() {}") == unsupported("1", "CUB (cub/cub.cuh) is"));
  CHECK(outcome("#include <thrust/sort.h>\n__global__ void k() {}") == unsupported("1", "Thrust (thrust/sort.h) is"));
  CHECK(outcome("#include <cuda/std/array>\n__global__ void k() {}") ==
        unsupported("1", "libcu++ (cuda/std/array) is"));
}

TEST_CASE("An intrinsic that the host backend lacks is unsupported, with its name and place") {
  CHECK(outcome("__global__ void k(int* y) {\n  asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(y[0]));\n}") ==
        unsupported("2", "inline PTX (asm) is"));
  CHECK(outcome("__device__ int lane() { int l; __asm__(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); return l; "
                "}\n__global__ void k(int* y) { *y = lane(); }") == unsupported("1", "inline PTX (asm) is"));
  CHECK(outcome("__global__ void k(int* y) {\n\n  y[0] = __ballot_sync(~0u, y[1]);\n}") ==
        unsupported("3", "warp votes (__ballot_sync) are"));
  CHECK(outcome("__global__ void k(int* y) { y[0] = __syncthreads_count(y[1]); }") ==
        unsupported("1", "warp votes (__syncthreads_count) are"));
  CHECK(outcome("__global__ void k(double* y) { atomicAdd(y, 1.0); }") ==
        unsupported("1", "atomics on other than 32-bit types, and scoped atomics (atomicAdd) are"));
  CHECK(outcome("__global__ void k(unsigned long long* y) { atomicMax(y, 1ull); }") ==
        unsupported("1", "atomics on other than 32-bit types, and scoped atomics (atomicMax) are"));
}

TEST_CASE("A part of CUDA that the host backend lacks is unsupported, with its name and place") {
  CHECK(outcome("__global__ void k(cudaTextureObject_t t, float* y) { y[0] = tex1Dfetch<float>(t, 0); }") ==
        unsupported("1", "textures and surfaces (cudaTextureObject_t) are"));
  CHECK(outcome("__global__ void __cluster_dims__(2, 1, 1) k(int* y) { y[0] = 1; }") ==
        unsupported("1", "thread block clusters (__cluster_dims__) are"));
  CHECK(outcome("__global__ void child() {}\n__global__ void k() {\n  child<<<1, 1>>>();\n}") ==
        unsupported("3", "dynamic parallelism (<<<...>>>) is"));
  CHECK(outcome("__global__ void k(long long* y) { y[0] = clock64(); }") ==
        unsupported("1", "the GPU's clocks (clock64) are"));
  CHECK(outcome("__global__ void k(float* y) { y[0] = __fadd_rz(y[1], y[2]); }") ==
        unsupported("1", "arithmetic with directed rounding (__fadd_rz) is"));
  CHECK(outcome("__global__ void k(int* y) { y[0] = __vaddss4(y[1], y[2]); }") ==
        unsupported("1", "SIMD video instructions (__vaddss4) are"));
  CHECK(outcome("__global__ void k(int* y) { y[0] = __nobody_has_this(y[1]); }") ==
        unsupported("1", "this intrinsic (__nobody_has_this) is"));
  CHECK(outcome("__global__ void k() { extern __shared__ int a[], b[]; }") ==
        "unsupported: kernels/k.cu:1: this form of extern __shared__ declaration is beyond the host backend; declare "
        "one array, as in \"extern "
        "__shared__ float name[];\"");
}

TEST_CASE("What the preprocessor leaves out does not count as unsupported") {
  CHECK(
      outcome(
          "#if __CUDA_ARCH__ >= 800\n#include <cuda_fp16.h>\n#endif\n"
          "__global__ void k(int* y) {\n#if __CUDA_ARCH__ >= 900\n asm(\"nop;\");\n#endif\n y[0] = 1; // asm <<<\n}") ==
      "ok: ");
}

TEST_CASE("A source that does not compile gives the compiler's message once, with the user's own file and line") {
  CompileJob job = compile_job(
      "#include \"../common/helper.cuh\"\n\n__global__ void k(float* y) {\n  y[0] = half_of(1.0f) + wrng;\n}\n", {"k"});
  job.files["common/helper.cuh"] = bytes_of("__device__ float half_of(float x) { return x / 2; }\n");
  const Compiled result = compiled(job);
  CHECK(result.status == Compiled::Status::failed);
  CHECK(result.log ==
        "kernels/k.cu: In function 'void k(float*)':\n"
        "kernels/k.cu:4:26: error: 'wrng' was not declared in this scope\n"
        "    4 |   y[0] = half_of(1.0f) + wrng;\n"
        "      |                          ^~~~\n");
}

TEST_CASE("An error in an included header names the header as the repository does") {
  CompileJob job =
      compile_job("#include \"helper.cuh\"\n__global__ void k(float* y) { y[0] = third_of(1.0f); }\n", {"k"});
  job.files["common/helper.cuh"] = bytes_of("\n__device__ float third_of(float x) { return x / thre; }\n");
  job.include_dirs = {"common"};
  const std::string log = compiled(job).log;
  CHECK(count(log, "common/helper.cuh:2:49: error: 'thre' was not declared in this scope") == 1);
  CHECK(log.rfind("In file included from kernels/k.cu:1:\n", 0) == 0);
  CHECK(count(log, "kgate_unit") == 0);
}

TEST_CASE("A function that is declared and not defined is named without the linker's own noise") {
  CHECK(outcome("__device__ float elsewhere(float);\n__global__ void k(float* y) { y[0] = elsewhere(1); }") ==
        "failed: error: undefined reference to `elsewhere(float)'\n");
}

TEST_CASE("An entry that the sources do not define is named, with the nearest name") {
  CHECK(outcome(compile_job("__global__ void softmax(float* y) {}", {"softmx"})) ==
        "failed: entry \"softmx\": the sources do not define it; did you mean \"softmax\"?");
  CHECK(outcome(compile_job("__global__ void k() {}", {"k", "missing<256>"})) ==
        "failed: entry \"missing<256>\": the sources do not define it");
  CHECK(outcome(compile_job("namespace a { __global__ void k() {} }", {"a::l"}))
            .rfind("failed: entry \"a::l\": the sources do not define it", 0) == 0);
}

TEST_CASE("A missing user header is a failure of the source, not a limit of the backend") {
  CHECK(outcome("#include \"mine.cuh\"\n__global__ void k() {}") ==
        "failed: kernels/k.cu:1:10: fatal error: mine.cuh: No such file or directory\n"
        "    1 | #include \"mine.cuh\"\n"
        "      |          ^~~~~~~~~~\n");
}

TEST_CASE("The date and the time of the compile are refused") {
  const std::string text = outcome("__global__ void k(char* y) { y[0] = __TIME__[0]; }");
  CHECK(text.rfind("failed: kernels/k.cu:1:37: error: macro \"__TIME__\" might prevent reproducible builds", 0) == 0);
}

TEST_CASE("Comments, the names of files and functions that nobody calls do not change the object's bytes; code does") {
  const std::string source =
      "__constant__ float table[2] = {1, 2};\n__global__ void k(float* y) {\n  __shared__ float s[32];\n  "
      "s[threadIdx.x] = table[1];\n"
      "  __syncthreads();\n  y[threadIdx.x] = s[31 - threadIdx.x];\n}\n";
  const Compiled first = compiled(compile_job(source, {"k"}));
  REQUIRE(first.status == Compiled::Status::ok);
  CHECK(compiled(compile_job(source, {"k"})).code == first.code);
  CHECK(
      compiled(compile_job("// a comment\n\n" + source +
                               "/* and one more */\n__device__ float unused(float x) { return x; }\n#define UNUSED 1\n",
                           {"k"}))
          .code == first.code);
  CompileJob renamed = compile_job("", {"k"});
  renamed.files = {{"elsewhere/deeper/other.cu", bytes_of(source)}};
  renamed.sources = {"elsewhere/deeper/other.cu"};
  CHECK(compiled(renamed).code == first.code);
  std::string changed = source;
  changed.replace(changed.find("{1, 2}"), 6, "{1, 3}");
  CHECK(compiled(compile_job(changed, {"k"})).code != first.code);
}

TEST_CASE("Defines, sources in order and the options of NVRTC are understood") {
  CompileJob job = compile_job("__device__ int first() { return ONE; }\n", {"k<THREE>"});
  job.entries = {"k<3>"};
  job.files["kernels/second.cu"] = bytes_of(
      "template <int N> __global__ void k(int* y) { y[0] = first() + TWO + N;\n#ifdef __USE_FAST_MATH__\n y[0] += "
      "1000;\n#endif\n}\n");
  job.sources.emplace_back("kernels/second.cu");
  job.defines = {{"ONE", "1"}};
  job.options = {"-D", "TWO=20",       "--use_fast_math", "-lineinfo", "--maxrregcount",
                 "32", "--fmad=false", "--something=else"};
  const Compiled result = compiled(job);
  CHECK(result.log == "host backend: option \"--something=else\" has no meaning here and is ignored\n");
  REQUIRE(result.status == Compiled::Status::ok);
  Host host(1);
  host.backend->load({0, result.code, result.symbols});
  host.add("y", BufferRole::output, std::vector<int>(1));
  host.allocate();
  REQUIRE(host.run(launch_of("k<3>", {1, 1, 1}, {1, 1, 1}, {buffer(0)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>{1024});
}

TEST_CASE("Warnings are counted and do not stop a kernel") {
  const Compiled result = compiled(compile_job("#warning \"mind the gap\"\n__global__ void k() {}", {"k"}));
  CHECK(result.status == Compiled::Status::ok);
  CHECK(result.warnings == 1);
  CHECK(result.log.rfind("kernels/k.cu:1:2: warning: #warning \"mind the gap\"", 0) == 0);
}

TEST_CASE("Without a C++ compiler there is no host backend to compile with") {
  CompileJob job = compile_job("__global__ void k() {}", {"k"});
  job.toolkit.host_compiler.clear();
  CHECK(error_of([&] { (void)compiled(job); }) ==
        "environment: host backend: no C++ compiler found; install g++ (apt install g++), or set CXX");
}

TEST_CASE("Every standard that kernel.toml may name compiles without warnings") {
  for (const char* standard : {"c++11", "c++14", "c++17", "c++20"}) {
    CompileJob job = compile_job(
        "__global__ void k(volatile float* y, const float4* x) { y[0] += x[threadIdx.x].w * rsqrtf(y[1]); }", {"k"});
    job.standard = standard;
    CHECK(outcome(job) == "ok: ");
  }
}

TEST_CASE("The fast functions, casts and bit intrinsics give CUDA's answers") {
  Host host(1);
  host.load(R"(
    #include <cuda_runtime.h>
    __global__ void k(int* y, float* f) {
      int i = 0;
      y[i++] = __popc(0xf0f0u) + __popcll(1ull << 40);
      y[i++] = __clz(0) * 100 + __clz(1) + __clzll(1ll << 40);
      y[i++] = __ffs(0) * 100 + __ffs(8) + __ffsll(1ll << 40);
      y[i++] = __brev(1u) == 0x80000000u && __brevll(1ull) == 1ull << 63;
      y[i++] = __byte_perm(0x33221100u, 0x77665544u, 0x7610u) == 0x77661100u;
      y[i++] = __umulhi(0x80000000u, 6u) + __mulhi(-1, 1);
      y[i++] = __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f;
      y[i++] = __float2int_rn(2.5f) * 1000 + __float2int_rz(-2.5f) * -100 + __float2int_ru(2.1f) * 10 + __float2int_rd(2.9f);
      y[i++] = __float2int_rz(1e20f) == 2147483647 && __float2int_rz(-1e20f) == -2147483647 - 1 && __float2int_rz(CUDART_NAN_F) == 0;
      y[i++] = __float2uint_rz(-1.0f) == 0u && __float2uint_rz(1e20f) == 4294967295u;
      y[i++] = max(-1, 5u) == 4294967295u && min(3, 4) == 3 && max(2.0f, NAN) == 2.0f && min(1.0f, 0.5) == 0.5;
      y[i++] = __dp4a(0x01020304, 0x01010101, 5);
      y[i++] = __funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(1u, 1u, 1) == 0x80000000u;
      f[0] = __expf(1.0f); f[1] = rsqrtf(4.0f); f[2] = __fdividef(1.0f, 8.0f); f[3] = __saturatef(1.5f) + __saturatef(NAN);
      f[4] = fmaf(2.0f, 3.0f, 4.0f); f[5] = __powf(2.0f, 10.0f); f[6] = exp10f(2.0f); f[7] = sinpif(0.5f);
    })",
            {"k"});
  host.add("y", BufferRole::output, std::vector<int>(13));
  host.add("f", BufferRole::output, std::vector<float>(8));
  host.allocate();
  REQUIRE(host.run(launch_of("k", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>{9, 3254, 45, 1, 1, 2, 1, 2232, 1, 1, 1, 15, 1});
  const std::vector<float> expected{2.7182817f, 0.5f, 0.125f, 1.0f, 10.0f, 1024.0f, 100.0f, 1.0f},
      f = host.read<float>(1);
  for (std::size_t i = 0; i < f.size(); ++i) CHECK(f[i] == Approx(expected[i]).epsilon(1e-6));
}
