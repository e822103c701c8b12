#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgate::tuner {

// One value a parameter, by its index in the parameter's list; in the order of Space::parameters().
using Configuration = std::vector<std::uint16_t>;

struct Parameter {
  std::string name;
  std::vector<std::string> values;  // as they are written
  std::vector<double> numbers;      // the same where all of them are numbers; else empty: categories
};

// Discrete parameters and what is allowed of their product. Nothing is enumerated here.
class Space {
 public:
  using Feasible = std::function<bool(const Configuration&)>;

  // `tunables`: name -> values as text, as [tunables] of kernel.toml has them. `feasible` is asked before a
  // configuration is suggested; without it all are. Throws Error(usage) for a parameter without values, with more than
  // 65535, or with one of them twice.
  explicit Space(const std::map<std::string, std::vector<std::string>>& tunables, Feasible feasible = {});

  const std::vector<Parameter>& parameters() const { return parameters_; }
  // Of the product, feasible or not; nothing where that is more than 2^63.
  std::optional<std::uint64_t> size() const { return size_; }
  bool feasible(const Configuration& configuration) const { return !feasible_ || feasible_(configuration); }

  // Between names with values, as they are written, and indices. Throws Error(usage) where a parameter is missing or
  // unknown, or a value is none of its list.
  Configuration configuration(const std::map<std::string, std::string>& values) const;
  std::map<std::string, std::string> values(const Configuration& configuration) const;
  // "BLOCK=128 TILE=4", for people.
  std::string words(const Configuration& configuration) const;
  // Throws Error(internal) for what is no configuration of this space.
  void check(const Configuration& configuration) const;

 private:
  std::vector<Parameter> parameters_;
  std::optional<std::uint64_t> size_;
  Feasible feasible_;
};

}  // namespace kgate::tuner
