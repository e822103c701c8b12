#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "gate/verdict/result/verdict.h"

namespace kgate::verdict {

// An object of the file, with its place in it: "kernels[0].cases[2]".
class Reader {
 public:
  Reader(const Json& json, const std::string& subject, std::string place)
      : json_(json), subject_(subject), place_(std::move(place)) {
    if (!json_.is_object()) fail(place_, "must be an object");
  }

  const Json& json() const { return json_; }

  void get(const char* key, std::string& into) const {
    into = required(key, &Json::is_string, "a string").get<std::string>();
  }
  void get(const char* key, bool& into) const { into = required(key, &Json::is_boolean, "true or false").get<bool>(); }
  void get(const char* key, std::int64_t& into) const {
    into = integer(required(key, &Json::is_number_integer, "an integer"), key);
  }
  void get(const char* key, int& into) const {
    std::int64_t wide = 0;
    get(key, wide);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
      fail(key_of(key), "is out of range");
    into = static_cast<int>(wide);
  }
  void get(const char* key, double& into) const {
    const Json& value = at(key);
    if (value.is_number()) {
      into = value.get<double>();
    } else if (value == "nan") {
      into = std::numeric_limits<double>::quiet_NaN();
    } else if (value == "inf" || value == "-inf") {
      into = value == "inf" ? HUGE_VAL : -HUGE_VAL;
    } else {
      fail(key_of(key), "must be a number");
    }
  }
  void get(const char* key, std::vector<std::string>& into) const {
    for (const Json& item : required(key, &Json::is_array, "an array")) {
      if (!item.is_string()) fail(key_of(key), "must be an array of strings");
      into.push_back(item.get<std::string>());
    }
  }
  void get(const char* key, Verdict& into) const {
    std::string name;
    get(key, name);
    try {
      into = verdict_from_name(name);
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, subject_, key_of(key) + ": " + error.subject() + " " + error.fact(), error.hint());
    }
  }
  template <typename T>
  void get(const char* key, std::optional<T>& into) const {
    if (!json_.contains(key)) return;
    into.emplace();
    get(key, *into);
  }

  Reader object(const char* key) const { return {at(key), subject_, key_of(key)}; }
  std::optional<Reader> maybe_object(const char* key) const {
    if (!json_.contains(key)) return std::nullopt;
    return object(key);
  }
  std::vector<Reader> objects(const char* key) const {
    std::vector<Reader> readers;
    for (const Json& item : required(key, &Json::is_array, "an array")) {
      readers.emplace_back(item, subject_, key_of(key) + "[" + std::to_string(readers.size()) + "]");
    }
    return readers;
  }
  const Json& array(const char* key) const { return required(key, &Json::is_array, "an array"); }
  const Json& any_object(const char* key) const { return required(key, &Json::is_object, "an object"); }

  std::string key_of(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }
  std::int64_t integer(const Json& value, const char* key) const {
    if (!value.is_number_integer()) fail(key_of(key), "must be an integer");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
      fail(key_of(key), "is out of range");
    }
    return value.get<std::int64_t>();
  }
  [[noreturn]] void fail(const std::string& place, const std::string& fact) const {
    throw Error(ErrorKind::usage, subject_, (place.empty() ? "the result" : place) + " " + fact,
                "it is not a result.json that kgate wrote, or it was changed since");
  }

 private:
  const Json& at(const char* key) const {
    if (!json_.contains(key)) fail(key_of(key), "is missing");
    return json_.at(key);
  }
  const Json& required(const char* key, bool (Json::*is)() const noexcept, const char* what) const {
    const Json& value = at(key);
    if (!(value.*is)()) fail(key_of(key), std::string("must be ") + what);
    return value;
  }

  const Json& json_;
  const std::string& subject_;
  std::string place_;
};

}  // namespace kgate::verdict
