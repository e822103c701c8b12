#include "base/error.h"
#include "base/toml_characters.h"
#include "tests/support/catch.h"

namespace kgate {
namespace {

std::string refusal(std::string_view text) {
  try {
    check_toml_characters(text, "a.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("characters beyond ascii may stand in every kind of string, in comments, and before all as a mark") {
  for (const char* text :
       {"\xEF\xBB\xBF"
        "a = 1",
        "a = \"\u0431\"", "a = '\u0431'", "# \u0431\na = 1", "a = \"\"\"\u0431\n\u0431\"\"\"",
        "a = '''\u0431\n'\u0431'''", "\"\u0431\" = 1", "a = \"\\\\\" # \u0431", "a = \"\\\"\u0431\"",
        "a = \"\"\"x\"\"\"\"\" # \u0431", "a = \"\"\"x\\\n   \"\"\" # \u0431", "a = '\\' # \u0431"}) {
    INFO(text);
    CHECK(refusal(text).empty());
  }
}

TEST_CASE("a character beyond ascii outside of strings and comments is refused with its line and what to do") {
  const std::string outside =
      "a.toml:2: has a character that is not ASCII outside of strings and comments; put a name like this in quotes";
  for (const char* text :
       {"a = 1\nblo\u03fdk = 2", "a = 1\n\u00baseconds = 2", "a = 1\nb = 1\u00a0", "a = 1\n\u3000b = 2",
        "a = \"\"\"\n\"\"\"\u0431", "a = '\nb\u0431 = 1", "a = \"\nb\u0431 = 1", "a = \"\\\nb\u0431 = 1"}) {
    INFO(text);
    CHECK(refusal(text) == outside);
  }
}

TEST_CASE("a string behind something else, in which a value's end would be looked for, is ascii") {
  const std::string behind =
      "a.toml:2: has a character that is not ASCII in a string that stands behind something else; put a comma, an "
      "equals sign or a line's end between";
  for (const char* text :
       {"\na = 1\"\u0431\"", "\na = 1979-05-27 '\u0431'", "\na.\"\u0431\" = 1", "\na = b\"\"\"\u0431\"\"\""}) {
    INFO(text);
    CHECK(refusal(text) == behind);
  }
  CHECK(refusal("a = [\"\u0431\", '\u0431',\n '\u0431']\nb = { \"\u0431\" = 1, '\u0431' = 2 }").empty());
}

TEST_CASE("a character beyond ascii after a backslash is refused, also where the backslash ends a line") {
  const std::string after =
      " has a character that is not ASCII after a backslash; write it before the backslash, or "
      "leave that out";
  CHECK(refusal("a = \"\\\u0431\"") == "a.toml:1:" + after);
  CHECK(refusal("a = \"\"\"x\\\n  \u0431\"\"\"") == "a.toml:2:" + after);
}

}  // namespace kgate
