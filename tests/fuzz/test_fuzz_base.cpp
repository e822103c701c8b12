#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/safetensors.h"
#include "tests/fuzz/hammer.h"
#include "tests/fuzz/targets.h"
#include "tests/support/catch.h"

using namespace kgate;

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
