#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/trust/search_bounds.h"

namespace kgate::trust {

struct Zone {
  double tolerate = 0.005, block = 0.02, absolute_us = 0.02, creep = 0.03;
};
struct Budget {
  double seconds_per_case = 5;
  std::optional<double> seconds_per_suite;  // of measuring, over all cases of a run; none: their own budgets alone
  int min_rounds = 2, max_rounds = 8;
  std::string placement = "any";  // "any", "segment", "fixed"
  double pool_gib = 24;
};
struct ResourceLimits {
  std::optional<std::int64_t> max_registers, spill_bytes_growth, warnings_growth;
};
struct CompileRules {
  std::vector<std::string> allow_options{"--use_fast_math", "-lineinfo", "--maxrregcount=*", "-D*"};
  double timeout_s = 120;
  std::vector<std::string> forbid;
  bool refuse_variables = false, refuse_launches = false;  // device_variables, device_launches = "refuse"
};
struct EnvironmentRules {
  std::string backend;               // "cuda", "host" or "" (any)
  std::string driver, toolkit;       // ">=550"; empty: any
  std::vector<std::string> require;  // "exclusive", "not-throttled"
  std::string sandbox;               // weakest level that is accepted
};
struct LeaseRules {
  std::string folder;  // of the GPU queue; empty: kgate's own, the same for all users of a host
  std::int64_t wait_s = 1800;
};
struct Profile {
  std::vector<std::string> compare, block_on;
};
struct Key {
  std::string file;
  std::vector<std::string> roles;
  std::optional<std::string> not_before, not_after;  // "2027-12-31"
};
struct ZoneOverride {
  std::vector<std::string> kernels;  // patterns over names
  std::optional<double> tolerate, block, absolute_us, creep;
};

// .kgate/policy.toml (schema kgate.policy/1), with the defaults of docs/policy.md where nothing is said.
struct Policy {
  std::vector<std::string> kernels{"kernels/**/kernel.toml"};
  Zone zone;
  Budget budget;
  ResourceLimits resources;
  double error_growth = 2.0;
  CompileRules compile;
  EnvironmentRules environment;
  bool new_blocks = true, any_class = true;
  bool unsigned_blocks = true;       // [trust] unsigned
  bool implied_base_blocks = false;  // [trust] implied_base
  std::string ledger_branch = "kgate/ledger", ledger_remote = "origin";
  std::optional<std::int64_t> ledger_sequence;  // at_least
  std::string ledger_digest;
  std::string history_branch = "kgate/history";  // of nights; at the ledger's remote
  std::map<std::string, Profile> profiles;       // pr, release, nightly
  std::vector<Key> keys;
  std::map<std::string, std::int64_t> thresholds{{"cases", 1}, {"accept", 1}};
  std::vector<ZoneOverride> overrides;
  SearchBounds search;
  LeaseRules lease;

  Zone zone_of(const std::string& kernel) const;  // last matching override wins
};

// Throws Error(usage, "PATH:LINE: key", fact, remedy): unknown keys with the nearest known one, wrong types, zones that
// make no sense (tolerate >= block), budgets of zero, rounds that are not [low, high].
Policy parse_policy(std::string_view text, const std::string& path);
// What holds where there is no policy file.
Policy default_policy();

}  // namespace kgate::trust
