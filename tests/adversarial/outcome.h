#pragma once

#include <string>
#include <vector>

#include "tests/adversarial/gate.h"

// What kgate said about one cheat, beside what it should say.
struct Outcome {
  const Cheat* cheat = nullptr;
  kgate::verdict::Verdict verdict = kgate::verdict::Verdict::missing;
  std::string reason;
  bool expected = false;
  std::string note;  // "awaits checked launches", "sandbox seccomp: not judged", ...
  bool fails = false;
};

Outcome outcome_of(const Cheat& cheat, const GateRun& run);

// "wrong or suspect"
std::string words_of(const Verdicts& verdicts);

// One line each, for the test's output.
std::string lines_of(const std::vector<Outcome>& outcomes);

// docs/adversarial.md, from the table alone.
std::string adversarial_table();

// The cheats that a backend can run: those that end, those that do not, or the honest ones.
enum class Group { together, apart, honest };
std::vector<Cheat> cheats_for(Backend backend, Group group);
