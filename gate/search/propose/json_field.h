#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace kgate::search {

// A value of a foreign JSON text with its place in it: typed access, and bounds. Every complaint is Error(usage,
// "SUBJECT: parts[0].edits[1].find", fact, remedy), fit to be told to a model. Points into the text's value.
class JsonField {
 public:
  JsonField(const Json& value, std::string subject, std::string path = {})
      : value_(&value), subject_(std::move(subject)), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& fact, const std::string& hint = {}) const;

  // A string of at most `most` bytes, without the character U+0000.
  const std::string& text(std::size_t most) const;
  // The same on one line: without control characters.
  const std::string& line(std::size_t most) const;
  double number(double low, double high, const std::string& hint) const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  std::vector<JsonField> items(std::size_t most) const;                            // of an array
  std::vector<std::pair<std::string, JsonField>> entries(std::size_t most) const;  // of an object

  // Of an object.
  void allow_only(const std::vector<std::string>& known) const;
  bool has(const std::string& key) const;
  JsonField at(const std::string& key, const std::string& hint) const;  // fails where it is not there

  const Json& value() const { return *value_; }

 private:
  JsonField child(const Json& value, const std::string& step) const;

  const Json* value_;
  std::string subject_, path_;
};

}  // namespace kgate::search
