#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace {

namespace fs = std::filesystem;

const std::string kScript = KGATE_SOURCE_DIR "/scripts/make_demo_repo.sh";

kgate::CommandResult run(std::vector<std::string> command) {
  kgate::ProcessOptions options;
  options.command = std::move(command);
  options.environment = {{"PATH", options.search_path}};
  return run_command(options, {});
}

}  // namespace

TEST_CASE("the demo's repository is one commit of the examples, the same every time") {
  if (!run({"git", "--version"}).status.ok()) KGATE_SKIP("there is no git");
  const kgate::TemporaryFolder scratch("kgate-demo");
  const std::string first = scratch.path() / "first", second = scratch.path() / "second";
  const kgate::CommandResult made = run({kScript, first});
  INFO(made.output);
  REQUIRE(made.status.ok());
  CHECK(run({kScript, second}).output == made.output);
  CHECK(run({"git", "-C", first, "rev-parse", "main"}).output == made.output);
  CHECK(run({"git", "-C", first, "status", "--porcelain"}).output.empty());
  CHECK(run({"git", "-C", first, "rev-list", "--count", "HEAD"}).output == "1\n");
  CHECK(fs::exists(fs::path(first) / ".kgate/policy.toml"));
  CHECK(fs::exists(fs::path(first) / "kernels/softmax/cases.toml"));
}

TEST_CASE("the demo's repository is not made over what is there") {
  const kgate::TemporaryFolder scratch("kgate-demo");
  const std::string folder = scratch.path() / "mine";
  fs::create_directories(fs::path(folder) / "work");
  const kgate::CommandResult refused = run({kScript, folder});
  CHECK(refused.status.code == 64);
  CHECK(refused.output == kScript + ": " + folder + " is there and not empty; name a new folder\n");
  CHECK_FALSE(fs::exists(fs::path(folder) / "kernels"));
  CHECK(run({kScript}).output == "usage: " + kScript + " FOLDER\n");
}
