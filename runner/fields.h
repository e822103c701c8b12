#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"

// Reads the fields of a message's body, which are unchecked input: each function throws Error(internal, "runner
// protocol", ...) with the field's name where it is missing, of another type or out of range.
namespace kgate::runner {

inline Error broken(const std::string& fact) {
  return {ErrorKind::internal, "runner protocol", fact};
}

inline const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) throw broken(std::string("no map where \"") + key + "\" is looked for");
  const auto found = object.find(key);
  if (found == object.end()) throw broken(std::string("\"") + key + "\" is missing");
  return *found;
}

// Strings, booleans, numbers; integers are checked against the range of the type they go to.
template <typename T>
T get(const Json& value, const char* key) {
  if constexpr (std::is_same_v<T, bool>) {
    if (value.is_boolean()) return value.get<bool>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (value.is_string()) return value.get<std::string>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value.is_number()) return value.get<T>();
  } else if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (number >= static_cast<std::int64_t>(std::numeric_limits<T>::min())) return static_cast<T>(number);
  }
  throw broken(std::string("\"") + key + "\" has the wrong type or is out of range");
}

template <typename T>
T field(const Json& object, const char* key) {
  return get<T>(member(object, key), key);
}

template <typename E>
E enum_field(const Json& object, const char* key, E last) {
  const auto number = field<unsigned>(object, key);
  if (number > static_cast<unsigned>(last)) throw broken(std::string("\"") + key + "\" is out of range");
  return static_cast<E>(number);
}

template <typename E>
unsigned number_of(E value) {
  return static_cast<unsigned>(value);
}

inline const Json& array_field(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_array()) throw broken(std::string("\"") + key + "\" is no array");
  return value;
}

template <typename T>
std::vector<T> list_field(const Json& object, const char* key) {
  std::vector<T> items;
  for (const auto& item : array_field(object, key)) items.push_back(get<T>(item, key));
  return items;
}

template <typename T>
std::map<std::string, T> map_field(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_object()) throw broken(std::string("\"") + key + "\" is no map");
  std::map<std::string, T> items;
  for (const auto& [name, item] : value.items()) items.emplace(name, get<T>(item, key));
  return items;
}

inline std::array<std::uint32_t, 3> triple(const Json& value, const char* key) {
  if (!value.is_array() || value.size() != 3) throw broken(std::string("\"") + key + "\" is no triple");
  return {get<std::uint32_t>(value[0], key), get<std::uint32_t>(value[1], key), get<std::uint32_t>(value[2], key)};
}

inline Json binary(ByteView bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary(std::vector<std::uint8_t>(first, first + bytes.size()));
}

inline Bytes bytes_field(const Json& value, const char* key) {
  if (!value.is_binary()) throw broken(std::string("\"") + key + "\" holds no bytes");
  const auto& content = value.get_binary();
  Bytes bytes(content.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), content.data(), bytes.size());
  return bytes;
}

// A number from 0 to `most`; NaN is none.
inline double length_field(const Json& object, const char* key, double most) {
  const auto number = field<double>(object, key);
  if (!(number >= 0 && number <= most)) throw broken(std::string("\"") + key + "\" is out of range");
  return number;
}

}  // namespace kgate::runner
