#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/attacks/scene.h"

// What kgate is asked.
struct Question {
  std::string command = "run scale";
  Place place = Place::desk;
  int code = 4;                                // the exit code
  std::string note = {};                       // what result.json warns of besides
  std::function<void(Scene&)> meanwhile = {};  // done while kgate compiles
};

// One row of the table: what somebody does to a repository that was honest until then, and the whole message that kgate
// answers ("{*}": a figure or a name that the test cannot know; the others are Scene::fill's). Each row is a test case
// of its own, and a row of docs/attacks.md.
struct Attack {
  std::string name;  // a sentence
  std::function<void(Scene&)> act;
  std::string answer;  // of code 0: what the run says about it, or empty
  Question asked = {};
};

constexpr int kPass = 0, kUntrusted = 4;

struct Chapter {
  std::string title;
  std::vector<Attack> (*attacks)();
};
// All of them, in the order of the table.
const std::vector<Chapter>& chapters();

std::vector<Attack> attacks_on_cases();
std::vector<Attack> attacks_by_links();
std::vector<Attack> attacks_by_attributes();
std::vector<Attack> attacks_by_includes();
std::vector<Attack> attacks_on_envelopes();
std::vector<Attack> attacks_by_keys();
std::vector<Attack> attacks_on_policy();
std::vector<Attack> attacks_on_names();
std::vector<Attack> attacks_on_the_ledger();
std::vector<Attack> attacks_by_records();
std::vector<Attack> attacks_on_accepting();
std::vector<Attack> honest_changes();

// Parts of many answers.
extern const std::string kResign;     // "; restore it, or have the change reviewed and signed: ..."
extern const std::string kRestored;   // "; restore the file as it was signed, or sign anew"
extern const std::string kRewritten;  // "; the branch was damaged or rewritten: ..."
extern const std::string kKeepKeys;   // "; a record needs keys that the policy has for it on its day: ..."
