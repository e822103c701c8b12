#include "base/nearest.h"
#include "tests/support/catch.h"

using namespace kgate;

TEST_CASE("a slip of the finger finds the word that was meant") {
  const std::vector<std::string> known{"rtol", "atol", "max_ulp", "norm_rtol", "nan"};
  CHECK(nearest("rtoll", known) == "rtol");
  CHECK(nearest("rtl", known) == "rtol");
  CHECK(nearest("rotl", known) == "rtol");  // neighbours swapped
  CHECK(nearest("RTOL", known) == "rtol");
  CHECK(nearest("max_ulps", known) == "max_ulp");
  CHECK(nearest("normrtol", known) == "norm_rtol");
}

TEST_CASE("a word that is near to nothing gets no suggestion") {
  CHECK_FALSE(nearest("tolerance", {"rtol", "atol"}).has_value());
  CHECK_FALSE(nearest("x", {"y", "z"}).has_value());
  CHECK_FALSE(nearest("", {"a"}).has_value());
  CHECK_FALSE(nearest(std::string(1000000, 'a'), {std::string(1000000, 'a')}).has_value());
  CHECK_FALSE(nearest("rtol", {}).has_value());
}

TEST_CASE("of two words equally near the first is suggested") {
  CHECK(nearest("xtol", {"rtol", "atol"}) == "rtol");
}

TEST_CASE("the remedy names the nearest word or all of them") {
  CHECK(suggestion("rtoll", {"atol", "rtol"}) == "did you mean \"rtol\"?");
  CHECK(suggestion("tolerance", {"atol", "rtol"}) == "known keys: atol, rtol");
  CHECK(suggestion("tolerance", {}) == "known keys: none");
}
