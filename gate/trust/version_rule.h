#pragma once

#include <optional>
#include <string>

namespace kgate::trust {

// A rule over version numbers, as [environment] driver and toolkit have it: one or more conditions, separated by
// commas, that must all hold. A condition is one of >= > <= < == != and a version of one to four whole numbers:
// ">=550", ">=550.54,<600". Versions are compared number by number, and one that ends early is followed by zeros: 550
// equals 550.0, and ">550" takes 550.54 in.

// Why `rule` is not such a rule, as the fact of an error message; nothing where it is one.
std::optional<std::string> version_rule_problem(const std::string& rule);

// False too where `version` is no version ("unknown, because ..."): a rule that cannot be checked does not hold. An
// empty rule holds. `rule` has been through version_rule_problem; a broken one does not hold.
bool version_satisfies(const std::string& version, const std::string& rule);

}  // namespace kgate::trust
