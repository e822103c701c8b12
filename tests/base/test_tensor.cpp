#include "base/tensor.h"
#include "tests/support/errors.h"

using namespace kgate;

TEST_CASE("a shape's elements are counted, up to 2^53") {
  CHECK(element_count({}, "x") == 1);
  CHECK(element_count({7}, "x") == 7);
  CHECK(element_count({2, 3, 4}, "x") == 24);
  CHECK(element_count({std::uint64_t{1} << 53}, "x") == std::uint64_t{1} << 53);
  CHECK(element_count({0, ~std::uint64_t{0}, ~std::uint64_t{0}}, "x") == 0);
  CHECK(error_of([] {
          element_count({std::uint64_t{1} << 32, std::uint64_t{1} << 32}, "param \"x\"");
        }) == "usage: param \"x\": shape [4294967296, 4294967296] has more than 2^53 elements; make it smaller");
  CHECK(error_of([] { element_count({(std::uint64_t{1} << 53) + 1}, "x"); }) ==
        "usage: x: shape [9007199254740993] has more than 2^53 elements; make it smaller");
}

TEST_CASE("unravel counts the last index fastest") {
  const Shape shape{2, 3, 4};
  std::uint64_t flat = 0;
  for (std::uint64_t i = 0; i < 2; ++i) {
    for (std::uint64_t j = 0; j < 3; ++j) {
      for (std::uint64_t k = 0; k < 4; ++k) CHECK(unravel(flat++, shape) == Shape{i, j, k});
    }
  }
  CHECK(unravel(0, {}).empty());
}

TEST_CASE("an element that a shape does not have is a defect of ours") {
  CHECK(error_of([] { unravel(6, {2, 3}); }) == "internal: element 6: is not in shape [2, 3]");
  CHECK(error_of([] { unravel(0, {2, 0}); }) == "internal: element 0: is not in shape [2, 0]");
}
