#pragma once

#include <string>

namespace kgate::search {

// What models are told before a briefing: gate/search/prompts/*.md. `rules` precedes each of the others.
struct Prompts {
  std::string rules;
  std::string planner, coder, debugger;  // a role's own file may take the place of one of these
};

Prompts own_prompts();

// SHA-256 over all four, for the journal: 64 hex digits.
std::string digest_of(const Prompts& prompts);

}  // namespace kgate::search
