#include "base/error.h"
#include "gate/cases/expression.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using kgate::cases::evaluate;
using kgate::cases::Expression;
using kgate::cases::names_in;
using kgate::cases::Variables;

namespace {

const Variables kSizes{
    {"rows", 31}, {"cols", 37}, {"zero", 0}, {"large", std::int64_t{1} << 53}, {"beyond", (std::int64_t{1} << 53) + 1},
    {"min", 3}};

std::int64_t value(const std::string& text) {
  return evaluate({text, "k.toml:7: launch[0].grid[0]"}, kSizes);
}

std::string complaint(const std::string& text) {
  return error_of([&] { value(text); });
}

}  // namespace

TEST_CASE("expressions compute exact integers with the usual precedence") {
  CHECK(value("7") == 7);
  CHECK(value("  rows ") == 31);
  CHECK(value("2 + 3 * 4") == 14);
  CHECK(value("(2 + 3) * 4") == 20);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("100 / 10 / 5") == 2);
  CHECK(value("17 % 5 * 2") == 4);
  CHECK(value("2 * 17 % 5") == 4);
  CHECK(value("-3") == -3);
  CHECK(value("-rows + 1") == -30);
  CHECK(value("2 - -3") == 5);
  CHECK(value("2 * -3") == -6);
  CHECK(value("-(2 + 3)") == -5);
  CHECK(value("-7 % 4") == -3);
  CHECK(value("rows*cols") == 31 * 37);
  CHECK(value("min") == 3);
}

TEST_CASE("functions of expressions round as their names say, for negative numbers too") {
  CHECK(value("ceil_div(7, 2)") == 4);
  CHECK(value("ceil_div(8, 2)") == 4);
  CHECK(value("ceil_div(0, 5)") == 0);
  CHECK(value("ceil_div(-7, 2)") == -3);
  CHECK(value("ceil_div(7, -2)") == -3);
  CHECK(value("ceil_div(-7, -2)") == 4);
  CHECK(value("round_up(31, 8)") == 32);
  CHECK(value("round_up(32, 8)") == 32);
  CHECK(value("min(rows, cols)") == 31);
  CHECK(value("max(rows, cols)") == 37);
  CHECK(value("ceil_div(rows * cols, max(1, min(256, rows)))") == 37);
}

TEST_CASE("expressions are exact to 2^53 and refuse what is beyond") {
  CHECK(value("9007199254740992") == std::int64_t{1} << 53);
  CHECK(value("large - 1 + 1") == std::int64_t{1} << 53);
  CHECK(value("-large") == -(std::int64_t{1} << 53));
  CHECK(value("94906265 * 94906265") == std::int64_t{94906265} * 94906265);
  const std::string beyond = "goes beyond 2^53; use smaller sizes";
  CHECK(complaint("large + 1") == "usage: k.toml:7: launch[0].grid[0]: \"large + 1\" " + beyond);
  CHECK(complaint("-large - 1") == "usage: k.toml:7: launch[0].grid[0]: \"-large - 1\" " + beyond);
  CHECK(complaint("large * large") == "usage: k.toml:7: launch[0].grid[0]: \"large * large\" " + beyond);
  CHECK(complaint("beyond") == "usage: k.toml:7: launch[0].grid[0]: \"beyond\" " + beyond);
  CHECK(complaint("9007199254740993") == "usage: k.toml:7: launch[0].grid[0]: \"9007199254740993\" " + beyond);
  CHECK(complaint("99999999999999999999") == "usage: k.toml:7: launch[0].grid[0]: \"99999999999999999999\" " + beyond);
  CHECK(complaint("round_up(large, 5)") == "usage: k.toml:7: launch[0].grid[0]: \"round_up(large, 5)\" " + beyond);
}

TEST_CASE("expressions refuse fractions and division by zero") {
  CHECK(complaint("rows / 2") ==
        "usage: k.toml:7: launch[0].grid[0]: \"rows / 2\" leaves a fraction: 31 / 2; use ceil_div(a, b), or sizes that "
        "divide");
  for (const char* text : {"rows / 0", "rows % zero", "ceil_div(1, zero)", "round_up(1, 0)"}) {
    CHECK(complaint(text) == "usage: k.toml:7: launch[0].grid[0]: \"" + std::string(text) +
                                 "\" divides by zero; guard it with max(1, ...)");
  }
}

