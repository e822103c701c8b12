#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gate/search/evaluator.h"
#include "gate/search/loop.h"
#include "gate/search/propose/proposer.h"

namespace kgate::test {

// Time that only what is simulated takes.
struct Clock {
  double now = 0;
};

// Judges by what the source says. "M(wide, 90)" multiplies the time of the case "wide" (10 us in the beginning) by
// 0.90, "FAIL(wrong)" is an outcome, "W(5)" makes intervals 5 % wide to each side instead of 0.1 %, "FLOOR(8)" is the
// physical floor of every case in us, "COST(100)" GPU seconds instead of 2.
class TableEvaluator : public search::Evaluator {
 public:
  explicit TableEvaluator(Clock& clock) : clock_(clock) {}
  void prepare(const search::Candidate& candidate) override { prepared.push_back(candidate.digest); }
  search::Evaluation evaluate(const search::Candidate& candidate, const search::Measured& best,
                              const search::TimeLeft& left) override;

  std::vector<std::string> prepared, evaluated, beside;  // digests
  std::vector<search::TimeLeft> left;
  std::string dies_at;  // what throws when it is in the source
  std::vector<std::string> cases{"wide", "tall"};

 private:
  Clock& clock_;
};

// A proposal of the script: each part as edits to kernels/scale/scale.cu, which have to find "@NAME" lines; what it
// costs.
struct Scripted {
  std::vector<std::string> parts;  // code that the part adds behind the line "BODY;"
  std::string direction;
  std::string parent = "best";  // "best", "baseline", or a digest
  std::map<std::string, std::string> parameters;
  search::Usage usage;
  search::Refusal refusal;                        // where there are no parts
  std::vector<std::vector<std::string>> repairs;  // parts of each
};

// Says what its script says, as a function of the briefing alone: it knows where it is by its own hypotheses, "s3" for
// the third, "r3" for repairs of it. So it can be killed with the search.
class ScriptedProposer : public search::Proposer {
 public:
  ScriptedProposer(std::string name, std::vector<Scripted> script, Clock& clock, std::size_t ahead = 1)
      : name_(std::move(name)), script_(std::move(script)), clock_(clock), ahead_(ahead) {}
  std::string name() const override { return name_; }
  std::size_t ahead() const override { return ahead_; }
  search::Reply propose(const search::Briefing& briefing) override;
  search::Reply repair(const search::Briefing& briefing, const search::Proposal& failed,
                       const std::string& complaint) override;

  std::vector<search::Briefing> briefings;
  std::vector<std::string> complaints;
  bool repairs_at_all = true;
  int calls = 0;

 private:
  std::string name_;
  std::vector<Scripted> script_;
  Clock& clock_;
  std::size_t ahead_;
};

// The version that all of these begin with.
search::Candidate scripted_baseline();

}  // namespace kgate::test
