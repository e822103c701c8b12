#include "gate/trust/diff.h"

#include "tests/support/catch.h"

using kgate::view_of;
using kgate::trust::unified_diff;

TEST_CASE("two versions of a file are told as a unified diff, equal ones as nothing") {
  CHECK(unified_diff("a/b.cu", view_of("one\ntwo\n"), view_of("one\ntwo\n")).empty());
  const std::string diff = unified_diff("a/b.cu", view_of("one\ntwo\nthree\n"), view_of("one\n2\nthree\n"));
  CHECK(diff.find("--- a/a/b.cu\n+++ b/a/b.cu\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n") != std::string::npos);
  CHECK(unified_diff("x", view_of(""), view_of("new\n")).find("+new\n") != std::string::npos);
  CHECK(unified_diff("x", view_of(""), view_of("")).empty());
}

TEST_CASE("binary files are not spelt out in a diff") {
  const std::string diff =
      unified_diff("x.bin", view_of(std::string_view("a\0b", 3)), view_of(std::string_view("a\0c", 3)));
  CHECK(diff.find("Binary files") != std::string::npos);
  CHECK(diff.find('\0') == std::string::npos);
}
