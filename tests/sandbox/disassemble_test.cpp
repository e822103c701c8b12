// Machine code of a stranger, and the program that reads it.
#include <fmt/format.h>

#include "tests/sandbox/sandbox_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/fake_nvdisasm.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

class Bench {
 public:
  Disassembly disassemble(const std::string& code, SandboxLevel most = SandboxLevel::landlock) const {
    ClientOptions options = compiling_child(most);
    options.compiles = ToolkitPaths{"", {}, "", tool.program()};
    return Client(options).disassemble(bytes_of(code), kLimit);
  }

 private:
  TemporaryFolder folder_{"kgate-test"};

 public:
  FakeNvdisasm tool{folder_.path()};
};

}  // namespace

TEST_CASE("machine code goes to the disassembler and comes back as its text") {
  const Bench bench;
  const Disassembly found = bench.disassemble("/*0000*/ EXIT ;\n\xff\n");
  CHECK(found.trouble == "");
  CHECK(found.text == "/*0000*/ EXIT ;\n\xff\n");
}

TEST_CASE("a disassembler that fails says why, by its code and its first words") {
  const Bench bench;
  bench.tool.behave("echo 'nvdisasm fatal   : it is not a cubin'; echo more; exit 1\n");
  CHECK(bench.disassemble("x").trouble == "it ended with code 1: nvdisasm fatal   : it is not a cubin");
  CHECK(bench.disassemble("x").text == "");
  bench.tool.behave("kill -SEGV $$\n");
  CHECK(bench.disassemble("x").trouble == "it was ended by signal 11");
}

TEST_CASE("a disassembler that the machine code took over reads no secret, writes nothing and starts no program") {
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock");
  const Bench bench;
  const Secret secret;
  const TemporaryFolder outside("kgate-outside");
  const auto file = outside.path() / "written";
  bench.tool.behave(
      fmt::format("while read -r line; do echo \"$line\"; done < {}\n(echo x > {}) 2>/dev/null && echo wrote\n"
                  "/bin/true 2>/dev/null && echo started\necho end\n",
                  secret.path(), file.string()));
  const std::string open = bench.disassemble("x", SandboxLevel::none).text;
  REQUIRE(secret.is_in(open));
  REQUIRE(open.ends_with("wrote\nstarted\nend\n"));
  std::filesystem::remove(file);
  const std::string closed = bench.disassemble("x").text;
  CHECK_FALSE(secret.is_in(closed));
  CHECK(closed.find("Permission denied") != std::string::npos);
  CHECK(closed.ends_with("end\n"));
  CHECK(closed.find("wrote") == std::string::npos);
  CHECK(closed.find("started") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a child that was given no disassembler refuses to be asked for one") {
  Client child(compiling_child());
  CHECK(error_of([&] { child.disassemble(bytes_of("x"), kLimit); }) ==
        "internal: kgate-runner: was started to compile, and asked to disassemble");
}
