#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// The comparison of a case that tells: the one that has the case's verdict, else the first.
struct Measured {
  std::string against;  // "base", "accepted", "last-release"; empty: a result of an earlier kgate
  double before_us = 0, candidate_us = 0;
  double ratio = 1, low = 1, high = 1;
  std::optional<verdict::Zone> zone;
};
// Nothing where the case was not timed, or its numbers are none.
std::optional<Measured> measured(const verdict::CaseResult& one);

// A kernel's place on the page: those that block first, the worst first.
struct Entry {
  const verdict::KernelResult* kernel = nullptr;
  std::string id, name;  // of its section; markup
  bool blocks = false;
};
std::vector<Entry> in_order(const verdict::Result& result);

// A line of the chart of all cases. Without `one`: a kernel that has a verdict and no case that tells it.
struct Row {
  const Entry* kernel = nullptr;
  const verdict::CaseResult* one = nullptr;
  std::optional<Measured> time;
  verdict::Verdict verdict = verdict::Verdict::pass;
};
// Those that were timed, or did not pass: the worst first.
std::vector<Row> rows_of(const std::vector<Entry>& kernels);

// "the base (bbbbbbbbbb)", "what was accepted (record 12, v1.4)": since what a time differs, in a sentence. Not markup.
std::string since(const verdict::KernelResult& kernel, const std::string& against);

}  // namespace kgate::report
