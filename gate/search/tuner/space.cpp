#include "gate/search/tuner/space.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::tuner {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<double> numbers_of(const std::vector<std::string>& values) {
  std::vector<double> numbers;
  for (const std::string& value : values) {
    const auto number = number_of(value);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::string listed(const std::vector<std::string>& values) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMost); ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", values[i]);
  return text + (values.size() > kMost ? ", ..." : "");
}

}  // namespace

Space::Space(const std::map<std::string, std::vector<std::string>>& tunables, Feasible feasible)
    : size_(1), feasible_(std::move(feasible)) {
  for (const auto& [name, values] : tunables) {
    if (values.empty()) throw Error(ErrorKind::usage, name, "has no values", "list at least one");
    if (values.size() > std::numeric_limits<std::uint16_t>::max())
      throw Error(ErrorKind::usage, name, "has more than 65535 values", "list fewer");
    std::set<std::string> seen;
    for (const std::string& value : values) {
      if (!seen.insert(value).second)
        throw Error(ErrorKind::usage, name, fmt::format("has the value \"{}\" twice", value), "list it once");
    }
    parameters_.push_back({name, values, numbers_of(values)});
    if (size_) size_ = values.size() > kLargest / *size_ ? std::nullopt : std::optional(*size_ * values.size());
  }
}

Configuration Space::configuration(const std::map<std::string, std::string>& values) const {
  Configuration configuration;
  for (const Parameter& parameter : parameters_) {
    const auto given = values.find(parameter.name);
    if (given == values.end())
      throw Error(ErrorKind::usage, parameter.name, "has no value", "give one of " + listed(parameter.values));
    const auto found = std::find(parameter.values.begin(), parameter.values.end(), given->second);
    if (found == parameter.values.end()) {
      throw Error(ErrorKind::usage, parameter.name, fmt::format("has no value \"{}\"", given->second),
                  "give one of " + listed(parameter.values));
    }
    configuration.push_back(static_cast<std::uint16_t>(found - parameter.values.begin()));
  }
  for (const auto& given : values) {
    const std::string& name = given.first;
    if (std::none_of(parameters_.begin(), parameters_.end(), [&](const Parameter& one) { return one.name == name; }))
      throw Error(ErrorKind::usage, name, "is no parameter of the space", "leave it out");
  }
  return configuration;
}

std::map<std::string, std::string> Space::values(const Configuration& configuration) const {
  check(configuration);
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    values[parameters_[i].name] = parameters_[i].values[configuration[i]];
  return values;
}

std::string Space::words(const Configuration& configuration) const {
  std::string text;
  for (const auto& [name, value] : values(configuration))
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

void Space::check(const Configuration& configuration) const {
  bool fits = configuration.size() == parameters_.size();
  for (std::size_t i = 0; fits && i < parameters_.size(); ++i) fits = configuration[i] < parameters_[i].values.size();
  if (!fits) throw Error(ErrorKind::internal, "configuration", "does not belong to the space of the tuner");
}

}  // namespace kgate::tuner
