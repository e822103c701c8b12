#include "gate/trust/predicate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"

namespace kgate::trust {

PredicateReader::PredicateReader(const Json& object, std::string place, std::string subject,
                                 const std::vector<std::string>& known)
    : object_(object), place_(std::move(place)), subject_(std::move(subject)) {
  if (!object_.is_object()) fail("it is not an object");
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      fail(fmt::format("{} is not a key that this kgate knows", kgate::quoted(key)));
    }
  }
}

const Json& PredicateReader::at(const char* key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) fail(fmt::format("\"{}\" is missing", key));
  return *found;
}

const std::string& PredicateReader::text(const char* key) const {
  const Json& value = at(key);
  if (!value.is_string()) fail(fmt::format("\"{}\" is not a string", key));
  return value.get_ref<const std::string&>();
}

std::optional<std::string> PredicateReader::text_or_null(const char* key) const {
  if (at(key).is_null()) return std::nullopt;
  return text(key);
}

std::int64_t PredicateReader::positive(const char* key) const {
  constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
  const Json& value = at(key);
  // A number over 2^63 turns negative here.
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > kMostExact) {
    fail(fmt::format("\"{}\" is not a whole number from 1", key));
  }
  return value.get<std::int64_t>();
}

const Json& PredicateReader::array(const char* key) const {
  const Json& value = at(key);
  if (!value.is_array()) fail(fmt::format("\"{}\" is not an array", key));
  return value;
}

std::vector<std::string> PredicateReader::texts(const char* key) const {
  std::vector<std::string> found;
  for (const Json& item : array(key)) {
    if (!item.is_string()) fail(fmt::format("\"{}\" is not an array of strings", key));
    found.push_back(item.get<std::string>());
  }
  return found;
}

void PredicateReader::fail(const std::string& fact) const {
  throw Error(ErrorKind::untrusted, subject_, place_ + ": " + fact, "restore the file as it was signed, or sign anew");
}

}  // namespace kgate::trust
