#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// metrics.prom: the run as OpenMetrics text, which GitLab compares from branch to branch and Prometheus collects.
std::string write_metrics(const verdict::Result& result);

}  // namespace kgate::report
