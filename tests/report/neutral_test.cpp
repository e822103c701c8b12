#include "base/utf8.h"
#include "gate/report/report.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"

using kgate::report::neutral;

TEST_CASE("foreign text cannot drive a terminal") {
  CHECK(neutral("plain, größe, 大小\n\ttab") == "plain, größe, 大小\n\ttab");
  CHECK(neutral("\x1b[31mred") == "\\x1b[31mred");
  CHECK(neutral("a\rb\bc\x7f") == "a\\x0db\\x08c\\x7f");
  CHECK(neutral("\u009b31m") == "\\x9b31m");
  CHECK(neutral(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(neutral("\u202Eabc\u2066") == "\\u{202e}abc\\u{2066}");
  CHECK(neutral("a\u200Bb\u2028c\uFEFF") == "a\\u{200b}b\\u{2028}c\\u{feff}");
}

TEST_CASE("foreign text cannot give commands to a CI system") {
  CHECK(neutral("::error::x") == "\\::error::x");
  CHECK(neutral("a\n  ::error::x") == "a\n  \\::error::x");
  CHECK(neutral("a ::b") == "a \\::b");
  CHECK(neutral("std::max a::b") == "std::max a::b");
  CHECK(neutral("##[error]x") == "#\\#[error]x");
  CHECK(neutral("x ##vso[y]") == "x #\\#vso[y]");
  CHECK(neutral("##teamcity[x") == "#\\#teamcity[x");
  CHECK(neutral("a##b [c]") == "a##b [c]");
}

TEST_CASE("bytes that are not UTF-8 are replaced, each bad sequence once") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(neutral("a\xff\xfe z") == "a" + bad + bad + " z");
  CHECK(kgate::valid_utf8("\xC0\xAF") == bad + bad);                      // overlong
  CHECK(kgate::valid_utf8("\xED\xA0\x80") == bad + bad + bad);            // a surrogate
  CHECK(kgate::valid_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // over U+10FFFF
  CHECK(kgate::valid_utf8("\xF0\x9F\x98") == bad);                        // cut off
  CHECK(kgate::valid_utf8("\xE2\x82 x") == bad + " x");
  CHECK(kgate::valid_utf8("\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA9") == "\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA9");
}

TEST_CASE("no report of a hostile kernel holds a control character or begins a line with a command") {
  for (const Sample& sample : samples()) {
    for (const int width : {40, 60, 100, 200}) {
      kgate::report::TextStyle style;
      style.width = width;
      const std::string text = kgate::report::write_text(sample.result, style);
      INFO(sample.name << "\n" << text);
      CHECK(kgate::valid_utf8(text) == text);
      bool clean = true, start = true;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        clean = clean && (c >= 0x20 || c == '\n') && c != 0x7f && !(start && text.compare(i, 2, "::") == 0);
        start = c == '\n' || (start && c == ' ');
      }
      CHECK(clean);
      CHECK(text.find("##[") == std::string::npos);
      CHECK(text.find("##vso[") == std::string::npos);
    }
  }
}
