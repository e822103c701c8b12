#include "tests/report/plan_samples.h"

using namespace kgate;

namespace {

report::RunPlan plain() {
  report::RunPlan plan;
  plan.suite.kernels = {{"gemm", 2'400'000, true, 7, 4}, {"reduce", 24'500, false, 6, 0},
                        {"saxpy", 31'250, false, 5, 0},  {"softmax", 1'350'000, true, 9, 2},
                        {"topk", 61'000, false, 8, 0},   {"transpose", 57'999, false, 8, 0}};
  plan.suite.split_into(3);
  plan.options = {"--profile=pr"};
  plan.policy_commit = plan.compare = std::string(40, 'b');
  return plan;
}

report::RunPlan hostile() {
  report::RunPlan plan = plain();
  plan.verb = "check";
  // No kernel can be called so: names are letters, digits, '_', '-' and '.'.
  for (std::size_t i = 0; i < hostile_words().size(); ++i)
    plan.suite.kernels.push_back({hostile_words()[i], static_cast<std::int64_t>(i) + 1});
  plan.suite.split_into(4);
  plan.selection = hostile_words();
  plan.options = {"--profile=pr", "--policy-ref=" + hostile_words().front()};
  plan.gres = "gpu:1' $(touch planted)";
  plan.constraint = "a\"; touch planted #";
  return plan;
}

}  // namespace

const std::vector<std::string>& hostile_words() {
  static const std::vector<std::string> words{"'; touch planted; '", "\"; touch planted; \"",
                                              "$(touch planted)",    "`touch planted`",
                                              "${{ secrets.KEY }}",  "$[[ inputs.key ]]",
                                              "@SHARDS@ @GPU@",      "*",
                                              "a: {b: [c, # d",      "\\",
                                              "!!python/object:os.x"};
  return words;
}

std::vector<PlanSample> plan_samples() {
  return {{"plain", plain()}, {"hostile", hostile()}};
}

const std::vector<PlanFormat>& plan_formats() {
  static const std::vector<PlanFormat> formats{
      {"txt", [](const report::RunPlan& plan) { return report::write_plan(plan, {}); }},
      {"json", report::write_plan_json},
      {"github", report::write_plan_github},
      {"yml", report::write_plan_gitlab},
      {"sh", report::write_plan_slurm}};
  return formats;
}
