#include <fmt/format.h>

#include "base/error.h"
#include "gate/report/format.h"
#include "gate/report/plan/plan.h"

namespace kgate::report {
namespace {

double seconds(std::int64_t us) {
  return static_cast<double>(us) / 1e6;
}

}  // namespace

std::string write_plan_json(const RunPlan& plan) {
  Json kernels = Json::array(), shards = Json::array();
  for (const auto& kernel : plan.suite.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"shard", kernel.shard},
                       {"changed", kernel.changed},
                       {"cases", kernel.cases},
                       {"timed_cases", kernel.timed_cases},
                       {"expected_s", seconds(kernel.cost_us)}});
  }
  const auto names = kernels_by_shard(plan.suite);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i) + 1;
    shards.push_back({{"index", index},
                      {"shard", fmt::format("{}/{}", index, names.size())},
                      {"kernels", names[i]},
                      {"expected_s", seconds(plan.suite.cost_us(index))}});
  }
  return Json{{"schema", "kgate.plan/1"},
              {"verb", plan.verb},
              {"options", plan.options},
              {"selection", plan.selection},
              {"policy", {{"commit", plan.policy_commit}}},
              {"base", plan.compare},
              {"total", plan.suite.shards},
              {"digest", plan.suite.digest()},
              {"kernels", std::move(kernels)},
              {"shards", std::move(shards)}}
             .dump(2, ' ', true, Json::error_handler_t::replace) +
         "\n";
}

// A line break or a sign beyond ASCII is an escape in JSON: the value cannot end the line, and so cannot write another
// output.
std::string write_plan_github(const RunPlan& plan) {
  if (plan.suite.shards > kMostGithubJobs) {
    throw Error(ErrorKind::usage, fmt::format("--shards {}", plan.suite.shards),
                fmt::format("a matrix of GitHub Actions has at most {} jobs", kMostGithubJobs), "use fewer shards");
  }
  Json include = Json::array();
  const auto names = kernels_by_shard(plan.suite);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string kernels;
    for (const auto& name : names[i]) kernels += (kernels.empty() ? "" : " ") + name;
    include.push_back({{"shard", fmt::format("{}/{}", i + 1, names.size())},
                       {"index", i + 1},
                       {"total", names.size()},
                       {"kernels", kernels},
                       {"name", short_list(names[i])}});
  }
  return "matrix=" + Json{{"include", std::move(include)}}.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgate::report
