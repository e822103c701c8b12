#pragma once

#include <string>
#include <vector>

#include "gate/verdict/result/result.h"

// Results of made-up runs, one a situation that a report must tell well.
struct Sample {
  std::string name;  // of its golden files: NAME and golden_suffix
  kgate::verdict::Result result;
};
// Of a format's golden files; empty: it has none here.
std::string golden_suffix(const std::string& format);
std::vector<Sample> samples();
kgate::verdict::Result sample(const std::string& name);
// Those of them whose page is a golden file, NAME.html in golden-pages.
std::vector<std::string> page_samples();
