#include "runner/looked_at.h"

#include <algorithm>
#include <thread>

#include "base/digest.h"
#include "base/parallel.h"
#include "base/philox.h"

namespace kgate::runner {

std::uint64_t looked_bytes(std::uint64_t bytes) {
  return std::min(bytes, kLookedAtWhole);
}

std::vector<Piece> looked_at(std::uint64_t bytes, const Look& look) {
  if (bytes <= kLookedAtWhole) return {{0, bytes}};
  RandomStream random(look.secret, (std::uint64_t{look.buffer} << 32) | look.variant);
  std::vector<Piece> pieces;
  pieces.reserve(kPieces);
  for (std::uint64_t part = 0; part < kPieces; ++part) {
    const std::uint64_t begin = bytes / kPieces * part;
    const std::uint64_t end = part + 1 == kPieces ? bytes : bytes / kPieces * (part + 1);
    pieces.push_back({begin + random.below(end - begin - kPieceBytes + 1), kPieceBytes});
  }
  return pieces;
}

std::string digest_of_looked(ByteView whole, const Look& look) {
  Sha256 digest;
  for (const Piece& piece : looked_at(whole.size(), look)) digest.update(whole.subspan(piece.offset, piece.bytes));
  return digest.hex();
}

std::string digest_of_whole(ByteView whole, unsigned threads) {
  if (whole.size() <= kLookedAtWhole) return sha256_hex(whole);
  const std::size_t count = (whole.size() + kLookedAtWhole - 1) / kLookedAtWhole;
  std::vector<std::string> parts(count);
  for_each_parallel(count, threads, [&](std::size_t part, unsigned) {
    const std::size_t begin = part * kLookedAtWhole;
    parts[part] = sha256_hex(whole.subspan(begin, std::min<std::size_t>(kLookedAtWhole, whole.size() - begin)));
  });
  Sha256 digest;
  for (const auto& part : parts) digest.update(std::string_view(part));
  return digest.hex();
}

unsigned digest_threads() {
  return std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
}

}  // namespace kgate::runner
