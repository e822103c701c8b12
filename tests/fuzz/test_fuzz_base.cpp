#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/philox.h"
#include "base/safetensors.h"
#include "tests/fuzz/targets.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

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

void hammer(Target target, const std::vector<Bytes>& seeds, std::uint64_t stream) {
  constexpr int kIterations = 20000;
  RandomStream random(0x6b67617465, stream);
  for (int i = 0; i < kIterations; ++i) {
    const Bytes file = mutated(seeds.at(random.below(seeds.size())), random);
    REQUIRE_NOTHROW(target(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
  }
}

}  // namespace

TEST_CASE("a damaged .npy file is refused or read, never more") {
  std::vector<Bytes> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(KGATE_TEST_DATA) + "/base/data")) {
    seeds.push_back(read_file(entry.path(), 1 << 20));
  }
  REQUIRE(seeds.size() > 20);
  std::sort(seeds.begin(), seeds.end());  // the same order on every file system
  hammer(fuzz_npy, seeds, 1);
}

TEST_CASE("a damaged .safetensors file is refused or read, never more") {
  const Tensor floats{DType::f32, {2, 2}, Bytes(16)}, flags{DType::boolean, {3}, Bytes(3)},
      none{DType::f64, {0, 4}, {}};
  hammer(fuzz_safetensors,
         {write_safetensors({}), write_safetensors({{"w", floats}}),
          write_safetensors({{"w", floats}, {"m", flags}, {"e", none}})},
         2);
}

TEST_CASE("damaged JSON is refused or read, never more") {
  std::vector<Bytes> seeds;
  for (const char* text :
       {R"({"a":[1,-2.5e3,true,false,null],"b":{"c":"\u00e9\n\ud83d\ude00"}})", R"([[[[[[{"x":[0.1,1e-7]}]]]]]])",
        R"("ü€ text")", R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]})"}) {
    seeds.push_back(bytes_of(text));
  }
  hammer(fuzz_json, seeds, 3);
}
