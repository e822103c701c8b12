#include "tests/examples/example.h"

#include "tests/support/catch.h"

namespace example {

const kgate::FolderTree& tree() {
  static const kgate::FolderTree examples(KGATE_SOURCE_DIR "/examples");
  return examples;
}

std::vector<Example> all() {
  std::vector<Example> found;
  for (const std::string& path : tree().list("kernels")) {
    if (!kgate::glob_match("kernels/**/kernel.toml", path)) continue;
    const std::string folder = kgate::parent_of(path);
    Example one;
    one.name = folder.substr(folder.rfind('/') + 1);
    one.kernel = kgate::cases::parse_kernel(text_of(path), path);
    one.cases = kgate::cases::parse_cases(text_of(folder + "/cases.toml"), folder + "/cases.toml");
    found.push_back(std::move(one));
  }
  return found;
}

std::string text_of(const std::string& path) {
  const auto bytes = tree().read(path, std::uint64_t{1} << 22);
  INFO(path);
  REQUIRE(bytes.has_value());
  return std::string(kgate::text_of(*bytes));
}

}  // namespace example
