#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "gate/search/history.h"

// What a search does next: a function of what it knows and of the time. What it knows is its journal, so the process
// that goes on with a killed search decides as that one would have.
namespace kgate::search {

struct Ask {
  std::size_t proposer = 0;  // by its place among them
};
struct Repair {
  std::int64_t number = 0;
};
struct Try {  // some parts of a proposal
  std::int64_t number = 0;
  std::vector<std::size_t> parts;
};
struct Judge {
  std::int64_t number = 0;
};
using Action = std::variant<Ask, Repair, Try, Judge, Stop>;

struct ProposerFacts {
  std::string name;
  std::size_t ahead = 1;
};

// `seconds`: that the search has taken, over all of its processes.
Action next_action(const History& history, const std::vector<ProposerFacts>& proposers, double seconds);

}  // namespace kgate::search
