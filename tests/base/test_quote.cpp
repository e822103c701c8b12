#include "base/quote.h"
#include "tests/support/catch.h"

TEST_CASE("quoted text fits in one line of a message and is UTF-8") {
  CHECK(kgate::quoted("rows") == "\"rows\"");
  CHECK(kgate::quoted("a\nb\x1b[31m\x7f") == "\"a\\x0ab\\x1b[31m\\x7f\"");
  CHECK(kgate::quoted("größe €") == "\"größe €\"");
  CHECK(kgate::quoted("\xff\xc3") == "\"\\xff\\xc3\"");
  CHECK(kgate::quoted("\xc0\xaf \xed\xa0\x80") == "\"\\xc0\\xaf \\xed\\xa0\\x80\"");  // overlong, surrogate
  CHECK(kgate::quoted("\xc2\x9b"
                      "1m") == "\"\\xc2\\x9b1m\"");  // a terminal's CSI in one character
  CHECK(kgate::quoted(std::string(500, 'x')) == "\"" + std::string(120, 'x') + "...\"");
}

TEST_CASE("identifiers are C's") {
  CHECK(kgate::is_identifier("block_x1"));
  CHECK(kgate::is_identifier("_"));
  CHECK_FALSE(kgate::is_identifier(""));
  CHECK_FALSE(kgate::is_identifier("1x"));
  CHECK_FALSE(kgate::is_identifier("a-b"));
  CHECK_FALSE(kgate::is_identifier("größe"));
}

TEST_CASE("a kernel's name can name a file and a branch") {
  CHECK(kgate::is_kernel_name("softmax"));
  CHECK(kgate::is_kernel_name("3d-stencil_v2.f16"));
  CHECK(kgate::is_kernel_name(std::string(100, 'k')));
  CHECK_FALSE(kgate::is_kernel_name(std::string(101, 'k')));
  for (const char* bad : {"", ".", "..", ".git", "-x", "a/b", "a b", "a\n",
                          "gr\xc3\xb6\xc3\x9f"
                          "e"})
    CHECK_FALSE(kgate::is_kernel_name(bad));
}
