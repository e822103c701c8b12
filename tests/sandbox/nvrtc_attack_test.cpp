#include <fmt/format.h>
#include <unistd.h>

#include "fingerprint/toolkit.h"
#include "tests/sandbox/sandbox_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

// The same for NVRTC, which runs in the compiling child itself, and quotes what it could not read as a program.
using namespace kgate;
using namespace kgate::runner;

namespace {

ToolkitPaths toolkit() {
  const auto found = fingerprint::find_toolkit({});
  return {found.nvrtc, found.include_dirs, {}};
}

CompileJob cuda_job(const std::string& source) {
  CompileJob job = job_of(source);
  job.backend = "cuda";
  job.architecture = "sm_80";
  job.toolkit = toolkit();
  return job;
}

Compiled compiled(const CompileJob& job, SandboxLevel most) {
  ClientOptions options = compiling_child(most);
  options.backend = "cuda";
  options.compiles = job.toolkit;
  Client child(options);
  return child.compile(job, kLimit);
}

bool leaks(const CompileJob& job, const Secret& secret, SandboxLevel most) {
  const Compiled result = compiled(job, most);
  return secret.is_in(result.log) || secret.is_in(text_of(result.code));
}

// Empty where NVRTC can be tried here.
std::string why_not() {
  if (best_level() != SandboxLevel::landlock) return "this kernel has no Landlock";
  if (toolkit().nvrtc.empty()) return "no NVRTC was found on this machine";
  try {
    compiled(cuda_job("__global__ void k(int*) {}"), SandboxLevel::none);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

constexpr const char* kKernel = "\n__global__ void k(int* y) { y[0] = 1; }\n";

CompileJob including(const std::string& path) {
  return unscanned(cuda_job("#include \"" + path + "\"" + kKernel));
}

}  // namespace

#define NEED_NVRTC()                                                                     \
  if (const std::string reason = why_not(); !reason.empty()) KGATE_SKIP(reason.c_str()); \
  static_assert(true)

TEST_CASE("NVRTC compiles under the sandbox what it compiles outside, with the toolkit's headers") {
  NEED_NVRTC();
  std::string source = kKernel;
  if (!toolkit().include_dirs.empty()) source = "#include <cuda_fp16.h>\n" + source;
  const Compiled inside = compiled(cuda_job(source), SandboxLevel::landlock);
  CHECK(inside.log == "");
  REQUIRE(inside.status == Compiled::Status::ok);
  CHECK(inside.code == compiled(cuda_job(source), SandboxLevel::none).code);
}

TEST_CASE("NVRTC shows nothing of a secret that is included, however its path is written") {
  NEED_NVRTC();
  const Secret secret;
  const CompileJob plain = including(secret.path()), up = including("../../../../../../../.." + secret.path()),
                   built = unscanned(
                       cuda_job(fmt::format("#define NAME {}/id_secret\n#define TEXT(x) #x\n#define PATH(x) TEXT(x)\n"
                                            "#include PATH(NAME){}",
                                            secret.folder(), kKernel)));
  for (const CompileJob& job : {plain, up, built}) {
    REQUIRE(leaks(job, secret, SandboxLevel::none));
    CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
  }
}

TEST_CASE("NVRTC shows nothing of a secret that an option names") {
  NEED_NVRTC();
  const Secret secret;
  CompileJob job = cuda_job(kKernel);
  job.options = {"--pre-include=" + secret.path()};
  REQUIRE(leaks(job, secret, SandboxLevel::none));
  CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
  CompileJob folder = cuda_job(std::string("#include <id_secret>") + kKernel);
  folder.options = {"-I" + secret.folder()};
  REQUIRE(leaks(folder, secret, SandboxLevel::none));
  CHECK_FALSE(leaks(folder, secret, SandboxLevel::landlock));
}

TEST_CASE("NVRTC does not see /etc/passwd, its own environment, or the judge's") {
  NEED_NVRTC();
  for (const std::string& path :
       {std::string("/etc/passwd"), std::string("/proc/self/environ"), fmt::format("/proc/{}/environ", ::getpid())}) {
    INFO(path);
    const std::string log = compiled(including(path), SandboxLevel::landlock).log;
    CHECK(log.find("root:") == std::string::npos);
    CHECK(log.find("PATH=") == std::string::npos);
    CHECK(log.find(path) != std::string::npos);
  }
}

TEST_CASE("NVRTC takes a secret for absent when it is asked whether it is there") {
  NEED_NVRTC();
  const Secret secret;
  const CompileJob job = unscanned(
      cuda_job(fmt::format("#if __has_include(\"{}\")\n#error it is there\n#endif{}", secret.path(), kKernel)));
  CHECK(compiled(job, SandboxLevel::none).log.find("it is there") != std::string::npos);
  CHECK(compiled(job, SandboxLevel::landlock).log.find("it is there") == std::string::npos);
}
