#include "gate/cli/complain.h"

#include <string_view>

#include "gate/report/report.h"

namespace kgate::cli {
namespace {

std::string replaced(const std::string& text, std::string_view by) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += by;
    } else {
      result += c;
    }
  }
  return result;
}

// base/ knows what failed, and not what it was for; who does know has said it already.
std::string plain_remedy(const std::string& fact) {
  const auto says = [&](std::string_view words) { return fact.find(words) != std::string::npos; };
  if (says("No such file or directory") || says("Not a directory"))
    return "see that it is there, and how it is spelled";
  if (says("Permission denied") || says("Operation not permitted")) return "let the user that runs kgate do that";
  if (says("Read-only file system")) return "name a folder that can be written";
  if (says("is no regular file") || says("Is a directory")) return "name a file";
  if (says("is not TOML")) return "correct it there; https://toml.io says how TOML is written";
  if (says("is not valid JSON")) return "it was cut short, or changed since it was written: have it written again";
  return {};
}

}  // namespace

std::string complaint(const Error& error) {
  constexpr const char* kBreak = "\\x0a";
  const std::string hint = error.hint().empty() ? plain_remedy(error.fact()) : error.hint();
  std::string fact = error.fact();
  while (!fact.empty() && fact.back() == '\n') fact.pop_back();
  std::string text = error.subject().empty() ? "" : replaced(error.subject(), kBreak) + ": ";
  text += replaced(fact, "\n  ");
  if (!hint.empty()) text += "; " + replaced(hint, kBreak);
  return report::neutral(text);
}

}  // namespace kgate::cli
