#include <filesystem>

#include "base/file.h"
#include "fingerprint/nsight_compute.h"
#include "tests/support/catch.h"
#include "tests/support/fake_nsight_compute.h"
#include "tests/support/skip.h"

using namespace kgate;

TEST_CASE("Nsight Compute is found in PATH, with its version, and not in a relative folder") {
  const TemporaryFolder folder("kgate-test");
  const FakeNsightCompute tool(folder.path() / "bin");
  const auto found = fingerprint::find_nsight_compute("bin::" + (folder.path() / "bin").string(), "");
  CHECK(found.path == tool.program().string());
  CHECK(found.version == "2025.3.1.0");
  CHECK(found.broken == "");
}

TEST_CASE("Nsight Compute is looked for in the toolkit's bin, past one that does not start") {
  const TemporaryFolder folder("kgate-test");
  const FakeNsightCompute broken(folder.path() / "old"), tool(folder.path() / "cuda" / "bin");
  broken.behave_at_once("echo 'no installation was found'\nexit 1\n");
  const auto found =
      fingerprint::find_nsight_compute((folder.path() / "old").string(), (folder.path() / "cuda").string());
  CHECK(found.path == tool.program().string());
  CHECK(found.broken == "");
}

TEST_CASE("an Nsight Compute that is there and does not start is told, where no other does") {
  if (!fingerprint::find_nsight_compute("", "").path.empty()) KGATE_SKIP("this machine has Nsight Compute");
  const TemporaryFolder folder("kgate-test");
  const FakeNsightCompute broken(folder.path());
  broken.behave_at_once("echo 'no installation was found'\nexit 1\n");
  const auto found = fingerprint::find_nsight_compute(folder.path().string(), "");
  CHECK(found.path == "");
  CHECK(found.broken == (folder.path() / "ncu").string() + " did not tell its version: no installation was found");
}
