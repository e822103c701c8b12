#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "tests/sandbox/sandbox_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

// Sources that have the compiler read what it should not. Each is compiled without a sandbox first, and then the secret
// must be found: so that an attack that stopped to be one does not count as stopped.
using namespace kgate;
using namespace kgate::runner;

namespace {

Compiled compiled(const CompileJob& job, SandboxLevel most) {
  Client child(compiling_child(most));
  return child.compile(job, kLimit);
}

bool leaks(const CompileJob& job, const Secret& secret, SandboxLevel most) {
  const Compiled result = compiled(job, most);
  return secret.is_in(result.log) || secret.is_in(text_of(result.code));
}

constexpr const char* kKernel = "\n__global__ void k(int* y) { y[0] = 1; }\n";

CompileJob including(const std::string& path) {
  return unscanned(job_of("#include \"" + path + "\"" + kKernel));
}

// Without a sandbox the compiler's own list shows that it got there; then nothing of what it read is told.
bool reads(const CompileJob& job, const Secret& secret) {
  const Compiled result = compiled(job, SandboxLevel::none);
  CHECK_FALSE(secret.is_in(result.log));
  return result.log.find("error: the compiler read \"") != std::string::npos;
}

// "asm" is not in the text, so it is not taken for inline PTX.
std::string assembled(const std::string& directive) {
  return fmt::format("#define PASTE(a, b) a##b\nPASTE(as, m)(\"{}\");{}", directive, kKernel);
}

}  // namespace

#define NEED_LANDLOCK()                                                                  \
  if (compiler_path().empty()) KGATE_SKIP("no C++ compiler");                            \
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock"); \
  static_assert(true)

TEST_CASE("an include of a secret, behind a line that no scan sees, shows nothing of it") {
  NEED_LANDLOCK();
  const Secret secret;
  const CompileJob job = including(secret.path());
  REQUIRE(reads(job, secret));
  CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
  CHECK(compiled(job, SandboxLevel::landlock).log.find("Permission denied") != std::string::npos);
}

TEST_CASE("a compiler that is a script beside the real one works under the sandbox") {
  NEED_LANDLOCK();
  const TemporaryFolder folder("kgate-wrapper");
  const auto wrapper = folder.path() / "c++";
  write_file_atomic(wrapper, fmt::format("#!/bin/sh\nexec {} \"$@\"\n", compiler_path()));
  std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
  CompileJob job = job_of(kKernel);
  job.toolkit.host_compiler = wrapper.string();
  ClientOptions options = compiling_child(SandboxLevel::landlock);
  options.compiles = job.toolkit;
  const Compiled result = Client(options).compile(job, kLimit);
  CHECK(result.log == "");
  CHECK(result.status == Compiled::Status::ok);
}

TEST_CASE("a path that macros build shows nothing either") {
  NEED_LANDLOCK();
  const Secret secret;
  const CompileJob job =
      unscanned(job_of(fmt::format("#define NAME {}/id_secret\n#define TEXT(x) #x\n#define PATH(x) TEXT(x)\n"
                                   "#include PATH(NAME){}",
                                   secret.folder(), kKernel)));
  REQUIRE(reads(job, secret));
  CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
}

TEST_CASE("includes of /etc/passwd and of /proc/self/environ show nothing") {
  NEED_LANDLOCK();
  const std::string passwd = compiled(including("/etc/passwd"), SandboxLevel::landlock).log;
  CHECK(passwd.find("root:") == std::string::npos);
  CHECK(passwd.find("/etc/passwd: Permission denied") != std::string::npos);
  const std::string environment = compiled(including("/proc/self/environ"), SandboxLevel::landlock).log;
  CHECK(environment.find("PATH=") == std::string::npos);
  CHECK(environment.find("/proc/self/environ: Permission denied") != std::string::npos);
  const std::string judge =
      compiled(including(fmt::format("/proc/{}/environ", ::getpid())), SandboxLevel::landlock).log;
  CHECK(judge.find("Permission denied") != std::string::npos);
}

