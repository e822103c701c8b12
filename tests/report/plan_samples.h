#pragma once

#include <string>
#include <vector>

#include "gate/report/plan/plan.h"

// Plans whose texts are golden files (golden-plans/NAME.FORMAT).
struct PlanSample {
  std::string name;
  kgate::report::RunPlan plan;
};
std::vector<PlanSample> plan_samples();

// Words that would do harm where they were pasted.
const std::vector<std::string>& hostile_words();

struct PlanFormat {
  const char* name;
  std::string (*write)(const kgate::report::RunPlan& plan);
};
const std::vector<PlanFormat>& plan_formats();
