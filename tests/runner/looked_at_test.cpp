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

TEST_CASE("the digest of the whole is the same by any number of threads, and each byte counts") {
  Bytes content(3 * kLookedAtWhole + 17);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i * 2654435761u >> 24);
  const auto before = digest_of_whole(content, 1);
  CHECK(digest_of_whole(content, 7) == before);
  for (const std::size_t place : {std::size_t{0}, std::size_t{kLookedAtWhole}, content.size() - 1}) {
    content[place] ^= std::byte{1};
    CHECK(digest_of_whole(content, 4) != before);
    content[place] ^= std::byte{1};
  }
  // Stretches that change places are another content.
  std::swap_ranges(content.begin(), content.begin() + 1024,
                   content.begin() + static_cast<std::ptrdiff_t>(kLookedAtWhole));
  CHECK(digest_of_whole(content, 4) != before);
}

TEST_CASE("of a small buffer what is looked at is the whole, with one digest") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{kLookedAtWhole}}) {
    const Bytes content(bytes, std::byte{7});
    CHECK(digest_of_whole(content, 4) == digest_of_looked(content, {1, 2, 3}));
  }
}

}  // namespace kgate::runner
