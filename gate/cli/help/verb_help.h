#pragma once

#include <string>
#include <vector>

namespace kgate::cli {

struct Example {
  std::string command;  // as typed; a test parses each
  std::string what;
};

// What is said of a verb beyond its flags.
struct VerbHelp {
  std::string verb;
  std::string about;  // a paragraph or two
  std::vector<Example> examples;
  std::string page;   // of docs/
  std::string exits;  // where its exit codes mean something of their own; empty: the general ones
};

const std::vector<VerbHelp>& verb_help();
// Null: there is no such verb.
const VerbHelp* help_of(const std::string& verb);
// Examples, page and exit codes, for below the flags.
std::string foot_of(const std::string& verb);

}  // namespace kgate::cli
