#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "fingerprint/toolkit.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;
using fingerprint::Toolkit;

namespace {

struct Tree {
  TemporaryFolder folder{"kgate-test-"};
  std::string path(const std::string& in) const { return (std::filesystem::canonical(folder.path()) / in).string(); }
  void file(const std::string& in) const {
    std::filesystem::create_directories((folder.path() / in).parent_path());
    std::ofstream(folder.path() / in) << "x";
  }
  void link(const std::string& in, const std::string& to) const {
    std::filesystem::create_symlink(to, folder.path() / in);
  }
};

}  // namespace

TEST_CASE("a toolkit is found by its root, with NVRTC's real file, its version and the folders of headers") {
  const Tree tree;
  tree.file("cuda/lib64/libnvrtc.so.12.6.85");
  tree.link("cuda/lib64/libnvrtc.so.12", "libnvrtc.so.12.6.85");
  tree.link("cuda/lib64/libnvrtc.so", "libnvrtc.so.12");
  tree.file("cuda/lib64/libnvrtc-builtins.so.12.6");
  tree.file("cuda/lib64/libnvrtc.alt.so.12");
  tree.file("cuda/lib64/libnvrtc_static.a");
  tree.file("cuda/include/cuda_fp16.h");
  const Toolkit toolkit = fingerprint::find_toolkit({tree.path("cuda"), "", ""});
  CHECK(toolkit.root == tree.path("cuda"));
  CHECK(toolkit.nvrtc == tree.path("cuda/lib64/libnvrtc.so.12.6.85"));
  CHECK(toolkit.nvrtc_version == "12.6");
  CHECK(toolkit.include_dirs == std::vector<std::string>{tree.path("cuda/include")});
}

TEST_CASE("the version comes from what lies beside the library where its own name has the ABI's number alone") {
  const Tree tree;
  tree.file("cuda/lib/libnvrtc.so.13");
  tree.file("cuda/lib/libnvrtc-builtins.so.13.0");
  tree.file("cuda/lib/libnvrtc-builtins.so.12.8");
  tree.file("cuda/include/cuda.h");
  tree.file("cuda/include/cccl/cub/cub.cuh");
  const Toolkit toolkit = fingerprint::find_toolkit({tree.path("cuda"), "", ""});
  CHECK(toolkit.nvrtc == tree.path("cuda/lib/libnvrtc.so.13"));
  CHECK(toolkit.nvrtc_version == "13.0");
  CHECK(toolkit.include_dirs == std::vector<std::string>{tree.path("cuda/include"), tree.path("cuda/include/cccl")});
}

TEST_CASE("a folder of the library path leads to the toolkit around it, also through targets") {
  const Tree tree;
  tree.file("other/lib/libm.so");
  tree.file("cuda/targets/x86_64-linux/lib/libnvrtc.so.12.4.127");
  tree.file("cuda/targets/x86_64-linux/include/cuda.h");
  const Toolkit toolkit =
      fingerprint::find_toolkit({"", "", tree.path("other/lib") + "::" + tree.path("cuda/targets/x86_64-linux/lib")});
  CHECK(toolkit.nvrtc_version == "12.4");
  CHECK(toolkit.include_dirs == std::vector<std::string>{tree.path("cuda/targets/x86_64-linux/include")});
}

TEST_CASE("the newest NVRTC of a folder is taken, and the root that was named goes first") {
  const Tree tree;
  tree.file("a/lib/libnvrtc.so.12.0.1");
  tree.file("a/lib/libnvrtc.so.12.10.1");
  tree.file("b/lib64/libnvrtc.so.13.1.1");
  const Toolkit toolkit = fingerprint::find_toolkit({tree.path("a"), "", tree.path("b/lib64")});
  CHECK(toolkit.nvrtc_version == "12.10");
  CHECK(toolkit.include_dirs.empty());
}

TEST_CASE("a C++ compiler is found by its name or path, and one that does not run is passed over") {
  const Toolkit plain = fingerprint::find_toolkit({});
  if (plain.host_compiler.empty()) KGATE_SKIP("this machine has no C++ compiler");
  CHECK(!plain.host_compiler_version.empty());
  CHECK(plain.host_compiler_version.find('\n') == std::string::npos);
  CHECK(fingerprint::find_toolkit({"", plain.host_compiler, ""}).host_compiler == plain.host_compiler);
  CHECK(fingerprint::find_toolkit({"", "/nowhere/c++", ""}).host_compiler == plain.host_compiler);
  const Tree tree;
  tree.file("not-a-program");
  CHECK(fingerprint::find_toolkit({"", tree.path("not-a-program"), ""}).host_compiler == plain.host_compiler);
}
