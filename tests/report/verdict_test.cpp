#include "gate/verdict/result/verdict.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate::verdict;
using kgate::ExitCode;

TEST_CASE("every verdict has its name and its exit code") {
  struct Row {
    Verdict verdict;
    const char* name;
    int code;
    bool passes;
  };
  const Row rows[] = {
      {Verdict::pass, "pass", 0, true},
      {Verdict::faster, "faster", 0, true},
      {Verdict::unchanged, "unchanged", 0, true},
      {Verdict::preapproved, "preapproved", 0, true},
      {Verdict::fresh, "new", 6, false},
      {Verdict::regressed, "regressed", 1, false},
      {Verdict::wrong, "wrong", 2, false},
      {Verdict::suspect, "suspect", 2, false},
      {Verdict::inconclusive, "inconclusive", 3, false},
      {Verdict::untrusted, "untrusted", 4, false},
      {Verdict::environment, "environment", 5, false},
      {Verdict::missing, "missing", 6, false},
  };
  for (const Row& row : rows) {
    CHECK(name_of(row.verdict) == std::string(row.name));
    CHECK(verdict_from_name(row.name) == row.verdict);
    CHECK(static_cast<int>(exit_code_of(row.verdict)) == row.code);
    CHECK(passes(row.verdict) == row.passes);
  }
  CHECK(error_of([] { verdict_from_name("regresed"); }) ==
        "usage: verdict \"regresed\": is not known; did you mean \"regressed\"?");
  CHECK(error_of([] { verdict_from_name("new\n"); }) != "no error");
}

TEST_CASE("the worst verdict counts, in the documented order") {
  const std::vector<Verdict> order{Verdict::untrusted,    Verdict::wrong,   Verdict::suspect,
                                   Verdict::regressed,    Verdict::missing, Verdict::environment,
                                   Verdict::inconclusive, Verdict::fresh,   Verdict::pass};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i; j < order.size(); ++j) {
      CHECK(worst({order[i], order[j]}) == order[i]);
      CHECK(worst({order[j], order[i]}) == order[i]);
    }
  }
  CHECK(worst({}) == Verdict::pass);
  CHECK(worst({Verdict::faster, Verdict::unchanged, Verdict::preapproved}) == Verdict::pass);
}
