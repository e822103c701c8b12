#include "gate/counters/bound.h"

#include <string>

#include "tests/support/catch.h"

using namespace kgate::counters;

namespace {

// "bandwidth bound", "compute bound, balanced", or "unknown".
std::string classed(const Throughputs& throughputs) {
  const auto found = classify(throughputs);
  if (!found) return "unknown";
  return std::string(name_of(found->bound)) + (found->balanced ? ", balanced" : "");
}

}  // namespace

TEST_CASE("a kernel under 30 % of everything is latency bound, and from 30 % on it is not") {
  CHECK(classed({0, 0, 0}) == "latency bound");
  CHECK(classed({29.99, 29.99, 29.99}) == "latency bound");
  CHECK(classed({30, 10, 10}) == "compute bound");
  CHECK(classed({10, 30, 10}) == "bandwidth bound");
  CHECK(classed({10, 10, 30}) == "bandwidth bound");
  CHECK(classed({30.01, 10, 10}) == "compute bound");
}

TEST_CASE("the larger of computing and memory decides, and memory where they are equal") {
  CHECK(classed({90, 40, 5}) == "compute bound");
  CHECK(classed({40, 90, 5}) == "bandwidth bound");
  CHECK(classed({40, 5, 90}) == "bandwidth bound");
  CHECK(classed({70, 70, 70}) == "bandwidth bound, balanced");
}

TEST_CASE("less than 10 points between them is balanced, where both are used") {
  CHECK(classed({80, 70, 70}) == "compute bound");
  CHECK(classed({79.9, 70, 70}) == "compute bound, balanced");
  CHECK(classed({70, 79.9, 70}) == "bandwidth bound, balanced");
  CHECK(classed({31, 25, 25}) == "compute bound");
}

TEST_CASE("without one of the throughputs there is no class") {
  CHECK(classed({std::nullopt, 90, 90}) == "unknown");
  CHECK(classed({5, std::nullopt, 5}) == "unknown");
  CHECK(classed({90, 10, std::nullopt}) == "unknown");
}
