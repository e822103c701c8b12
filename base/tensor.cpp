#include "base/tensor.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate {

std::uint64_t element_count(const Shape& shape, const std::string& subject) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;  // every count is exact as a double, and bytes fit in 64 bits
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (extent > kMost / count) {
      throw Error(ErrorKind::usage, subject,
                  fmt::format("shape [{}] has more than 2^53 elements", fmt::join(shape, ", ")), "make it smaller");
    }
    count *= extent;
  }
  return count;
}

Shape unravel(std::uint64_t flat, const Shape& shape) {
  Shape index(shape.size());
  std::uint64_t left = flat;
  for (std::size_t axis = shape.size(); axis-- > 0 && shape[axis] > 0;) {
    index[axis] = left % shape[axis];
    left /= shape[axis];
  }
  const bool empty = std::find(shape.begin(), shape.end(), 0U) != shape.end();
  if (left != 0 || empty) {
    throw Error(ErrorKind::internal, fmt::format("element {}", flat),
                fmt::format("is not in shape [{}]", fmt::join(shape, ", ")));
  }
  return index;
}

}  // namespace kgate
