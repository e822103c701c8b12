#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/verdict/preparation.h"

namespace kgate::verdict {

struct FigureOptions {
  int rounds = 2;   // fresh processes
  int blocks = 30;  // a case and round, each on buffers at new places
};

// How long a version takes in one case, by itself: what the ledger remembers.
struct Figure {
  double us = 0;  // a launch sequence: the mean over the rounds of their robust means
  std::int64_t blocks = 0, rounds = 0, launches_per_sample = 0;
  std::string regime;
  std::vector<std::vector<double>> samples;  // [round][block], us
};

// A version of a kernel, and its machine code.
struct FigureJob {
  const Subject* subject = nullptr;
  const Version* version = nullptr;
  Artifact code;
};

// Times one version alone, in the subject's performance cases that run on this backend, by name. Throws
// Error(environment) where that cannot be done.
std::map<std::string, Figure> measure_figures(const Preparation& ready, const FigureJob& job, std::uint64_t seed,
                                              const FigureOptions& options);

}  // namespace kgate::verdict
