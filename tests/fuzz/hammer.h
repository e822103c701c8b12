#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/philox.h"

// A fuzzer for every compiler: no coverage, a fixed sequence of random numbers.

// A copy with one to four small changes: the kinds that keep most of a file as it was, so that the deep checks are
// reached. `words` are put in now and then.
kgate::Bytes mutated(kgate::Bytes file, const std::vector<std::string>& words, kgate::RandomStream& random);

struct Hammer {
  std::uint64_t executions = 20000;
  std::uint64_t seed = 0x6b67617465, stream = 0;
  std::vector<std::string> words;
  std::function<void(kgate::ByteView)> before;  // told of every input; empty: nobody
};
// Calls `target` with mutations of good inputs. What escapes from it escapes from here.
void hammer(int (*target)(const std::uint8_t*, std::size_t), const std::vector<kgate::Bytes>& inputs,
            const Hammer& options);

// The files of a folder, in the order of their names.
std::vector<kgate::Bytes> corpus(const std::filesystem::path& folder);
