#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gate/verdict/qualify/mutants.h"
#include "gate/verdict/qualify/remedy.h"

namespace kgate::verdict {

// One kind of wrong answer for one output, over all cases.
struct MutantTrial {
  std::string output, mutant;  // "y", "zeros"
  int cases = 0;               // in which it is wrong
  std::string failed_in;       // the first case in which it failed with every seed; empty: none
  std::string remedy;          // where it failed in none: "case \"odd\": rtol below 3.1e-4 would stop it"
  std::string why_not;         // where it is wrong in no case: "it is not square"

  bool passes() const { return cases > 0 && failed_in.empty(); }
};

// Tries every mutant of one output, case by case. A mutant counts as stopped by a case only if it fails there with
// every seed that it was tried with: one lucky seed proves nothing about the next run's. Where outputs are large, what
// was stopped before is not tried again.
class MutantTrials {
 public:
  // `inputs`: all tensors but the output that the kernel reads.
  MutantTrials(const std::string& output, const std::vector<std::string>& inputs);

  void begin_case();
  void try_all(const RightAnswer& right);  // with one seed
  // What the case made of them.
  struct CaseSum {
    int wrong = 0, stopped = 0;       // of those that were tried
    std::vector<std::string> passed;  // names
  };
  CaseSum end_case(const std::string& name, const cases::Tolerance& tolerance);
  std::vector<MutantTrial> told() const;

 private:
  // What came of one mutant in one case.
  struct InCase {
    int wrong = 0, failed = 0;  // seeds
    std::set<std::string> why_not;
    std::optional<Remedies> remedies;  // what stops it with all seeds with which it passed
  };
  struct Record {
    Mutant mutant;
    MutantTrial told;
    InCase here;
    std::set<std::string> why_not;
    double ease = -1;  // of the remedy
  };
  static void try_one(const RightAnswer& right, Record& record);

  std::vector<Record> records_;
};

}  // namespace kgate::verdict
