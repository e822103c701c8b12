// From machine code to the counts in a kernel's diffs, with a script in the place of nvdisasm.
#include "gate/verdict/machine_code.h"

#include "tests/support/catch.h"
#include "tests/support/fake_nvdisasm.h"

using namespace kgate;
using disassembly::Counts;
using disassembly::Kind;

namespace {

constexpr const char* kSingle = "/*0000*/ FADD R0, R1, R2 ;\n/*0010*/ EXIT ;\n";
constexpr const char* kDouble = "/*0000*/ DADD R0, R2, R4 ;\n/*0010*/ STL [R1], R0 ;\n/*0020*/ EXIT ;\n";

verdict::Artifact compiled(const std::string& code) {
  auto one = std::make_shared<runner::Compiled>();
  one->status = runner::Compiled::Status::ok;
  one->code = bytes_of(code);
  return one;
}

struct Bench {
  TemporaryFolder folder{"kgate-test"};
  FakeNvdisasm tool{folder.path()};
  std::vector<verdict::KernelResult> kernels{1};
  std::vector<verdict::Artifacts> code{1};
  std::vector<std::vector<verdict::Baseline>> baselines{1};

  Bench() {
    kernels[0].code = "changed";
    code[0].candidate = compiled(kDouble);
    code[0].base = compiled(kSingle);
  }

  const std::optional<verdict::MachineCode>& count(const std::string& program) {
    verdict::DisassemblyOptions options;
    options.child.runner = KGATE_RUNNER;
    options.child.backend = "cuda";
    options.program = program;
    options.parallel = 2;
    verdict::add_machine_code(kernels, code, baselines, options);
    return kernels[0].machine_code;
  }
};

}  // namespace

TEST_CASE("the instructions of base and candidate are counted by kind") {
  Bench bench;
  const auto& found = bench.count(bench.tool.program());
  REQUIRE(found);
  CHECK(found->not_counted == "");
  CHECK(found->before == Counts{{Kind::fp32, 1}, {Kind::control, 1}});
  CHECK(found->after == Counts{{Kind::local_store, 1}, {Kind::fp64, 1}, {Kind::control, 1}});
}

TEST_CASE("an accepted version with other machine code is counted too, one with the candidate's is not asked about") {
  Bench bench;
  auto& diffs = bench.kernels[0].accepted_diffs;
  diffs.resize(2);
  bench.baselines[0].resize(2);
  bench.baselines[0][0].against = diffs[0].against = "accepted";
  bench.baselines[0][0].code = compiled(kDouble);
  bench.baselines[0][1].against = diffs[1].against = "last-release";
  bench.baselines[0][1].code = compiled(kSingle);
  bench.count(bench.tool.program());
  CHECK_FALSE(diffs[0].machine_code);
  REQUIRE(diffs[1].machine_code);
  CHECK(diffs[1].machine_code->before == Counts{{Kind::fp32, 1}, {Kind::control, 1}});
}

TEST_CASE("without an nvdisasm nothing is counted, and that is said") {
  Bench bench;
  const auto& found = bench.count("");
  REQUIRE(found);
  CHECK(found->not_counted == "nvdisasm, which cuobjdump needs too, is not installed");
  CHECK(found->before.empty());
  CHECK(found->after.empty());
}

TEST_CASE("an nvdisasm that fails, or prints no instruction, counts nothing and says why") {
  Bench bench;
  const std::string program = bench.tool.program();
  bench.tool.behave("echo 'nvdisasm fatal   : cannot read it'; exit 1\n");
  CHECK(bench.count(program)->not_counted == program + ": it ended with code 1: nvdisasm fatal   : cannot read it");
  bench.tool.behave("echo nothing\n");
  CHECK(bench.count(program)->not_counted == program + ": it printed no instruction");
  CHECK(bench.count("/nowhere/nvdisasm")->not_counted.starts_with("/nowhere/nvdisasm: "));
}

TEST_CASE("machine code that is unchanged, or that did not compile, is not disassembled") {
  Bench bench;
  bench.kernels[0].code = "unchanged";
  CHECK_FALSE(bench.count(bench.tool.program()));
  bench.kernels[0].code = "changed";
  auto failed = std::make_shared<runner::Compiled>();
  failed->status = runner::Compiled::Status::failed;
  bench.code[0].base = failed;
  CHECK_FALSE(bench.count(bench.tool.program()));
}
