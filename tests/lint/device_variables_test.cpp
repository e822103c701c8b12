#include "gate/lint/device_variables.h"

#include <algorithm>

#include "fingerprint/toolkit.h"
#include "gate/lint/elf_symbols.h"
#include "runner/host/compile.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#ifdef KGATE_HAVE_CUDA
#include "runner/cuda/compile.h"
#endif

using namespace kgate;
using Lines = std::vector<std::string>;

namespace {

constexpr const char* kSource = R"(
__device__ int counter;
__device__ float table[8] = {1, 2};
static __device__ unsigned hidden;
namespace { __device__ long long unnamed; }
template <int N> __device__ int held;
__constant__ int allowed[4];
__global__ void k(int* p) {
  __shared__ int tile[32];
  static int inner;
  tile[threadIdx.x] = allowed[p[0] & 3];
  __syncthreads();
  p[0] = tile[p[1] & 31] + counter++ + hidden++ + unnamed++ + inner++ + held<3>++;
  table[p[1] & 7] += 1;
}
)";
// The same work, remembering nothing.
constexpr const char* kHonest = R"(
__constant__ int allowed[4];
__global__ void k(int* p) {
  __shared__ int tile[32];
  tile[threadIdx.x] = allowed[p[0] & 3];
  __syncthreads();
  p[0] = tile[p[1] & 31];
}
)";

runner::CompileJob job_of(const fingerprint::Toolkit& toolkit, const std::string& source) {
  runner::CompileJob job;
  job.files = {{"kernels/k.cu", bytes_of(source)}};
  job.sources = {"kernels/k.cu"};
  job.entries = {"k"};
  job.toolkit = {toolkit.nvrtc, toolkit.include_dirs, toolkit.host_compiler};
  return job;
}

Lines told(const lint::Findings& findings) {
  Lines lines;
  for (const auto& one : findings) lines.push_back(one.where + ": " + one.what);
  std::sort(lines.begin(), lines.end());
  return lines;
}

runner::Compiled on_host(const std::string& source) {
  runner::CompileJob job = job_of(fingerprint::find_toolkit({}), source);
  job.backend = "host";
  auto compiled = runner::host::compile(job);
  INFO(compiled.log);
  REQUIRE(compiled.status == runner::Compiled::Status::ok);
  return compiled;
}

}  // namespace

TEST_CASE("the host backend's object shows a kernel's variables, by name, file-local ones too") {
  if (fingerprint::find_toolkit({}).host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Lines lines = told(lint::device_variables(on_host(kSource).code));
  // On the CPU __constant__ is memory like other memory.
  CHECK(lines == Lines{".bss: (anonymous namespace)::unnamed, 8 bytes", ".bss: allowed, 16 bytes",
                       ".bss: counter, 4 bytes", ".bss: held<3>, 4 bytes", ".bss: hidden, 4 bytes",
                       ".bss: k(int*)::inner, 4 bytes", ".data: table, 32 bytes"});
}

TEST_CASE("the host backend's own variables and the C runtime's are nobody's") {
  if (fingerprint::find_toolkit({}).host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  CHECK(told(lint::device_variables(on_host("__global__ void k(int* p) { p[threadIdx.x] = 1; }").code)) == Lines{});
}

#ifdef KGATE_HAVE_CUDA
TEST_CASE("a cubin shows a kernel's variables, and neither constants nor shared memory") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.nvrtc.empty()) KGATE_SKIP("no NVRTC was found on this machine");
  runner::CompileJob job = job_of(toolkit, kSource);
  job.backend = "cuda";
  job.architecture = "sm_90";
  const auto compiled = runner::cuda::compile(job);
  INFO(compiled.log);
  REQUIRE(compiled.status == runner::Compiled::Status::ok);
  CHECK(told(lint::device_variables(compiled.code)) ==
        Lines{".nv.global.init: table, 32 bytes", ".nv.global: (anonymous namespace)::unnamed, 8 bytes",
              ".nv.global: counter, 4 bytes", ".nv.global: held<3>, 4 bytes", ".nv.global: hidden, 4 bytes",
              ".nv.global: k(int*)::inner, 4 bytes"});
  job.files["kernels/k.cu"] = bytes_of(kHonest);
  CHECK(told(lint::device_variables(runner::cuda::compile(job).code)) == Lines{});
}
#endif

TEST_CASE("PTX is looked through as well") {
  CHECK(told(lint::device_variables(bytes_of(".version 8.0\n.target sm_90\n.global .align 4 .u32 _ZL6hidden;\n"))) ==
        Lines{"PTX, line 3: hidden"});
}

TEST_CASE("code that cannot be looked through is a finding, not a pass") {
  const auto of = [](const std::string& code) { return told(lint::device_variables(bytes_of(code))); };
  CHECK(of("") == Lines{"machine code: it cannot be looked through for variables: it is neither ELF nor PTX"});
  CHECK(of("\x50\xed\x55\xba fatbin").size() == 1);
  CHECK(of("\x7f"
           "ELF") == Lines{"machine code: it cannot be looked through for variables: its ELF headers do not hold"});
}

TEST_CASE("damaged ELF files are read without harm") {
  if (fingerprint::find_toolkit({}).host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bytes whole = on_host(kSource).code;
  for (std::size_t length = 4; length < whole.size(); length += whole.size() / 97) {
    lint::read_elf_symbols(ByteView(whole).first(length));
  }
  // Every byte of the headers and of the section table, which is at the end, once with other content.
  for (std::size_t i = 4; i < whole.size(); i += i < 64 || i + 2400 > whole.size() ? 1 : whole.size() / 53) {
    Bytes damaged = whole;
    damaged[i] ^= std::byte{0xff};
    const auto found = lint::read_elf_symbols(damaged);
    CHECK(found.objects.size() < 1000);
  }
}

TEST_CASE("names are shown as people write them") {
  CHECK(lint::readable_name("counter") == "counter");
  CHECK(lint::readable_name("i") == "i");
  CHECK(lint::readable_name("_ZN12_GLOBAL__N_17counterE") == "(anonymous namespace)::counter");
  CHECK(lint::readable_name("_ZN35_INTERNAL_00000000_8_kgate_cu_table37_GLOBAL__N__00000000_8_kgate_cu_table4anonE") ==
        "(anonymous namespace)::anon");
  CHECK(lint::readable_name("_Znonsense") == "_Znonsense");
}
