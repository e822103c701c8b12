#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "fingerprint/nvrtc_file.h"
#include "fingerprint/toolkit.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

bool is_version(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

TEST_CASE("NVRTC's file tells its build and the release of its ptxas without being loaded") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.nvrtc.empty()) KGATE_SKIP("no NVRTC was found on this machine");
  const auto file = fingerprint::read_nvrtc_file(toolkit.nvrtc);
  CHECK(file.build_id.size() == 40);
  CHECK(is_version(file.ptxas));
  CHECK(file.ptxas.rfind(toolkit.nvrtc_version + ".", 0) == 0);
}

TEST_CASE("a library without build ID or release says so, and what is no library says that") {
  const auto self = fingerprint::read_nvrtc_file("/proc/self/exe");  // an ELF file, and no NVRTC
  CHECK(self.ptxas == "unknown, because the library does not name the release of its ptxas");
  const TemporaryFolder folder("kgate-test");
  const auto text = (folder.path() / "libnvrtc.so").string();
  std::ofstream(text) << "not an ELF file, though long enough for its header: 0123456789 0123456789 0123456789";
  CHECK(fingerprint::read_nvrtc_file(text).build_id == "unknown, because " + text + " is no ELF file");
  std::filesystem::resize_file(text, 0);
  CHECK(fingerprint::read_nvrtc_file(text).ptxas == "unknown, because " + text + " is no ELF file");
  const auto gone = (folder.path() / "gone.so").string();
  CHECK(fingerprint::read_nvrtc_file(gone).ptxas ==
        "unknown, because " + gone + " cannot be opened: No such file or directory");
  CHECK(fingerprint::read_nvrtc_file("").build_id == "unknown, because no libnvrtc.so was found");
}

TEST_CASE("a truncated library is read as far as it goes") {
  const TemporaryFolder folder("kgate-test");
  const auto copy = folder.path() / "libnvrtc.so";
  std::filesystem::copy_file("/proc/self/exe", copy);
  for (const std::uintmax_t size : {5000u, 500u, 64u, 63u, 20u, 4u}) {
    std::filesystem::resize_file(copy, size);
    CHECK(fingerprint::read_nvrtc_file(copy.string()).ptxas.rfind("unknown, because ", 0) == 0);
  }
}
