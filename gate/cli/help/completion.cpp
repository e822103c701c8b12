// Completions are plain tables of what the command line defines; names of kernels are not completed, which would mean
// reading a repository at every key.
#include <fmt/format.h>

#include "gate/cli/help/manual.h"

namespace kgate::cli {
namespace {

// In single quotes, for any of the three shells.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else {
      result += letter;
    }
  }
  return result + "'";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

bool is_folder(const Flag& flag) {
  return flag.value == "DIR";
}
bool is_file(const Flag& flag) {
  return flag.value == "FILE" || flag.value == "RESULT";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string verbs, values;
  for (const auto& verb : manual_of(app)) {
    names.push_back(verb.name);
    std::vector<std::string> words;
    for (const auto& flag : verb.flags) {
      for (const auto& name : flag.names) words.push_back(name);
      std::string how;
      if (!flag.choices.empty()) how = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", joined(flag.choices));
      if (is_folder(flag)) how = "COMPREPLY=($(compgen -d -- \"$word\"))";
      if (is_file(flag)) how = "COMPREPLY=($(compgen -f -- \"$word\"))";
      if (how.empty() && !flag.value.empty()) how = "COMPREPLY=()";
      if (!how.empty()) values += fmt::format("    {}:{}) {}; return ;;\n", verb.name, flag.names.back(), how);
    }
    verbs += fmt::format("    {}) flags='{}' ;;\n", verb.name, joined(words));
  }
  return fmt::format(
      "# bash completion for kgate; made by kgate help bash-completion\n"
      "_kgate() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\" "
      "verb=\"${{COMP_WORDS[1]}}\" flags=''\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\")); return; fi\n"
      "  case \"$verb:$before\" in\n{}  esac\n"
      "  case \"$verb\" in\n{}  esac\n"
      "  case \"$word\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -F _kgate kgate\n",
      joined(names), values, verbs);
}

std::string zsh_completion(const CLI::App& app) {
  // In a description of _arguments a bracket ends it and a colon parts it.
  const auto described = [](const std::string& text) {
    std::string result;
    for (const char letter : text) {
      if (letter == '[' || letter == ']') continue;
      if (letter == ':') result += '\\';
      result += letter;
    }
    return result;
  };
  std::string verbs, cases;
  for (const auto& verb : manual_of(app)) {
    verbs += fmt::format("    {}\n", quoted(verb.name + ":" + verb.help));
    cases += fmt::format("    {})\n      _arguments", verb.name);
    for (const auto& flag : verb.flags) {
      std::string action;
      if (!flag.choices.empty()) action = fmt::format(":value:({})", joined(flag.choices));
      if (is_folder(flag)) action = ":folder:_files -/";
      if (is_file(flag)) action = ":file:_files";
      if (action.empty() && !flag.value.empty()) action = ":" + described(flag.value) + ":";
      for (const auto& name : flag.names)
        cases += " \\\n        " + quoted(name + "[" + described(flag.what) + "]" + action);
    }
    cases += " \\\n        '*:name:_files'\n      ;;\n";
  }
  return fmt::format(
      "#compdef kgate\n"
      "# zsh completion for kgate; made by kgate help zsh-completion\n"
      "_kgate() {{\n"
      "  local -a verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
      "  local verb=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $verb in\n{}  esac\n"
      "}}\n"
      "_kgate \"$@\"\n",
      verbs, cases);
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# fish completion for kgate; made by kgate help fish-completion\n";
  for (const auto& verb : manual_of(app)) {
    text += fmt::format("complete -c kgate -n __fish_use_subcommand -f -a {} -d {}\n", verb.name, quoted(verb.help));
    for (const auto& flag : verb.flags) {
      std::string line = fmt::format("complete -c kgate -n '__fish_seen_subcommand_from {}'", verb.name);
      for (const auto& name : flag.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!flag.choices.empty()) {
        line += fmt::format(" -x -a {}", quoted(joined(flag.choices)));
      } else if (is_folder(flag)) {
        line += " -x -a '(__fish_complete_directories)'";
      } else if (is_file(flag)) {
        line += " -r -F";
      } else if (!flag.value.empty()) {
        line += " -x";
      }
      text += line + " -d " + quoted(flag.what) + "\n";
    }
  }
  return text;
}

}  // namespace kgate::cli
