#include <filesystem>

#include "base/file.h"
#include "fingerprint/disassembler.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

std::string put(const std::filesystem::path& folder, bool can_start = true) {
  const auto program = folder / "nvdisasm";
  std::filesystem::create_directories(folder);
  write_file_atomic(program, std::string_view("#!/bin/sh\n"));
  std::filesystem::permissions(program,
                               can_start ? std::filesystem::perms::owner_all : std::filesystem::perms::owner_read);
  return program.string();
}

}  // namespace

TEST_CASE("the toolkit's own nvdisasm comes before the one in PATH") {
  const TemporaryFolder folder("kgate-test");
  const auto path = put(folder.path() / "path"), toolkit = put(folder.path() / "cuda/bin");
  const auto search = (folder.path() / "path").string();
  CHECK(fingerprint::find_disassembler(search, (folder.path() / "cuda").string()) == toolkit);
  CHECK(fingerprint::find_disassembler("/nowhere::" + search, (folder.path() / "none").string()) == path);
}

TEST_CASE("an nvdisasm of a relative folder, or one that cannot be started, is not taken") {
  if (!fingerprint::find_disassembler("", "").empty()) KGATE_SKIP("this machine has an nvdisasm");
  const TemporaryFolder folder("kgate-test");
  put(folder.path(), false);
  CHECK(fingerprint::find_disassembler(folder.path().string() + ":.:bin", "") == "");
}
