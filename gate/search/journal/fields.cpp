#include "gate/search/journal/fields.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"

namespace kgate::search::journal {

Fields::Fields(const Json& json, std::string place, const std::string& subject)
    : json_(&json), place_(std::move(place)), subject_(&subject) {
  if (!json.is_object()) fail("", "is not an object");
}

void Fields::fail(const std::string& key, const std::string& what) const {
  const std::string where = key.empty() ? place_ : name_of(key);
  throw Error(ErrorKind::usage, *subject_,
              fmt::format("is no line of a search's journal: {} {}", where.empty() ? "it" : kgate::quoted(where), what),
              "a newer kgate may have written it: use that; else begin anew with an empty folder");
}

const Json& Fields::at(const char* key) {
  const auto found = json_->find(key);
  if (found == json_->end()) fail(key, "is missing");
  taken_.emplace_back(key);
  return *found;
}

void Fields::get(const char* key, std::string& value) {
  const Json& found = at(key);
  if (!found.is_string()) fail(key, "is not a string");
  value = found.get<std::string>();
}

void Fields::get(const char* key, bool& value) {
  const Json& found = at(key);
  if (!found.is_boolean()) fail(key, "is not true or false");
  value = found.get<bool>();
}

void Fields::get(const char* key, std::int64_t& value) {
  const Json& found = at(key);
  // Above the largest, a number is read as unsigned.
  constexpr std::uint64_t kLargest = 1ull << 53;
  if (!found.is_number_unsigned() || found.get<std::uint64_t>() > kLargest) fail(key, "is not a whole number from 0");
  value = found.get<std::int64_t>();
}

void Fields::get(const char* key, std::uint64_t& value) {
  const Json& found = at(key);
  if (!found.is_number_unsigned()) fail(key, "is not a whole number from 0");
  value = found.get<std::uint64_t>();
}

void Fields::get(const char* key, double& value) {
  const Json& found = at(key);
  value = found.is_number() ? found.get<double>() : -1;
  // Sums of what is larger than any time or amount of money overflow.
  if (!std::isfinite(value) || value < 0 || value > 1e15) fail(key, "is not a number from 0");
}

void Fields::get(const char* key, Json& value) {
  const Json& found = at(key);
  if (!found.is_object()) fail(key, "is not an object");
  value = found;
}

void Fields::get(const char* key, std::vector<std::string>& values) {
  const Json& found = at(key);
  if (!found.is_array()) fail(key, "is not a list");
  for (const Json& item : found) {
    if (!item.is_string()) fail(key, "is not a list of strings");
    values.push_back(item.get<std::string>());
  }
}

void Fields::get(const char* key, std::map<std::string, std::string>& values) {
  const Json& found = at(key);
  if (!found.is_object()) fail(key, "is not an object");
  for (const auto& [name, item] : found.items()) {
    if (!item.is_string()) fail(key, "is not an object of strings");
    values.emplace(name, item.get<std::string>());
  }
}

Fields Fields::inside(const char* key) {
  return {at(key), name_of(key), *subject_};
}

std::vector<Fields> Fields::items(const char* key) {
  const Json& found = at(key);
  if (!found.is_array()) fail(key, "is not a list");
  std::vector<Fields> result;
  for (std::size_t i = 0; i < found.size(); ++i)
    result.emplace_back(found[i], fmt::format("{}[{}]", name_of(key), i), *subject_);
  return result;
}

void Fields::end() const {
  for (const auto& [key, value] : json_->items()) {
    if (std::find(taken_.begin(), taken_.end(), key) == taken_.end()) fail(key, "is not a key that kgate knows");
  }
}

}  // namespace kgate::search::journal
