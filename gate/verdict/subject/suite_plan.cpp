#include "gate/verdict/subject/suite_plan.h"

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "gate/cases/job.h"
#include "gate/verdict/subject/shards.h"

// What a kernel is expected to cost, in whole microseconds: integers, so that no compiler's rounding makes two plans of
// one. The constants are of one H200 (docs/measurements.md) and only balance; nothing is decided by them.
//   - a case that is checked: at most 5 ms. 84 and 24 cases ("speed", 2026-11-30, "nights, a bisection"): 4.1 and 3.8
//   s.
//   - a byte of its buffers: 2.4 ns to make, run on, read back and compare: 2.5 s for 84 cases of 629 MB before timed
//     launches were checked, less 1.0 s until the contexts were there ("what checking costs, taken apart").
//   - a byte of what is timed too: 2.6 ns more, for answers to further contents: 3.1 s less 1.5 s for 623 MB.
//   - a timed case: 0.39 s: 6.8 s for 19 and 5.8 s for 13 (the same "speed"), or its budget where that is smaller.
//   - compiling what changed: 0.12 s: 14.5 s with a cold cache, 12.7 s with a warm one, 15 kernels.
// A context's start and the device's opening are each shard's own, and no kernel's.
namespace kgate::verdict {
namespace {

constexpr std::int64_t kCompileUs = 120'000, kCheckUs = 5'000, kTimeUs = 390'000;
constexpr std::int64_t kCheckPs = 2'400, kAnswersPs = 2'600;  // a byte
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;  // a case; more than any machine has
constexpr std::int64_t kMostUs = std::int64_t{1} << 45;       // a kernel: a year; sums of a suite's stay far from 2^63
constexpr std::int64_t kPicosecondsPerUs = 1'000'000;

std::int64_t bytes_of(const cases::CasesSpec& cases, const cases::CaseSpec& one) {
  try {
    return static_cast<std::int64_t>(std::min(cases::buffer_bytes(cases, one), kMostBytes));
  } catch (const Error&) {
    return 0;  // the run says what is wrong with it
  }
}

// Whether the version in the working tree is not the base's. What cannot be read costs as if it were.
// Of the version that a kernel.toml declares; empty where it cannot be read.
std::string sources_of(const FileTree& tree, const std::string& path) {
  try {
    return read_version(tree, path).digest;
  } catch (const Error&) {
    return {};
  }
}

void estimate(PlannedKernel& kernel, const cases::CasesSpec& cases, const SuiteOptions& suite, bool timed) {
  const double budget_us = suite.policy->budget.seconds_per_case * 1e6;
  const std::int64_t time_us =
      budget_us < static_cast<double>(kTimeUs) ? static_cast<std::int64_t>(std::llround(budget_us)) : kTimeUs;
  std::int64_t us = kernel.changed ? kCompileUs : 0;
  for (const auto& one : cases.cases) {
    if (std::find(one.backends.begin(), one.backends.end(), "cuda") == one.backends.end()) continue;
    const std::int64_t bytes = bytes_of(cases, one);
    ++kernel.cases;
    us += kCheckUs + bytes * kCheckPs / kPicosecondsPerUs;
    if (timed && one.role == cases::CaseRole::performance) {
      ++kernel.timed_cases;
      us += time_us + bytes * kAnswersPs / kPicosecondsPerUs;
    }
    us = std::min(us, kMostUs);
  }
  kernel.cost_us = std::max<std::int64_t>(us, 1);
}

}  // namespace

SuitePlan plan_suite(const SuiteOptions& suite, const PlanOptions& options) {
  SuitePlan plan;
  const auto working = find_kernels(*suite.working, *suite.policy);
  const auto base = suite.base ? find_kernels(*suite.base, *suite.policy) : std::map<std::string, FoundKernel>{};
  for (const auto& [name, found] : working) {
    if (!is_selected(name, suite.selection)) continue;
    PlannedKernel kernel;
    kernel.name = name;
    const auto before = base.find(name);
    const bool known = before != base.end();
    kernel.sources = sources_of(*suite.working, found.path);
    kernel.changed = !known || kernel.sources.empty() || kernel.sources != sources_of(*suite.base, before->second.path);
    const bool timed = known && !options.check_only && (kernel.changed || options.time_unchanged);
    estimate(kernel, found.cases.spec, suite, timed);
    plan.kernels.push_back(std::move(kernel));
  }
  plan.split_into(options.shards);
  return plan;
}

void SuitePlan::split_into(std::int64_t count) {
  std::vector<KernelCost> costs;
  for (const auto& kernel : kernels) costs.push_back({kernel.name, kernel.cost_us});
  const auto found = split(costs, count);
  for (std::size_t i = 0; i < found.size(); ++i) kernels[i].shard = found[i];
  shards = count;
}

std::vector<std::string> SuitePlan::names() const {
  std::vector<std::string> all;
  for (const auto& kernel : kernels) all.push_back(kernel.name);
  return all;
}

std::set<std::string> SuitePlan::of_shard(std::int64_t shard) const {
  std::set<std::string> found;
  for (const auto& kernel : kernels) {
    if (kernel.shard == shard) found.insert(kernel.name);
  }
  return found;
}

std::int64_t SuitePlan::cost_us(std::int64_t shard) const {
  std::int64_t sum = 0;
  for (const auto& kernel : kernels) {
    if (kernel.shard == shard) sum += kernel.cost_us;
  }
  return sum;
}

std::string SuitePlan::digest() const {
  Json whole{{"shards", shards}, {"kernels", Json::array()}};
  for (const auto& kernel : kernels) {
    Json one{kernel.name, kernel.shard};
    if (!kernel.sources.empty()) one.push_back(kernel.sources);
    whole["kernels"].push_back(std::move(one));
  }
  return "sha256:" + sha256_hex(canonical_json(whole));
}

}  // namespace kgate::verdict
