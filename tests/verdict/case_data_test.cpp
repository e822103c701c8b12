#include "gate/verdict/subject/case_data.h"

#include "tests/support/catch.h"

using namespace kgate;

TEST_CASE("a case's fixed seed fixes its contents, and neither the orders nor the places of a round") {
  cases::CaseSpec one;
  one.seed = 7;
  CHECK(verdict::seed_of(one, {1, "k", "a"}) == 7);
  CHECK(verdict::seed_of(one, {2, "k", "a"}) == 7);
  CHECK(verdict::stream_of({1, "k", "a/round1/batch"}) != verdict::stream_of({1, "k", "a/round2/batch"}));
  CHECK(verdict::stream_of({1, "k", "a/round1/batch"}) != verdict::stream_of({1, "k", "a/round1/fresh"}));
  CHECK(verdict::stream_of({1, "k", "a"}) != verdict::stream_of({2, "k", "a"}));
}

TEST_CASE("a case without a seed draws its contents from the run's") {
  const cases::CaseSpec one;
  CHECK(verdict::seed_of(one, {1, "k", "a"}) == verdict::stream_of({1, "k", "a"}));
}
