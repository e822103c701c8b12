#include "gate/verdict/subject/entry_location.h"

#include <string_view>

#include "gate/cases/sources.h"

namespace kgate::verdict {
namespace {

// "ops::softmax<BLOCK>" -> "softmax".
std::string plain_name(std::string_view entry) {
  entry = entry.substr(0, entry.find('<'));
  const std::size_t scope = entry.rfind("::");
  if (scope != std::string_view::npos) entry.remove_prefix(scope + 2);
  while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
  return std::string(entry);
}

// A definition is `__global__ ... name (...) {`; with a semicolon before the brace it is a declaration.
std::optional<std::int64_t> definition_in(std::string_view text, const std::string& name) {
  constexpr const char* kGlobal = "__global__";
  std::size_t line = 0;  // of the last __global__ that is still open; 0: none
  bool named = false;
  for (const cases::TokenPlace& place : cases::find_tokens(text, {kGlobal, name, "{", ";"})) {
    if (place.token == kGlobal) {
      line = place.line;
      named = false;
    } else if (place.token == name) {
      named = line != 0;
    } else if (place.token == "{" && named) {
      return static_cast<std::int64_t>(line);
    } else {
      line = 0;
      named = false;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Location> entry_location(const Version& version) {
  if (version.spec.launches.empty() || version.spec.sources.kind != "cuda") return std::nullopt;
  const std::string name = plain_name(version.spec.launches.front().entry);
  if (name.empty()) return std::nullopt;
  for (const auto& [path, content] : version.files) {
    if (const auto line = definition_in(text_of(content), name)) return Location{path, *line};
  }
  return std::nullopt;
}

}  // namespace kgate::verdict
