#include "tests/fuzz/hammer.h"

#include <algorithm>
#include <cstddef>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

// One to four small changes: the kinds that keep most of a file as it was, so that the deep checks are reached.
Bytes mutated(Bytes file, RandomStream& random) {
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    const std::uint64_t size = file.size();
    const auto at = static_cast<std::ptrdiff_t>(size == 0 ? 0 : random.below(size));
    switch (random.below(size == 0 ? 1 : 6)) {
      case 0:
        file.insert(file.begin() + at, static_cast<std::byte>(random.below(256)));
        break;
      case 1:
        file[static_cast<std::size_t>(at)] = static_cast<std::byte>(random.below(256));
        break;
      case 2:
        file[static_cast<std::size_t>(at)] ^= static_cast<std::byte>(1U << random.below(8));
        break;
      case 3:
        file.erase(file.begin() + at);
        break;
      case 4:
        file.resize(static_cast<std::size_t>(at));
        break;
      default: {  // one part over another: digits into brackets, keys twice
        const std::uint64_t from = random.below(size), length = std::min(size - from, 1 + random.below(20));
        const Bytes part(file.begin() + static_cast<std::ptrdiff_t>(from),
                         file.begin() + static_cast<std::ptrdiff_t>(from + length));
        file.insert(file.begin() + at, part.begin(), part.end());
      }
    }
  }
  return file;
}

}  // namespace

void hammer(FuzzTarget target, const std::vector<Bytes>& seeds, std::uint64_t stream) {
  constexpr int kIterations = 20000;
  RandomStream random(0x6b67617465, stream);
  for (int i = 0; i < kIterations; ++i) {
    const Bytes file = mutated(seeds.at(random.below(seeds.size())), random);
    REQUIRE_NOTHROW(target(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
  }
}
