#include "runner/looked_at.h"

#include <set>

#include "tests/support/catch.h"

namespace kgate::runner {

TEST_CASE("up to a mebibyte all of a buffer is looked at") {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{7}, kLookedAtWhole}) {
    const auto pieces = looked_at(bytes, {5});
    REQUIRE(pieces.size() == 1);
    CHECK(pieces.front().offset == 0);
    CHECK(pieces.front().bytes == bytes);
  }
}

TEST_CASE("of a larger one a mebibyte is looked at, in pieces that lie apart, one in each part") {
  for (const std::uint64_t bytes : {kLookedAtWhole + 1, 3 * kLookedAtWhole + 12345, std::uint64_t{1} << 34}) {
    const auto pieces = looked_at(bytes, {5, 1, 2});
    REQUIRE(pieces.size() == kPieces);
    std::uint64_t end = 0, sum = 0;
    for (std::size_t part = 0; part < pieces.size(); ++part) {
      CHECK(pieces[part].offset >= end);
      CHECK(pieces[part].offset >= bytes / kPieces * part);
      end = pieces[part].offset + pieces[part].bytes;
      sum += pieces[part].bytes;
    }
    CHECK(end <= bytes);
    CHECK(sum == looked_bytes(bytes));
  }
}

TEST_CASE("where it is looked at hangs on the secret, the buffer and the content") {
  const auto first_offsets = [](const Look& look) {
    std::vector<std::uint64_t> offsets;
    for (const auto& piece : looked_at(64 * kLookedAtWhole, look)) offsets.push_back(piece.offset);
    return offsets;
  };
  std::set<std::vector<std::uint64_t>> seen{first_offsets({5, 0, 0}), first_offsets({6, 0, 0}),
                                            first_offsets({5, 1, 0}), first_offsets({5, 0, 1})};
  CHECK(seen.size() == 4);
  CHECK(seen.contains(first_offsets({5, 0, 0})));
}

TEST_CASE("a change is seen in the digest where it is looked at, and not beside") {
  Bytes content(4 * kLookedAtWhole);
  const Look look{9, 0, 0};
  const auto before = digest_of_looked(content, look);
  const auto pieces = looked_at(content.size(), look);
  content[pieces[7].offset] = std::byte{1};
  CHECK(digest_of_looked(content, look) != before);
  content[pieces[7].offset] = std::byte{0};
  content[pieces[7].offset + pieces[7].bytes] = std::byte{1};
  const bool looked = pieces[8].offset == pieces[7].offset + pieces[7].bytes;
  CHECK((digest_of_looked(content, look) == before) != looked);
}

}  // namespace kgate::runner
