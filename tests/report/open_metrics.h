#pragma once

#include <map>
#include <string>
#include <vector>

// A reader of OpenMetrics text that forgives nothing, for the tests.
struct MetricSample {
  std::string name;
  std::map<std::string, std::string> labels;
  std::string value;
};
// What is wrong, with its line; empty: nothing. The samples go to `samples`.
std::string fault_of_metrics(const std::string& text, std::vector<MetricSample>& samples);
