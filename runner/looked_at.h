#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

// What of a buffer is looked at after a timed sample. Up to a MiB: all of it. Else a MiB in 256 pieces, one in each of
// as many equal parts, at places that only the run's secret tells: a version that leaves out so little of its work that
// all of them miss it wins less than the zone forgives (of a kernel that leaves out the share f, evenly, (1-f)^256 go
// unseen: 8 % for f = 1 %, 0.6 % for 2 %; a stretch that holds two parts is seen for certain). Reading and hashing the
// whole of large outputs took a fifth of the timing of a run on an H200 (docs/measurements.md).
namespace kgate::runner {

constexpr std::uint64_t kLookedAtWhole = 1u << 20;  // bytes
constexpr std::uint64_t kPieces = 256, kPieceBytes = 4096;

struct Piece {
  std::uint64_t offset = 0, bytes = 0;  // from the buffer's start
};

struct Look {
  std::uint64_t secret = 0;
  std::uint32_t buffer = 0, variant = 0;
};

// Bytes that a look at a buffer of so many takes.
std::uint64_t looked_bytes(std::uint64_t bytes);
// Ascending, without overlaps.
std::vector<Piece> looked_at(std::uint64_t bytes, const Look& look);
// SHA-256, in hex, of what is looked at, one piece after the other.
std::string digest_of_looked(ByteView whole, const Look& look);

// A digest of all of it, in hex: up to kLookedAtWhole bytes the SHA-256 (so digest_of_looked has it already), else the
// SHA-256 of the SHA-256s of its stretches of kLookedAtWhole bytes, which so many threads make.
std::string digest_of_whole(ByteView whole, unsigned threads);
// As many as help: beyond them memory is what is waited for.
unsigned digest_threads();

}  // namespace kgate::runner
