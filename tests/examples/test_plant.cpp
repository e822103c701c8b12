#include <string>
#include <vector>

#include "base/process.h"
#include "tests/examples/example.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace {

kgate::CommandResult plant(std::vector<std::string> arguments) {
  kgate::ProcessOptions options;
  options.command = {"python3", "tools/plant.py"};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.folder = KGATE_SOURCE_DIR "/examples";
  options.environment = {{"PYTHONDONTWRITEBYTECODE", "1"}};
  return run_command(options, {});
}

bool has_python() {
  kgate::ProcessOptions options;
  options.command = {"sh", "-c", "command -v python3"};
  return run_command(options, {}).status.ok();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace

TEST_CASE("a planted slowdown adds one call to every kernel of a source and changes nothing else") {
  if (!has_python()) KGATE_SKIP("there is no python3");
  for (const auto& one : example::all()) {
    for (const std::string& source : one.kernel.sources.sources) {
      const kgate::CommandResult planted = plant({source, "--iterations", "17"});
      INFO(planted.output);
      REQUIRE(planted.status.ok());
      const std::string call = "\n  kgate_extra_work<17>();", include = "#include \"work.cuh\"\n\n";
      const std::string original = example::text_of(source);
      CHECK(count(planted.output, call) == count(original, "__global__"));
      std::string rest = planted.output;
      REQUIRE(rest.compare(0, include.size(), include) == 0);
      rest.erase(0, include.size());
      for (std::size_t at = rest.find(call); at != std::string::npos; at = rest.find(call)) rest.erase(at, call.size());
      CHECK(rest == original);
    }
  }
}

TEST_CASE("a slowdown can be planted in one kernel of several") {
  if (!has_python()) KGATE_SKIP("there is no python3");
  const std::string source = "kernels/scan/scan.cu";
  const kgate::CommandResult planted = plant({source, "--iterations", "5", "--kernel", "scan_totals"});
  REQUIRE(planted.status.ok());
  CHECK(count(planted.output, "kgate_extra_work<5>();") == 1);
  const std::size_t call = planted.output.find("kgate_extra_work");
  CHECK(call > planted.output.find("void scan_totals("));
  CHECK(call < planted.output.find("void add_offsets("));
}

TEST_CASE("a slowdown can be planted in some of the blocks alone") {
  if (!has_python()) KGATE_SKIP("there is no python3");
  const kgate::CommandResult planted = plant({"kernels/saxpy/saxpy.cu", "--iterations", "5", "--every", "8"});
  REQUIRE(planted.status.ok());
  CHECK(count(planted.output, "\n  kgate_extra_work<5, 8>();") == 1);
}

TEST_CASE("the planter says what it cannot do") {
  if (!has_python()) KGATE_SKIP("there is no python3");
  const kgate::CommandResult no_kernel = plant({"common/block_reduce.cuh", "--iterations", "5"});
  CHECK(no_kernel.status.code == 1);
  CHECK(no_kernel.output ==
        "plant.py: common/block_reduce.cuh: defines no __global__ function; name a kernel's .cu file\n");
  const kgate::CommandResult unknown = plant({"kernels/scan/scan.cu", "--iterations", "5", "--kernel", "scan"});
  CHECK(unknown.status.code == 1);
  CHECK(unknown.output ==
        "plant.py: kernels/scan/scan.cu: has no kernel \"scan\"; it has scan_chunks, scan_totals, add_offsets\n");
  const kgate::CommandResult missing = plant({"kernels/none.cu", "--iterations", "5"});
  CHECK(missing.status.code == 1);
  CHECK(missing.output == "plant.py: kernels/none.cu: No such file or directory; check the path\n");
}
