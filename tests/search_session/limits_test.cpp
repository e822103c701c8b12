#include "gate/search/session/limits.h"

#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;

namespace {

trust::SearchBounds bounds() {
  trust::SearchBounds some;
  some.iterations = 20;
  some.seconds = 300;
  some.gpu_seconds = 100;
  some.tokens = 1000;
  some.cost_usd = 2;
  some.patience = 5;
  return some;
}

}  // namespace

TEST_CASE("a search spends what the policy allows") {
  const Budgets budgets = budgets_of(bounds(), {}, true);
  CHECK(budgets.iterations == 20);
  CHECK(budgets.seconds == 300);
  CHECK(budgets.gpu_seconds == 100);
  CHECK(budgets.tokens == 1000);
  CHECK(budgets.cost_usd == 2);
  CHECK(budgets.patience == 5);
  CHECK(budgets.model);
}

TEST_CASE("in a CI job the command line narrows what the policy allows and never widens it") {
  Limits limits;
  limits.narrow_only = true;
  limits.iterations = 1000;
  limits.seconds = 1e6;
  limits.gpu_seconds = 1e6;
  limits.tokens = 1000000;
  limits.cost_usd = 1000;
  limits.patience = 100;
  const Budgets wide = budgets_of(bounds(), limits, true), said = budgets_of(bounds(), {}, true);
  CHECK(wide.iterations == said.iterations);
  CHECK(wide.seconds == said.seconds);
  CHECK(wide.gpu_seconds == said.gpu_seconds);
  CHECK(wide.tokens == said.tokens);
  CHECK(wide.cost_usd == said.cost_usd);
  CHECK(wide.patience == said.patience);
  limits.patience = 0;  // endless
  CHECK(budgets_of(bounds(), limits, true).patience == 5);
  limits = {3, 2, 10, 4.0, 5.0, 0.5, true};
  const Budgets narrow = budgets_of(bounds(), limits, true);
  CHECK(narrow.iterations == 3);
  CHECK(narrow.patience == 2);
  CHECK(narrow.tokens == 10);
  CHECK(narrow.seconds == 4);
  CHECK(narrow.gpu_seconds == 5);
  CHECK(narrow.cost_usd == 0.5);
  limits.iterations = 7;
  CHECK(budgets_of({}, limits, false).iterations == 0);  // the policy allows no search
  CHECK(forbids(budgets_of({}, limits, false)));
}

TEST_CASE("a person at a machine may search without a policy that says so, and longer than it says") {
  Limits limits;
  limits.narrow_only = false;
  CHECK(forbids(budgets_of({}, limits, false)));  // nothing was typed
  limits.iterations = 50;
  Budgets budgets = budgets_of({}, limits, false);
  CHECK_FALSE(forbids(budgets));
  CHECK(budgets.iterations == 50);
  CHECK(budgets.seconds == 1800);
  CHECK(budgets.gpu_seconds == 600);
  limits.seconds = 60;
  CHECK(budgets_of({}, limits, false).seconds == 60);
  CHECK(budgets_of(bounds(), limits, false).iterations == 50);
  CHECK(budgets_of(bounds(), limits, false).gpu_seconds == 100);
  // Money is never spent because nothing was said of it.
  CHECK(forbids(budgets_of({}, limits, true))->reason == "[search] tokens is 0: no model may be asked");
}
