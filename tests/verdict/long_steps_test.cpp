#include "gate/verdict/check/long_steps.h"

#include <algorithm>
#include <future>
#include <vector>

#include "tests/support/catch.h"

using kgate::verdict::LongSteps;

namespace {

constexpr double kNever = 3600;

}  // namespace

TEST_CASE("a step that takes long is told while it runs, once, and by its own name") {
  std::promise<std::string> told;
  int times = 0;
  {
    LongSteps steps(0, [&](const std::string& what) {
      if (++times == 1) told.set_value(what);
    });
    steps.begin(3, "softmax: wide");
    CHECK(told.get_future().get() == "softmax: wide");
  }
  CHECK(times == 1);
}

TEST_CASE("of several workers each one's step is told") {
  std::promise<void> both;
  std::vector<std::string> told;
  {
    LongSteps steps(0, [&](const std::string& what) {
      told.push_back(what);
      if (told.size() == 2) both.set_value();
    });
    steps.begin(0, "softmax: wide");
    steps.begin(1, "saxpy: odd");
    both.get_future().wait();
  }
  std::sort(told.begin(), told.end());
  CHECK(told == std::vector<std::string>{"saxpy: odd", "softmax: wide"});
}

TEST_CASE("steps that are over in time are not told, and nobody waits for the rest of theirs") {
  int times = 0;
  {
    LongSteps steps(kNever, [&](const std::string&) { ++times; });
    steps.begin(0, "softmax: odd");
    steps.begin(0, "softmax: wide");
    steps.end(0);
    steps.begin(1, "saxpy: odd");
  }
  CHECK(times == 0);
}
