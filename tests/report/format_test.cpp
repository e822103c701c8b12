#include "gate/report/format.h"

#include <limits>

#include "tests/support/catch.h"

using namespace kgate::report;

TEST_CASE("a ratio is told as a change with its bounds") {
  CHECK(change(1.031, 1.029, 1.033) == "+3.1 % [+2.9, +3.3]");
  CHECK(change(0.75, 0.748, 0.752) == "-25.0 % [-25.2, -24.8]");
  CHECK(change(1.0015, 0.9995, 1.0035) == "+0.15 % [-0.05, +0.35]");
  CHECK(change(1.00001, 0.99999, 1.00003) == "0.00 % [0.00, 0.00]");
  CHECK(change(3.2, 3.1, 3.3) == "+220 % [+210, +230]");
  CHECK(change(1.02) == "+2.0 %");
  CHECK(change(1) == "0.00 %");
  CHECK(change(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("times and rates have a fixed number of digits") {
  CHECK(microseconds(5.12345) == "5.123");
  CHECK(microseconds(236.14) == "236.1");
  CHECK(microseconds(12345.6) == "12346");
  CHECK(microseconds(0.5) == "0.5000");
  CHECK(microseconds(0) == "0");
  CHECK(rate(3120.4) == "3120");
  CHECK(rate(87.34) == "87.3");
  CHECK(value(0.0123) == "0.0123");
  CHECK(value(2.1e-10) == "2.1e-10");
  CHECK(value(3) == "3");
  CHECK(value(120) == "120");
  CHECK(value(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("text is measured, cut and broken by columns, not bytes") {
  CHECK(columns("größe") == 5);
  CHECK(columns("大小") == 4);
  CHECK(columns("e\u0301") == 1);
  CHECK(cut("größenordnung", 8) == "größe...");
  CHECK(cut("大小大小", 6) == "大...");
  CHECK(cut("short", 5) == "short");
  CHECK(wrap("one two three", 9, 2) == "  one two\n  three");
  CHECK(wrap("averylongwordthatdoesnotfit x", 10, 0) == "averylongwordthatdoesnotfit\nx");
  CHECK(wrap("", 10, 2) == "  ");
  CHECK(count(1, "kernel") == "1 kernel");
  CHECK(count(0, "kernel") == "0 kernels");
  CHECK(one_line("a\nb\tc\x1b") == "a b c\\x1b");
}
