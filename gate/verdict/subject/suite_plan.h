#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gate/verdict/subject/subject.h"

// Which shard of a run judges which kernel. Every shard works the plan out by itself, on another machine and at another
// minute, and all have to come to the same one, or a kernel is judged twice and another never. So a plan is a function
// of the working tree, the base commit, the policy and what was typed: of no ledger (it moves while shards wait for
// their machines), no clock, no device and no measured time. What the ledger alone knows, and what is gone, is told by
// the first shard and stands in no plan.
//
// Rejected: costs from the ledger's or the last night's figures. They are better by a little, differ from machine to
// machine and minute to minute, and balance is all they would serve.
namespace kgate::verdict {

struct PlanOptions {
  std::int64_t shards = 1;
  bool check_only = false;      // of `kgate check`: nothing is timed
  bool time_unchanged = false;  // of `kgate run --time-unchanged`
};

struct PlannedKernel {
  std::string name;
  std::int64_t cost_us = 1;                 // expected: see suite_plan.cpp
  bool changed = false;                     // its sources are not the base's: compiled, and timed where the base has it
  std::int64_t cases = 0, timed_cases = 0;  // of a GPU
  std::int64_t shard = 1;
  std::string sources = {};  // digest of the version in the working tree; empty: it cannot be read
};

struct SuitePlan {
  std::int64_t shards = 1;
  std::vector<PlannedKernel> kernels;  // of the working tree, selected; by name

  // Makes it one of so many shards (shards.h).
  void split_into(std::int64_t count);
  std::vector<std::string> names() const;
  std::set<std::string> of_shard(std::int64_t shard) const;
  std::int64_t cost_us(std::int64_t shard) const;
  // SHA-256 over the number of shards and each kernel's name, shard and sources: "sha256:...". Two shards of one plan, in
  // equal trees, have the same.
  std::string digest() const;
};

// Reads `working`, `base`, `policy` and `selection` of the suite's options, and nothing else of them. Throws as
// read_suite for files that cannot be read and for two kernels of one name; a plan without kernels is none's error.
SuitePlan plan_suite(const SuiteOptions& suite, const PlanOptions& options);

}  // namespace kgate::verdict