TEST_CASE("an include up and out of the staged folder shows nothing") {
  NEED_LANDLOCK();
  const Secret secret;
  const CompileJob job = including("../../../../../../../.." + secret.path());
  REQUIRE(reads(job, secret));
  CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
}

TEST_CASE("an include folder outside of the staged one opens nothing") {
  NEED_LANDLOCK();
  const Secret secret;
  CompileJob job = job_of(std::string("#include <id_secret>") + kKernel);
  job.include_dirs = {"../../../../../../.." + secret.folder()};
  REQUIRE(reads(job, secret));
  CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
}

TEST_CASE("a link to the secret is no way to it") {
  NEED_LANDLOCK();
  const Secret secret;
  const auto link = std::filesystem::path(secret.folder()) / "harmless.h";
  std::filesystem::create_symlink(secret.path(), link);
  const CompileJob job = including(link.string());
  REQUIRE(reads(job, secret));
  CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
}

TEST_CASE("the assembler includes no secret, as text or as bytes of the object") {
  NEED_LANDLOCK();
  const Secret secret;
  const CompileJob bytes = job_of(assembled(".section .data\\n.incbin \\\"" + secret.path() + "\\\"\\n.previous"));
  const CompileJob kept = job_of(fmt::format(
      "#define PASTE(a, b) a##b\nextern \"C\" char secret[];\nPASTE(as, m)(\".data\\n.globl secret\\nsecret: .incbin "
      "\\\"{}\\\"\\n.text\");\n__global__ void k(int* y) {{ y[0] = secret[0]; }}\n",
      secret.path()));
  const CompileJob text = job_of(assembled(".include \\\"" + secret.path() + "\\\""));
  REQUIRE((leaks(bytes, secret, SandboxLevel::none) || leaks(kept, secret, SandboxLevel::none)));
  for (const CompileJob& job : {bytes, kept, text}) CHECK_FALSE(leaks(job, secret, SandboxLevel::landlock));
  CHECK(compiled(kept, SandboxLevel::landlock).status == Compiled::Status::failed);
}

TEST_CASE("__has_include and #embed of a secret do not compile into an answer") {
  NEED_LANDLOCK();
  const Secret secret;
  // g++ takes a file that it may not read for an error, or for one that is not there: never for one that is.
  const std::string asks =
      fmt::format("#if __has_include(\"{}\")\n#error it is there\n#endif{}", secret.path(), kKernel);
  REQUIRE(compiled(unscanned(job_of(asks)), SandboxLevel::none).log.find("it is there") != std::string::npos);
  CHECK(compiled(unscanned(job_of(asks)), SandboxLevel::landlock).log.find("#error it is there") == std::string::npos);
  const CompileJob embeds =
      job_of(fmt::format("__constant__ unsigned char text[] = {{\n#embed \"{}\"\n}};{}", secret.path(), kKernel));
  CHECK_FALSE(leaks(unscanned(embeds), secret, SandboxLevel::landlock));
}

TEST_CASE("a compiler that runs out of its memory is told as a compile that failed") {
  NEED_LANDLOCK();
  if (relaxed()) KGATE_SKIP("a sanitizer's child has no limit on memory");
  const Compiled result = compiled(job_of(std::string("__device__ char big[1l << 33] = {1};\n"
                                                      "__global__ void k(int* y) { y[0] = big[y[1]]; }\n")),
                                   SandboxLevel::landlock);
  CHECK(result.status == Compiled::Status::failed);
}

TEST_CASE("what compiles without a sandbox compiles under it, to the same bytes") {
  NEED_LANDLOCK();
  const CompileJob job = job_of(
      "#include <math.h>\n#include <cstdint>\n#include <vector>\n__global__ void k(int* y) { "
      "y[0] = (int)erff(y[1]) + (int)sizeof(std::vector<int>); }\n");
  const Compiled inside = compiled(job, SandboxLevel::landlock), outside = compiled(job, SandboxLevel::none);
  CHECK(inside.log == outside.log);
  REQUIRE(outside.status == Compiled::Status::ok);
  CHECK(inside.code == outside.code);
}
