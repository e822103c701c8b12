#include "tests/fuzz/hammer.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/file.h"

using namespace kgate;

Bytes mutated(Bytes file, const std::vector<std::string>& words, RandomStream& random) {
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    const std::uint64_t size = file.size();
    const auto at = static_cast<std::ptrdiff_t>(size == 0 ? 0 : random.below(size));
    switch (random.below(size == 0 ? 1 : words.empty() ? 6 : 8)) {
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
      case 5: {  // one part over another: digits into brackets, keys twice
        const std::uint64_t from = random.below(size), length = std::min(size - from, 1 + random.below(20));
        const Bytes part(file.begin() + static_cast<std::ptrdiff_t>(from),
                         file.begin() + static_cast<std::ptrdiff_t>(from + length));
        file.insert(file.begin() + at, part.begin(), part.end());
        break;
      }
      default: {  // a word, in place of a few bytes or between them
        const auto word = bytes_of(words[random.below(words.size())]);
        const auto over =
            std::min<std::uint64_t>(random.below(2) * random.below(12), size - static_cast<std::uint64_t>(at));
        file.erase(file.begin() + at, file.begin() + at + static_cast<std::ptrdiff_t>(over));
        file.insert(file.begin() + at, word.begin(), word.end());
      }
    }
  }
  return file;
}

void hammer(int (*target)(const std::uint8_t*, std::size_t), const std::vector<Bytes>& inputs, const Hammer& options) {
  if (inputs.empty()) throw Error(ErrorKind::usage, "corpus", "holds no file to begin with");
  RandomStream random(options.seed, options.stream);
  for (std::uint64_t i = 0; i < options.executions; ++i) {
    const Bytes file = mutated(inputs[random.below(inputs.size())], options.words, random);
    if (options.before) options.before(file);
    target(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  }
}

std::vector<Bytes> corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> files;
  for (const auto& path : paths) files.push_back(read_file(path, 1 << 20));
  return files;
}