TEST_CASE("an unknown name in an expression is told with the nearest known one") {
  CHECK(complaint("row + 1") ==
        "usage: k.toml:7: launch[0].grid[0]: \"row + 1\" has the unknown name \"row\"; did you mean \"rows\"?");
  CHECK(complaint("ceildiv(rows, 2)") ==
        "usage: k.toml:7: launch[0].grid[0]: \"ceildiv(rows, 2)\" has the unknown name \"ceildiv\"; did you mean "
        "\"ceil_div\"?");
  CHECK(complaint("heads") ==
        "usage: k.toml:7: launch[0].grid[0]: \"heads\" has the unknown name \"heads\"; known names: beyond, cols, "
        "large, min, "
        "rows, zero, ceil_div, max, min, round_up");
  CHECK(complaint("max") ==
        "usage: k.toml:7: launch[0].grid[0]: \"max\" has \"max\" without its two arguments; write max(a, b)");
}

TEST_CASE("what is no integer expression is refused whole") {
  const std::string where = "usage: k.toml:7: launch[0].grid[0]: ";
  CHECK(complaint("1.5") == where + "\"1.5\" has a decimal point; expressions are of integers");
  CHECK(complaint("1e3") == where + "\"1e3\" has \"1e3\", which is not an integer; write integers in decimal digits");
  CHECK(complaint("0x10") ==
        where + "\"0x10\" has \"0x10\", which is not an integer; write integers in decimal digits");
  CHECK(complaint("") == where + "\"\" is empty; write an integer or an expression");
  CHECK(complaint(" ") == where + "\" \" is empty; write an integer or an expression");
  CHECK(complaint("rows ? 1 : 2") ==
        where +
            "\"rows ? 1 : 2\" has the character \"?\", which no expression has; use + - * / % ( ) and "
            "ceil_div, round_up, min, max");
  CHECK(complaint("rows^2") ==
        where +
            "\"rows^2\" has the character \"^\", which no expression has; use + - * / % ( ) and ceil_div, "
            "round_up, min, max");
  CHECK(complaint("rows\n") ==
        where +
            "\"rows\\x0a\" has the character \"\\x0a\", which no expression has; use + - * / % ( ) and "
            "ceil_div, round_up, min, max");
  CHECK(complaint("rows +") == where + "\"rows +\" is not an expression: it ends too early; complete it");
  CHECK(complaint("(rows") == where + "\"(rows\" is not an expression: a parenthesis is not closed; close it");
  CHECK(complaint("rows)") ==
        where + "\"rows)\" is not an expression: \")\" is not expected there; see docs/kernel-toml.md");
  CHECK(complaint("rows cols") ==
        where + "\"rows cols\" is not an expression: \"cols\" is not expected there; see docs/kernel-toml.md");
  CHECK(complaint("1, 2") == where + "\"1, 2\" is more than one expression; write one");
  CHECK(complaint("ceil_div(1)") == where +
                                        "\"ceil_div(1)\" is not an expression: a function has not two arguments; each "
                                        "of ceil_div, round_up, min, max takes two");
  CHECK(complaint("max(1, 2, 3)") == where +
                                         "\"max(1, 2, 3)\" is not an expression: a function has not two arguments; "
                                         "each of ceil_div, round_up, min, max takes two");
  CHECK(complaint("+ 3") ==
        where + "\"+ 3\" is not an expression: \"+\" is not expected there; see docs/kernel-toml.md");
  CHECK(complaint("* 3") ==
        where + "\"* 3\" is not an expression: \"*\" is not expected there; see docs/kernel-toml.md");
  CHECK(complaint("--3") ==
        where + "\"--3\" is not an expression: \"-\" is not expected there; see docs/kernel-toml.md");
  CHECK(complaint(std::string(1001, '1')) ==
        where + "\"" + std::string(120, '1') + "...\" is longer than 1000 characters; make it shorter");
}

TEST_CASE("deep parentheses are computed and do not end the process") {
  CHECK(value(std::string(400, '(') + "1" + std::string(400, ')')) == 1);
  std::string sum = "1";
  for (int i = 0; i < 400; ++i) sum += "+1";
  CHECK(value(sum) == 401);
}

TEST_CASE("the names of an expression are its variables, functions left out") {
  CHECK(names_in({"ceil_div(rows * 4, BLOCK_2) + 12", ""}) == std::vector<std::string>{"rows", "BLOCK_2"});
  CHECK(names_in({"256", ""}).empty());
}
