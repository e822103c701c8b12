#include "base/base64.h"
#include "tests/support/catch.h"

using namespace kgate;

TEST_CASE("base64 has the examples of RFC 4648") {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : examples) {
    CHECK(base64(view_of(plain)) == text);
    CHECK(from_base64(text) == bytes_of(plain));
  }
}

TEST_CASE("every byte and every length goes through base64 and back, over the size of one part too") {
  for (const std::size_t size :
       {0u, 1u, 2u, 3u, 255u, 256u, 257u, (3u << 20) - 1, 3u << 20, (3u << 20) + 1, (7u << 20) + 2}) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 7 + i / 256) & 255U);
    const std::string text = base64(bytes);
    REQUIRE(text.size() == (size + 2) / 3 * 4);
    REQUIRE(text.find_first_of("-_\n") == std::string::npos);
    REQUIRE(from_base64(text) == bytes);
  }
}

TEST_CASE("the URL-safe alphabet is read, and not both in one text") {
  const Bytes bytes = {std::byte{0xfb}, std::byte{0xef}, std::byte{0xff}};
  CHECK(base64(bytes) == "++//");
  CHECK(from_base64("++//") == bytes);
  CHECK(from_base64("--__") == bytes);
  CHECK_FALSE(from_base64("++__"));
  CHECK_FALSE(from_base64("-+//"));
}

TEST_CASE("only the one encoding of some bytes is read") {
  CHECK_FALSE(from_base64("Zg"));  // padding is missing
  CHECK_FALSE(from_base64("Zg="));
  CHECK_FALSE(from_base64("Zh=="));  // the last bits carry no data
  CHECK_FALSE(from_base64("Zm9="));
  CHECK_FALSE(from_base64("Zg==Zg=="));  // two texts
  CHECK_FALSE(from_base64("Zg==\n"));
  CHECK_FALSE(from_base64("Zm9v\n"));
  CHECK_FALSE(from_base64(" Zm9v"));
  CHECK_FALSE(from_base64("Zm9v    "));
  CHECK_FALSE(from_base64("    "));
  CHECK_FALSE(from_base64("Zm 9v"));
  CHECK_FALSE(from_base64("===="));
  CHECK_FALSE(from_base64("Z==="));
  CHECK_FALSE(from_base64("Zm9v===="));
  CHECK_FALSE(from_base64("Zm9*"));
  CHECK_FALSE(from_base64(std::string_view("Zm9\0", 4)));
  CHECK_FALSE(from_base64("Zm9\xff"));
}
