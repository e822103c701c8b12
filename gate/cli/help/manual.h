#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace kgate::cli {

// What a flag or a positional is, as every form of the manual needs it.
struct Flag {
  std::vector<std::string> names;    // "--format"; "-h", "--help"; empty: a positional
  std::string value;                 // "DIR"; "text|json"; empty: takes none
  std::vector<std::string> choices;  // "text", "json"
  std::string what;
  std::string preset;  // what it is where it is left out; empty: nothing
};

struct VerbManual {
  std::string name, help;
  std::vector<Flag> positionals, flags;
};

// Read off the command line's own definition, so that no form of the manual can lack a flag.
std::vector<VerbManual> manual_of(const CLI::App& app);

// The manual page, for man(1).
std::string man_page(const CLI::App& app);
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace kgate::cli
