#include "gate/trust/policy.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "base/quote.h"
#include "base/toml_reader.h"
#include "gate/trust/policy_values.h"
#include "gate/trust/version_rule.h"

// The policy is the one file that decides what blocks a merge, so nothing in it is guessed: a key that is misspelt
// would otherwise be a rule that silently does not hold. Every table names its keys, every number its range.
namespace kgate::trust {
namespace {

std::string word_of(const TomlReader& value, const std::vector<std::string>& known) {
  return known[value.choice(known)];
}

double share(const TomlReader& value) {
  return number_in(value, 0, 10, "write a share: 0.02 is 2 %");
}

// ---- one function a table, in the order of docs/policy.md

void read_zone(const TomlReader& table, Zone& zone) {
  table.allow_only({"tolerate", "block", "absolute_us", "creep"});
  if (const auto value = table.find("tolerate")) zone.tolerate = share(*value);
  if (const auto value = table.find("block")) zone.block = share(*value);
  if (const auto value = table.find("absolute_us")) {
    zone.absolute_us = number_in(*value, 0, 1e6, "write microseconds from 0 to 1000000");
  }
  if (const auto value = table.find("creep")) zone.creep = share(*value);
}

std::string decimal(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

void check_zone(const TomlReader& table, const Zone& zone) {
  if (zone.tolerate < zone.block) return;
  table.fail("tolerate (" + decimal(zone.tolerate) + ") is not below block (" + decimal(zone.block) + ")",
             "between the two lies what the measurement may leave open; the defaults are 0.005 and 0.02");
}

void read_budget(const TomlReader& table, Budget& budget) {
  table.allow_only({"seconds_per_case", "seconds_per_suite", "rounds", "placement", "pool_gib"});
  if (const auto value = table.find("seconds_per_case")) {
    budget.seconds_per_case = value->number();
    if (!(budget.seconds_per_case > 0 && budget.seconds_per_case <= 3600)) {
      value->fail("is out of range", "write seconds above 0, at most 3600");
    }
  }
  if (const auto value = table.find("seconds_per_suite")) {
    const double seconds = value->number();
    if (!(seconds > 0 && seconds <= 86400)) value->fail("is out of range", "write seconds above 0, at most 86400");
    budget.seconds_per_suite = seconds;
  }
  if (const auto value = table.find("rounds")) {
    const std::vector<TomlReader> items = value->items();
    const std::string hint = "write the least and the most, for example rounds = [2, 8]";
    if (items.size() != 2) value->fail("must be two numbers", hint);
    const std::int64_t low =
        integer_in(items[0], 2, 1000, "a regression is confirmed in a second round: write 2 or more, at most 1000");
    const std::int64_t high = integer_in(items[1], 1, 1000, "write 1000 at most");
    if (low > high) value->fail("the least is over the most", hint);
    budget.min_rounds = static_cast<int>(low);
    budget.max_rounds = static_cast<int>(high);
  }
  if (const auto value = table.find("placement")) budget.placement = word_of(*value, {"any", "segment", "fixed"});
  if (const auto value = table.find("pool_gib")) {
    budget.pool_gib = value->number();
    if (!(budget.pool_gib > 0 && budget.pool_gib <= 4096))
      value->fail("is out of range", "write GiB above 0, at most 4096");
  }
}

void read_resources(const TomlReader& table, ResourceLimits& limits) {
  table.allow_only({"max_registers", "spill_bytes_growth", "warnings_growth"});
  const auto limit = [&](const char* name, std::optional<std::int64_t>& into) {
    if (const auto value = table.find(name)) into = integer_in(*value, 0, 1LL << 40, "write a whole number from 0");
  };
  limit("max_registers", limits.max_registers);
  limit("spill_bytes_growth", limits.spill_bytes_growth);
  limit("warnings_growth", limits.warnings_growth);
}

void read_compile(const TomlReader& table, CompileRules& rules) {
  table.allow_only({"allow_options", "timeout_s", "forbid", "device_variables", "device_launches"});
  if (const auto value = table.find("allow_options")) rules.allow_options = texts_of(*value);
  if (const auto value = table.find("timeout_s")) {
    rules.timeout_s = value->number();
    if (!(rules.timeout_s > 0 && rules.timeout_s <= 86400)) {
      value->fail("is out of range", "write seconds above 0, at most 86400");
    }
  }
  if (const auto value = table.find("forbid")) rules.forbid = texts_of(*value);
  const auto refuses = [&](const char* key) {
    const auto value = table.find(key);
    return value && word_of(*value, {"report", "refuse"}) == "refuse";
  };
  rules.refuse_variables = refuses("device_variables");
  rules.refuse_launches = refuses("device_launches");
}

std::string version_rule_of(const TomlReader& value) {
  const std::string& rule = value.text();
  if (const auto problem = version_rule_problem(rule)) {
    value.fail(*problem, "write for example \">=550\" or \">=550.54,<600\"");
  }
  return rule;
}

void read_environment(const TomlReader& table, EnvironmentRules& rules) {
  table.allow_only({"backend", "driver", "toolkit", "require", "sandbox"});
  if (const auto value = table.find("backend")) rules.backend = word_of(*value, {"cuda", "host"});
  if (const auto value = table.find("driver")) rules.driver = version_rule_of(*value);
  if (const auto value = table.find("toolkit")) rules.toolkit = version_rule_of(*value);
  if (const auto value = table.find("require")) rules.require = words_of(*value, {"exclusive", "not-throttled"});
  if (const auto value = table.find("sandbox")) rules.sandbox = word_of(*value, {"none", "seccomp", "landlock"});
}

Profile read_profile(const TomlReader& table, Profile profile) {
  table.allow_only({"compare", "block_on"});
  if (const auto value = table.find("compare"))
    profile.compare = words_of(*value, {"base", "accepted", "last-release"});
  if (const auto value = table.find("block_on")) {
    profile.block_on =
        words_of(*value, {"change", "creep", "toolkit", "machine", "inconclusive", "environment", "missing", "new"});
  }
  return profile;
}

Key read_key(const TomlReader& table) {
  table.allow_only({"file", "roles", "not_before", "not_after"});
  Key key;
  const TomlReader file = table.require("file", "name the public key, for example file = \"keys/reviewers.pub.pem\"");
  std::string place;
  try {
    place = join_beneath(".kgate", file.text());
  } catch (const Error& error) {
    file.fail(kgate::quoted(file.text()) + " " + error.fact(), error.hint());
  }
  if (place.rfind(".kgate/", 0) != 0) file.fail("lies outside .kgate", "keys are read from the folder of the policy");
  key.file = file.text();
  const TomlReader roles = table.require("roles", "write for example roles = [\"cases\"]");
  key.roles = words_of(roles, {"cases", "accept", "history"});
  if (key.roles.empty()) roles.fail("is empty", "name at least one of \"cases\", \"accept\", \"history\"");
  if (const auto value = table.find("not_before")) key.not_before = value->date();
  if (const auto value = table.find("not_after")) key.not_after = value->date();
  // ISO dates are in the order of their letters.
  if (key.not_before && key.not_after && *key.not_before > *key.not_after) {
    table.fail("not_before is later than not_after", "no day is left on which the key would count");
  }
  return key;
}

ZoneOverride read_override(const TomlReader& table, const Zone& zone) {
  table.allow_only({"kernels", "zone"});
  ZoneOverride rule;
  const TomlReader kernels = table.require("kernels", "name them, for example kernels = [\"tiny_*\"]");
  rule.kernels = texts_of(kernels);
  if (rule.kernels.empty()) kernels.fail("is empty", "name at least one kernel");
  const TomlReader part = table.require("zone", "write for example zone = { tolerate = 0.01, block = 0.04 }");
  Zone whole = zone;
  read_zone(part, whole);
  check_zone(part, whole);
  if (part.find("tolerate")) rule.tolerate = whole.tolerate;
  if (part.find("block")) rule.block = whole.block;
  if (part.find("absolute_us")) rule.absolute_us = whole.absolute_us;
  if (part.find("creep")) rule.creep = whole.creep;
  return rule;
}

void read_lease(const TomlReader& table, LeaseRules& rules) {
  table.allow_only({"folder", "wait_s"});
  if (const auto value = table.find("folder")) {
    rules.folder = value->text();
    // A relative one would be another folder for each job, and lie in the repository that is judged.
    if (rules.folder.empty() || rules.folder.front() != '/')
      value->fail("is no absolute path", "name a folder of the GPU's host, for example \"/var/lock/kgate\"");
  }
  if (const auto value = table.find("wait_s"))
    rules.wait_s = integer_in(*value, 0, std::int64_t{7} * 24 * 3600, "write seconds from 0 to 604800, which is a week");
}

// git-check-ref-format(1), and no name that git takes for something else.
bool is_branch(const std::string& name) {
  for (const unsigned char c : name) {
    if (c <= 0x20 || c == 0x7F || std::string_view("~^:?*[\\").find(static_cast<char>(c)) != std::string_view::npos)
      return false;
  }
  if (name == "HEAD" || name == "@" || name.front() == '-' || name.rfind("refs/", 0) == 0) return false;
  if (name.find("..") != std::string::npos || name.find("@{") != std::string::npos || name.back() == '.') return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (part.empty() || part.front() == '.' || part.ends_with(".lock")) return false;
    begin = end + 1;
  }
  return true;
}

std::string branch_in(const TomlReader& value, const char* example) {
  const std::string hint = fmt::format("for example \"{}\"", example);
  std::string branch = value.text();
  if (branch.empty()) value.fail("is empty", "write " + hint);
  if (!is_branch(branch)) {
    value.fail(kgate::quoted(branch) + " is no name that a branch can have",
               "write it as git branch shows it, " + hint);
  }
  return branch;
}

void read_ledger(const TomlReader& table, Policy& policy) {
  table.allow_only({"branch", "remote", "at_least"});
  if (const auto value = table.find("branch")) policy.ledger_branch = branch_in(*value, "kgate/ledger");
  if (const auto value = table.find("remote")) {
    policy.ledger_remote = value->text();
    if (policy.ledger_remote.empty()) value->fail("is empty", "write for example \"origin\"");
    if (!is_branch(policy.ledger_remote)) {
      value->fail(kgate::quoted(policy.ledger_remote) + " is no name that a remote can have",
                  "write it as git remote shows it, for example \"origin\"");
    }
  }
  const auto least = table.find("at_least");
  if (!least) return;
  least->allow_only({"sequence", "digest"});
  policy.ledger_sequence =
      integer_in(least->require("sequence", "write the record's number"), 0, 1LL << 53, "write a whole number from 0");
  const TomlReader digest = least->require("digest", "write the record's digest");
  policy.ledger_digest = digest.text();
  const bool hex = policy.ledger_digest.find_first_not_of("0123456789abcdef", 7) == std::string::npos;
  if (policy.ledger_digest.rfind("sha256:", 0) != 0 || policy.ledger_digest.size() != 71 || !hex) {
    digest.fail("is no digest", "write sha256: and 64 lower-case hex digits");
  }
}

void read_history(const TomlReader& table, Policy& policy) {
  table.allow_only({"branch"});
  const auto value = table.find("branch");
  if (!value) return;
  policy.history_branch = branch_in(*value, "kgate/history");
  if (policy.history_branch == policy.ledger_branch)
    value->fail("is the ledger's branch", "give the nights one of their own, for example \"kgate/history\"");
}

void read_small_tables(const TomlReader& root, Policy& policy) {
  if (const auto table = root.find("numerics")) {
    table->allow_only({"error_growth"});
    if (const auto value = table->find("error_growth")) {
      policy.error_growth = number_in(*value, 1, 1e9, "write a factor from 1: 2.0 lets the error double");
    }
  }
  if (const auto table = root.find("baseline")) {
    table->allow_only({"new", "any_class"});
    if (const auto value = table->find("new")) policy.new_blocks = word_of(*value, {"block", "pass"}) == "block";
    if (const auto value = table->find("any_class")) policy.any_class = value->boolean();
  }
  if (const auto table = root.find("trust")) {
    table->allow_only({"unsigned", "implied_base"});
    if (const auto value = table->find("unsigned"))
      policy.unsigned_blocks = word_of(*value, {"block", "warn"}) == "block";
    if (const auto value = table->find("implied_base"))
      policy.implied_base_blocks = word_of(*value, {"block", "warn"}) == "block";
  }
  if (const auto table = root.find("threshold")) {
    table->allow_only({"cases", "accept"});
    for (const auto& [role, value] : table->entries()) {
      policy.thresholds[role] = integer_in(value, 1, 100, "write how many keys must sign, from 1");
    }
  }
}

std::map<std::string, Profile> default_profiles() {
  return {
      {"pr", {{"base", "accepted"}, {"change", "creep"}}},
      {"release",
       {{"accepted", "last-release"}, {"change", "creep", "toolkit", "inconclusive", "environment", "missing", "new"}}},
      {"nightly", {{"accepted"}, {"environment", "missing"}}}};
}

}  // namespace

Policy default_policy() {
  Policy policy;
  policy.profiles = default_profiles();
  return policy;
}

Policy parse_policy(std::string_view text, const std::string& path) {
  const TomlDocument document(text, path);
  const TomlReader root = document.root();
  check_schema(root, "kgate.policy/1");
  root.allow_only({"schema", "kernels", "zone", "budget", "resources", "numerics", "compile", "environment", "baseline",
                   "trust", "ledger", "history", "profile", "key", "threshold", "override", "lease", "search"});
  Policy policy = default_policy();
  if (const auto value = root.find("kernels")) {
    policy.kernels = texts_of(*value);
    if (policy.kernels.empty())
      value->fail("is empty", "a gate over nothing passes everything; leave the key out for the default");
  }
  if (const auto table = root.find("zone")) {
    read_zone(*table, policy.zone);
    check_zone(*table, policy.zone);
  }
  if (const auto table = root.find("budget")) read_budget(*table, policy.budget);
  if (const auto table = root.find("resources")) read_resources(*table, policy.resources);
  if (const auto table = root.find("compile")) read_compile(*table, policy.compile);
  if (const auto table = root.find("environment")) read_environment(*table, policy.environment);
  if (const auto table = root.find("ledger")) read_ledger(*table, policy);
  if (const auto table = root.find("history")) read_history(*table, policy);
  if (const auto table = root.find("lease")) read_lease(*table, policy.lease);
  if (const auto table = root.find("search")) policy.search = read_search_bounds(*table);
  read_small_tables(root, policy);
  if (const auto profiles = root.find("profile")) {
    profiles->allow_only({"pr", "release", "nightly"});
    for (const auto& [name, table] : profiles->entries())
      policy.profiles[name] = read_profile(table, policy.profiles[name]);
  }
  for (const TomlReader& table : root.list("key", kMostEntries)) policy.keys.push_back(read_key(table));
  for (const TomlReader& table : root.list("override", kMostEntries)) {
    policy.overrides.push_back(read_override(table, policy.zone));
  }
  return policy;
}

Zone Policy::zone_of(const std::string& kernel) const {
  Zone found = zone;
  for (const ZoneOverride& rule : overrides) {
    const bool matches = std::any_of(rule.kernels.begin(), rule.kernels.end(),
                                     [&](const std::string& pattern) { return glob_match(pattern, kernel); });
    if (!matches) continue;
    found = zone;
    if (rule.tolerate) found.tolerate = *rule.tolerate;
    if (rule.block) found.block = *rule.block;
    if (rule.absolute_us) found.absolute_us = *rule.absolute_us;
    if (rule.creep) found.creep = *rule.creep;
  }
  return found;
}

}  // namespace kgate::trust
