#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gate/search/propose/proposal.h"

namespace kgate::search {

enum class Outcome {
  open,        // proposed, not judged yet
  refused,     // breaks a rule, names a file that it may not, or is no proposal
  duplicate,   // was tried before
  infeasible,  // asks for more than the device has, on paper
  does_not_compile,
  wrong,       // outputs, bounds, crash, hang
  suspect,     // caught cheating
  slower,      // right, measured, not better than the best
  better,      // the new best
  environment  // the machine failed; says nothing about the candidate
};
std::string_view name_of(Outcome outcome);
std::optional<Outcome> outcome_of(std::string_view name);

// A case as a proposer may see it: hold-out cases never are among them.
struct VisibleCase {
  std::string name, role;
  std::map<std::string, std::int64_t> sizes;
  double weight = 1;
  double baseline_us = 0, best_us = 0;  // 0: not timed
  Json tolerance = Json::object();
};

// One version that was tried.
struct Tried {
  std::string digest, parent, proposer, direction;
  std::vector<std::string> hypotheses;            // of its parts
  std::map<std::string, std::string> parameters;  // all of them, as they held
  Outcome outcome = Outcome::open;
  std::string reason;
  double score = 0;                       // time over the baseline's, weighted over the cases; 0: not timed
  std::map<std::string, double> case_us;  // by performance case
};

// What holds of the device and is the same for all candidates: limits, peak rates, known traps.
struct HardwareFacts {
  std::string name, architecture;
  std::map<std::string, double> limits;  // "registers_per_block": 65536
  std::vector<std::string> traps;        // one sentence each
};

// All that a proposer gets. Its JSON is the `briefing` of docs/agent-protocol.md.
struct Briefing {
  std::string kernel;
  Json contract = Json::object();  // interface of cases.toml: parameters, types, shapes
  std::vector<VisibleCase> cases;
  std::string best;                                          // digest of the best version so far
  std::map<std::string, std::string> sources;                // its files, kernel.toml first by name
  std::map<std::string, std::vector<std::string>> tunables;  // define -> values
  std::map<std::string, std::string> parameters;             // of the best
  Json resources = Json::object();                           // of the best, by entry: registers, shared, spills
  std::string bottleneck;                                    // summary; says where it is from
  HardwareFacts hardware;
  std::vector<std::string> rules;              // the policy's, as sentences
  std::vector<std::string> closed_directions;  // paused or closed, with the reason
  std::vector<Tried> tried;                    // in order
  // Of tokens, money and time 0 means: not limited. Whoever has spent one of them is not asked any more.
  std::int64_t tokens_left = 0, repairs_left = 0;
  double cost_left_usd = 0, seconds_left = 0;
};

Json to_json(const Tried& tried);
// Throws nothing; what is not limited, and times that were not measured, are left out.
Json to_json(const Briefing& briefing);

}  // namespace kgate::search
