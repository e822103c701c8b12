#include <filesystem>

#include "base/file.h"
#include "fingerprint/compute_sanitizer.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

// A program that answers as compute-sanitizer --version does, or fails.
void plant(const std::filesystem::path& file, const std::string& version, int code = 0) {
  std::filesystem::create_directories(file.parent_path());
  write_file_atomic(file, "#!/bin/sh\necho 'NVIDIA (R) Compute Sanitizer'\necho 'Version " + version +
                              " (build 1) (public-release)'\nexit " + std::to_string(code) + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE("compute-sanitizer is found in PATH, with its version, and not in a relative folder") {
  const TemporaryFolder folder("kgate-test");
  const auto program = folder.path() / "bin/compute-sanitizer";
  plant(program, "2025.3.1.0");
  const auto found = fingerprint::find_compute_sanitizer("bin::" + (folder.path() / "bin").string(), "");
  CHECK(found.path == program.string());
  CHECK(found.version == "2025.3.1.0");
}

TEST_CASE("the toolkit's own folder is looked into, and a program that does not start is passed over") {
  const TemporaryFolder folder("kgate-test");
  plant(folder.path() / "bin/compute-sanitizer", "1", 3);
  plant(folder.path() / "cuda/compute-sanitizer/compute-sanitizer", "2024.1.1.0");
  const auto found =
      fingerprint::find_compute_sanitizer((folder.path() / "bin").string(), (folder.path() / "cuda").string());
  CHECK(found.path == (folder.path() / "cuda/compute-sanitizer/compute-sanitizer").string());
  CHECK(found.version == "2024.1.1.0");
  CHECK(found.broken == "");
}

TEST_CASE("a program that is there and does not start is told, where no other does") {
  if (!fingerprint::find_compute_sanitizer("", "").path.empty()) KGATE_SKIP("this machine has a compute-sanitizer");
  const TemporaryFolder folder("kgate-test");
  plant(folder.path() / "compute-sanitizer", "1", 3);
  const auto found = fingerprint::find_compute_sanitizer(folder.path().string(), "");
  CHECK(found.path == "");
  CHECK(found.broken ==
        (folder.path() / "compute-sanitizer").string() + " did not tell its version: NVIDIA (R) Compute Sanitizer");
}
