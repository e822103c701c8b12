#include "gate/trust/version_rule.h"

#include "tests/support/catch.h"

using kgate::trust::version_rule_problem;
using kgate::trust::version_satisfies;

TEST_CASE("a version rule holds where all of its conditions do") {
  struct Row {
    const char* version;
    const char* rule;
    bool holds;
  };
  const Row rows[] = {
      {"550.54.15", ">=550", true},
      {"550", ">=550", true},
      {"549.99", ">=550", false},
      {"550.54.15", ">=550.54,<600", true},
      {"600", ">=550.54,<600", false},
      {"550.53", ">=550.54,<600", false},
      {"550.54", " >= 550.54 , < 600 ", true},
      {"13.0", "==13", true},
      {"13.0.1", "==13", false},
      {"12.9", "!=12.9", false},
      {"12.8", "!=12.9", true},
      {"550.54", ">550", true},
      {"550.0", ">550", false},
      {"550.54", "<=550", false},
      {"9.10", ">9.9", true},
      {"anything", "", true},
      {"unknown, because there is no driver", ">=550", false},
      {"", ">=550", false},
      {"550.", ">=550", false},
      {"1.2.3.4.5", ">=1", false},
      {"550", "about 550", false},
  };
  for (const Row& row : rows) {
    INFO(row.version << " " << row.rule);
    CHECK(version_satisfies(row.version, row.rule) == row.holds);
  }
}

TEST_CASE("what is no version rule is said with the part that is wrong") {
  CHECK_FALSE(version_rule_problem(">=550"));
  CHECK_FALSE(version_rule_problem(">=550.54,<600"));
  CHECK(version_rule_problem("").value() == "\"\" is no condition on a version");
  CHECK(version_rule_problem("550").value() == "\"550\" is no condition on a version");
  CHECK(version_rule_problem(">=550,").value() == "\"\" is no condition on a version");
  CHECK(version_rule_problem(">=550,<6x").value() == "\"<6x\" is no condition on a version");
  CHECK(version_rule_problem(">=-1").value() == "\">=-1\" is no condition on a version");
  CHECK(version_rule_problem(">=99999999999").value() == "\">=99999999999\" is no condition on a version");
}
