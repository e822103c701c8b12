#include <bit>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/philox.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

std::string parse_error(const std::string& text) {
  return error_of([&] { parse_json(text, "a.json"); });
}

}  // namespace

TEST_CASE("canonical JSON has sorted keys, no white space and UTF-8 as it is") {
  Json value = {{"b", 1}, {"a", {true, nullptr, -5, "x\n\"ü€\x01"}}, {"", Json::object()}, {"é", Json::array()}};
  CHECK(canonical_json(value) == "{\"\":{},\"a\":[true,null,-5,\"x\\n\\\"ü€\\u0001\"],\"b\":1,\"é\":[]}");
  CHECK(canonical_json(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(canonical_json(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
}

TEST_CASE("canonical numbers are the shortest that read back equal, and stay floating") {
  CHECK(canonical_json(1.0) == "1.0");
  CHECK(canonical_json(-0.0) == "-0.0");
  CHECK(canonical_json(0.1) == "0.1");
  CHECK(canonical_json(5e-324) == "5e-324");
  CHECK(canonical_json(1e22) == "1e+22");
  CHECK(canonical_json(9007199254740993.0) == "9007199254740992.0");
  CHECK(canonical_json(1.0 / 3) == "0.3333333333333333");
  RandomStream random(1, 0);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<double>(random.next64());
    if (!std::isfinite(value)) continue;
    const Json back = parse_json(canonical_json(value), "number");
    REQUIRE(back.is_number_float());
    REQUIRE(std::bit_cast<std::uint64_t>(back.get<double>()) == std::bit_cast<std::uint64_t>(value));
  }
}

TEST_CASE("what would not survive a round trip has no canonical form") {
  const std::string remedy = "; it cannot be written so that it reads back equal";
  const auto error = [](const Json& value) { return error_of([&] { canonical_json(value); }); };
  CHECK(error({{"x", std::nan("")}}) == "internal: JSON value: holds NaN" + remedy);
  CHECK(error(-std::numeric_limits<double>::infinity()) == "internal: JSON value: holds an infinity" + remedy);
  CHECK(error("\xff") == "internal: JSON value: holds a string that is not UTF-8" + remedy);
  CHECK(error({{"\xc3", 1}}) == "internal: JSON value: holds a string that is not UTF-8" + remedy);
  CHECK(error(Json::binary({1, 2})) == "internal: JSON value: holds bytes" + remedy);
  Json deep = 1;
  for (int i = 0; i < 65; ++i) deep = Json::array({deep});
  CHECK(error(deep) == "internal: JSON value: is more than 64 levels deep" + remedy);
}

TEST_CASE("strict JSON is read back as it was written") {
  const std::string text = R"({"a":[1,-2,2.5,true,false,null,"ü\n"],"b":{"c":{}}})";
  CHECK(canonical_json(parse_json(text, "x")) == text);
  CHECK(parse_json(" \t\r\n1 ", "x") == 1);
  CHECK(parse_json(std::string(64, '[') + std::string(64, ']'), "x").is_array());
}

TEST_CASE("text that is not JSON is refused with the place at which it stopped") {
  CHECK(parse_error("") == "usage: a.json: is not valid JSON at byte 0 (line 1, column 1): the text ends too early");
  CHECK(parse_error("{\"a\": [1, 2") ==
        "usage: a.json: is not valid JSON at byte 11 (line 1, column 12): the text ends too early");
  CHECK(parse_error("{\n  \"a\": 1,\n}") ==
        "usage: a.json: is not valid JSON at byte 12 (line 3, column 1): near \"}\"");
  CHECK(parse_error("[1] 2") == "usage: a.json: is not valid JSON at byte 4 (line 1, column 5): near \"2\"");
  CHECK(parse_error("[NaN]") == "usage: a.json: is not valid JSON at byte 1 (line 1, column 2): near \"NaN]\"");
  CHECK(parse_error("[1] // no") == "usage: a.json: is not valid JSON at byte 4 (line 1, column 5): near \"// no\"");
  CHECK(parse_error("[\"\x01\"]") ==
        "usage: a.json: is not valid JSON at byte 2 (line 1, column 3): near \"\\x01\"]\"");
}

TEST_CASE("a key that is there twice is refused: two readers could take different ones") {
  CHECK(parse_error("{\"a\":1,\"b\":{\"a\":2},\"a\":3}") ==
        "usage: a.json: is not valid JSON at byte 22 (line 1, column 23): the key \"a\" is there twice");
}

TEST_CASE("JSON is read 64 levels deep, not deeper") {
  CHECK(parse_error(std::string(65, '[') + std::string(65, ']')) ==
        "usage: a.json: is not valid JSON at byte 65 (line 1, column 66): more than 64 levels deep");
  CHECK(parse_error(std::string(1000000, '[')) ==
        "usage: a.json: is not valid JSON at byte 65 (line 1, column 66): more than 64 levels deep");
}

TEST_CASE("a number too large for a double is refused, not made infinite") {
  CHECK(parse_error("[1e999]") ==
        "usage: a.json: is not valid JSON at byte 7 (line 1, column 8): the number is too large");
}
