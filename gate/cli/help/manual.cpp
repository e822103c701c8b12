#include "gate/cli/help/manual.h"

namespace kgate::cli {
namespace {

// CLI11 keeps a choice in the type's name: "TEXT:{text,json}".
std::vector<std::string> choices_of(const std::string& type) {
  const auto begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  std::vector<std::string> choices{""};
  for (const char letter : type.substr(begin + 1, end - begin - 1)) {
    if (letter == ',') {
      choices.emplace_back();
    } else {
      choices.back() += letter;
    }
  }
  return choices;
}

Flag flag_of(const CLI::Option& option) {
  Flag flag;
  for (const auto& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) flag.names.push_back("--" + name);
  flag.what = option.get_description();
  flag.preset = option.get_default_str();
  if (flag.names.empty()) {
    flag.value = option.get_name(true);
    return flag;
  }
  if (option.get_items_expected_max() == 0) return flag;
  const std::string type = option.get_type_name();
  flag.choices = choices_of(type);
  if (flag.choices.empty()) {
    flag.value = type == "UINT" || type.starts_with("UINT:") || type.starts_with("INT") ? "N" : type;
  } else {
    for (const auto& choice : flag.choices) flag.value += (flag.value.empty() ? "" : "|") + choice;
  }
  return flag;
}

}  // namespace

std::vector<VerbManual> manual_of(const CLI::App& app) {
  std::vector<VerbManual> verbs;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    VerbManual verb{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) {
      Flag flag = flag_of(*option);
      (flag.names.empty() ? verb.positionals : verb.flags).push_back(std::move(flag));
    }
    verbs.push_back(std::move(verb));
  }
  return verbs;
}

}  // namespace kgate::cli
