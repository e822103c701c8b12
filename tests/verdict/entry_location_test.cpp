#include "gate/verdict/subject/entry_location.h"

#include "tests/support/catch.h"

using namespace kgate::verdict;

namespace {

std::optional<Location> location(const std::string& entry, const std::string& source) {
  Version version;
  version.spec.launches.emplace_back();
  version.spec.launches[0].entry = entry;
  const auto bytes = kgate::view_of(source);
  version.files["kernels/a/a.cu"] = kgate::Bytes(bytes.begin(), bytes.end());
  return entry_location(version);
}

}  // namespace

TEST_CASE("an entry is where its __global__ defines it, not where it is declared, launched or spoken of") {
  const std::string source =
      "// __global__ void softmax(float*) {\n"
      "__global__ void softmax(float* y);\n"
      "__global__ void other(float* y) { y[0] = 1; }\n"
      "template <int BLOCK>\n"
      "__global__ void __launch_bounds__(BLOCK)\n"
      "    softmax(float* y) {\n"
      "}\n";
  const auto found = location("ops::softmax<BLOCK>", source);
  REQUIRE(found.has_value());
  CHECK(found->file == "kernels/a/a.cu");
  CHECK(found->line == 5);
  CHECK(location("other", source)->line == 3);
}

TEST_CASE("an entry that is not written out has no place") {
  CHECK_FALSE(location("softmax", "KERNEL void softmax(float* y) {}\n").has_value());
  CHECK_FALSE(location("softmax", "").has_value());
  CHECK_FALSE(location("", "__global__ void a() {}\n").has_value());
}
