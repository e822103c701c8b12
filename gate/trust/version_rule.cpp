#include "gate/trust/version_rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kgate::trust {
namespace {

using Version = std::array<std::uint32_t, 4>;

struct Condition {
  std::string_view comparison;
  Version version{};
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<Version> parse_version(std::string_view text) {
  Version version{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t& part : version) {
    const auto [next, failed] = std::from_chars(at, end, part);
    if (failed != std::errc{}) return std::nullopt;
    if (next == end) return version;
    if (*next != '.') return std::nullopt;
    at = next + 1;
  }
  return std::nullopt;
}

std::optional<Condition> parse_condition(std::string_view text) {
  // The longer ones first: "<=" begins with "<".
  constexpr std::array<std::string_view, 6> known{">=", "<=", "==", "!=", ">", "<"};
  text = trimmed(text);
  const auto found =
      std::find_if(known.begin(), known.end(), [&](std::string_view one) { return text.substr(0, one.size()) == one; });
  if (found == known.end()) return std::nullopt;
  const auto version = parse_version(trimmed(text.substr(found->size())));
  if (!version) return std::nullopt;
  return Condition{*found, *version};
}

std::vector<std::string_view> split(std::string_view rule) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = rule.find(',');
    parts.push_back(rule.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    rule.remove_prefix(comma + 1);
  }
}

bool holds(const Version& version, const Condition& condition) {
  if (condition.comparison == ">=") return version >= condition.version;
  if (condition.comparison == "<=") return version <= condition.version;
  if (condition.comparison == "==") return version == condition.version;
  if (condition.comparison == "!=") return version != condition.version;
  if (condition.comparison == ">") return version > condition.version;
  return version < condition.version;
}

}  // namespace

std::optional<std::string> version_rule_problem(const std::string& rule) {
  for (const std::string_view part : split(rule)) {
    if (!parse_condition(part)) return "\"" + std::string(part) + "\" is no condition on a version";
  }
  return std::nullopt;
}

bool version_satisfies(const std::string& version, const std::string& rule) {
  if (rule.empty()) return true;
  const auto number = parse_version(trimmed(version));
  if (!number) return false;
  const std::vector<std::string_view> parts = split(rule);
  return std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
    const auto condition = parse_condition(part);
    return condition && holds(*number, *condition);
  });
}

}  // namespace kgate::trust
