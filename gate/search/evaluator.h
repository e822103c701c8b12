#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "gate/search/propose/briefing.h"

namespace kgate::search {

// A whole version of the kernel: files from the repository's root, kernel.toml among them, and the chosen parameters
// already written into its [defines].
struct Candidate {
  std::string digest;  // SHA-256 in hex over all of it: what is equal is never measured twice
  std::string path;    // of kernel.toml, one of `files`
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> parameters;
};

struct CaseTime {
  std::string name;
  double weight = 1;
  double us = 0, baseline_us = 0;
  double floor_us = 0;                  // that the hardware cannot go under; 0: not known
  double ratio = 1, low = 1, high = 1;  // over the baseline
};

// What is left of the search's budgets when an evaluation begins; infinite where nothing bounds it.
struct TimeLeft {
  double seconds = 0, gpu_seconds = 0;
};

struct Cost {
  double compile_s = 0, gpu_s = 0;
};

struct Evaluation {
  Outcome outcome = Outcome::environment;  // slower or better where it was timed
  std::string reason;
  std::string log;                                  // the compiler's, for a repair
  std::vector<CaseTime> cases;                      // where it was timed
  double score = 0, score_low = 0, score_high = 0;  // weighted geometric mean of the cases' ratios over the baseline
  // The same over the best version so far, measured side by side with it, at the level at which a search chooses;
  // beside_high 0: it was not. Not in the journal, where the outcome says what it came to.
  double beside = 0, beside_low = 0, beside_high = 0;
  bool quick = false;               // given up after a quick look: surely no better than the best
  Json resources = Json::object();  // by entry
  Cost cost;
};

// The best version so far, and what was found of it.
struct Measured {
  const Candidate& version;
  const Evaluation& found;  // open: it is the baseline, which is to be evaluated first
};

// What judges candidates: the gate itself; in tests, a table. The baseline is the first version that is evaluated.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Begins what needs no GPU, in the background; evaluate() waits for it. May be left out.
  virtual void prepare(const Candidate& candidate) = 0;
  // Rules, feasibility, compile, correctness, time, in that order; stops at the first that fails. `best`: what it is
  // timed beside; its digest is the candidate's own for the baseline. Throws Error for failures of the world. Whether a
  // timed candidate is slower or better is for the search to say (score.h).
  virtual Evaluation evaluate(const Candidate& candidate, const Measured& best, const TimeLeft& left) = 0;
};

}  // namespace kgate::search
