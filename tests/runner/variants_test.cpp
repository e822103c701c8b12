#include "runner/variants.h"

#include <array>
#include <vector>

#include "tests/support/catch.h"

using kgate::RandomStream;
using kgate::runner::VariantSequence;

TEST_CASE("consecutive launches never see the same variant, and all variants are about as frequent") {
  for (const std::uint32_t variants : {2u, 3u, 8u}) {
    VariantSequence sequence(variants, RandomStream(3, variants));
    std::array<int, 8> counts{};
    std::uint32_t last = variants;
    for (int i = 0; i < 8000; ++i) {
      const std::uint32_t next = sequence.next();
      REQUIRE(next < variants);
      CHECK(next != last);
      ++counts[next];
      last = next;
    }
    for (std::uint32_t i = 0; i < variants; ++i) {
      CHECK(counts[i] > 0.9 * 8000 / variants);
      CHECK(counts[i] < 1.1 * 8000 / variants);
    }
  }
}

TEST_CASE("one variant is always itself") {
  VariantSequence sequence(1, RandomStream(3, 0));
  for (int i = 0; i < 10; ++i) CHECK(sequence.next() == 0);
}

TEST_CASE("a copy of a sequence repeats it, and the first variant depends on the stream") {
  std::array<int, 4> first{};
  for (std::uint64_t stream = 0; stream < 40; ++stream) {
    const VariantSequence original(4, RandomStream(3, stream));
    VariantSequence a = original, b = original;
    std::vector<std::uint32_t> as, bs;
    for (int i = 0; i < 20; ++i) as.push_back(a.next());
    for (int i = 0; i < 20; ++i) bs.push_back(b.next());
    CHECK(as == bs);
    ++first[as.front()];
  }
  for (const int count : first) CHECK(count > 2);
}
