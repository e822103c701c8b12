#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/meaning.h"
#include "gate/report/plan/plan.h"

namespace kgate::report {
namespace {

constexpr std::size_t kIndent = 6;
constexpr std::size_t kToldInShort = 2;

std::string seconds(std::int64_t us) {
  return fmt::format("{:.1f} s", static_cast<double>(us) / 1e6);
}

struct Sums {
  std::size_t kernels = 0;
  std::int64_t cases = 0, timed = 0, us = 0;
};

}  // namespace

std::vector<std::vector<std::string>> kernels_by_shard(const verdict::SuitePlan& plan) {
  std::vector<std::vector<std::string>> shards(static_cast<std::size_t>(plan.shards));
  for (const auto& kernel : plan.kernels) shards[static_cast<std::size_t>(kernel.shard - 1)].push_back(kernel.name);
  return shards;
}

std::string short_list(const std::vector<std::string>& names) {
  if (names.empty()) return "no kernel";
  if (names.size() <= kToldInShort) return list(names);
  return fmt::format("{} and {} more", names.front(), names.size() - 1);
}

std::string shard_command(const RunPlan& plan, const std::string& shard, const std::string& out) {
  std::string text = fmt::format("kgate {} --shard={} --out={}", plan.verb, shard, out);
  for (const auto& option : plan.options) text += " " + word(option);
  if (!plan.selection.empty()) text += " --";
  for (const auto& kernel : plan.selection) text += " " + word(kernel);
  return text;
}

std::string write_plan(const RunPlan& plan, const TextStyle& style) {
  std::vector<Sums> shards(static_cast<std::size_t>(plan.suite.shards));
  Sums all;
  std::int64_t longest = 0;
  for (const auto& kernel : plan.suite.kernels) {
    for (Sums* sums : {&shards[static_cast<std::size_t>(kernel.shard - 1)], &all}) {
      ++sums->kernels;
      sums->cases += kernel.cases;
      sums->timed += kernel.timed_cases;
      sums->us += kernel.cost_us;
    }
  }
  for (const auto& sums : shards) longest = std::max(longest, sums.us);
  const std::string whole = fmt::format(
      "{} in {}: {}, {} of them timed; expected {} in one job, {} in the longest shard (of one H200; it balances, and "
      "decides nothing)\n",
      count(all.kernels, "kernel"), count(shards.size(), "shard"), count(static_cast<std::size_t>(all.cases), "case"),
      all.timed, seconds(all.us), seconds(longest));
  if (style.quiet) return whole;
  std::string text =
      fmt::format("{:>9}  {:>7}  {:>6}  {:>6}  {:>9}\n", "shard", "kernels", "cases", "timed", "expected");
  const auto kernels = kernels_by_shard(plan.suite);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    text += fmt::format("{:>9}  {:>7}  {:>6}  {:>6}  {:>9}\n", fmt::format("{}/{}", i + 1, shards.size()),
                        shards[i].kernels, shards[i].cases, shards[i].timed, seconds(shards[i].us));
    if (!kernels[i].empty())
      text += wrap(one_line(list(kernels[i])), static_cast<std::size_t>(style.width), kIndent) + "\n";
  }
  return text + "\n" + wrap(whole, static_cast<std::size_t>(style.width), 0) + "\n" +
         wrap("plan " + plan.suite.digest(), static_cast<std::size_t>(style.width), 0) + "\n";
}

}  // namespace kgate::report
