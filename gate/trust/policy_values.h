#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/toml_reader.h"

// Values of the policy with their ranges; Error(usage, "PATH:LINE: key", fact, `hint`) for what lies outside.
namespace kgate::trust {

inline constexpr std::size_t kMostEntries = 1000;  // of an array

double number_in(const TomlReader& value, double low, double high, const std::string& hint);
std::int64_t integer_in(const TomlReader& value, std::int64_t low, std::int64_t high, const std::string& hint);
// An array of strings, none of them empty.
std::vector<std::string> texts_of(const TomlReader& value);
// An array of a few known words, each once.
std::vector<std::string> words_of(const TomlReader& value, const std::vector<std::string>& known);

}  // namespace kgate::trust
