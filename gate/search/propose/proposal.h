#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace kgate::search {

// `find` occurs exactly once in the file, and is replaced.
struct Edit {
  std::string file, find, replace;
};

// One separable change. Files are named from the repository's root; only kernel.toml and what it declares may be named.
struct Part {
  std::string name;
  std::string hypothesis;                         // why it should be faster
  double expected_gain = 0;                       // 0.05: 5 % less time; 0: not said
  std::string risk;                               // what may get slower or wrong
  std::map<std::string, std::string> files;       // whole new contents
  std::vector<Edit> edits;                        // after `files`, in order
  std::map<std::string, std::string> parameters;  // of [tunables]: define -> one of its values
};

// What asking cost. Money as the proposer's price list says; 0 where nothing is charged.
struct Usage {
  std::int64_t tokens_in = 0, tokens_out = 0;
  double cost_usd = 0;
  double seconds = 0;
  bool estimated = false;  // in part: the server told no tokens, or none that can be true, and sizes were counted
};

// A step from a version that was tried before (its parent) to a new one. Told apart by the proposer's name alone.
struct Proposal {
  std::string proposer;     // "tuner", "http", "command", "person"
  std::string parent;       // digest of the candidate that it changes; empty: the baseline
  std::string direction;    // what kind of idea: "tiling", "vector loads"; failures close a direction, not the search
  std::vector<Part> parts;  // at least one
  std::string differs;      // where something like it failed before: what is different now
  std::string model;        // that answered; empty: none
  std::string prompt;       // digest of the prompt files; empty: none
  std::uint64_t seed = 0;
  double temperature = 0;
  Usage usage;
};

// What a proposer says of a proposal, in the form that reply.h reads: parent, direction, differs and parts.
Json to_json(const Proposal& proposal);

}  // namespace kgate::search
