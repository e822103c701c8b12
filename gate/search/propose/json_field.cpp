#include "gate/search/propose/json_field.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace kgate::search {
namespace {

// As in a.b where that reads well, else quoted: keys are foreign text too.
std::string step_of(const std::string& key) {
  return is_identifier(key) ? "." + key : fmt::format("[{}]", kgate::quoted(key));
}

std::string kind_of(const Json& value) {
  if (value.is_null()) return "null";
  const std::string name = value.type_name();
  return (name == "array" || name == "object" ? "an " : "a ") + name;
}

bool has_control(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0)) return true;
    at += point.length;
  }
  return false;
}

}  // namespace

void JsonField::fail(const std::string& fact, const std::string& hint) const {
  throw Error(ErrorKind::usage, path_.empty() ? subject_ : subject_ + ": " + path_, fact, hint);
}

JsonField JsonField::child(const Json& value, const std::string& step) const {
  return {value, subject_, path_.empty() && step.front() == '.' ? step.substr(1) : path_ + step};
}

const std::string& JsonField::text(std::size_t most) const {
  if (!value_->is_string()) fail(fmt::format("is {}, not a string", kind_of(*value_)));
  const auto& text = value_->get_ref<const std::string&>();
  if (text.size() > most) fail(fmt::format("has {} bytes, more than {}", text.size(), most));
  if (text.find('\0') != std::string::npos) fail("holds the character U+0000");
  return text;
}

const std::string& JsonField::line(std::size_t most) const {
  const std::string& one = text(most);
  if (has_control(one)) fail("holds control characters", "write one line");
  return one;
}

double JsonField::number(double low, double high, const std::string& hint) const {
  if (!value_->is_number()) fail(fmt::format("is {}, not a number", kind_of(*value_)), hint);
  const double number = value_->get<double>();
  if (!(number >= low && number <= high)) fail("is out of range", hint);
  return number;
}

std::int64_t JsonField::integer(std::int64_t low, std::int64_t high) const {
  const std::string hint = fmt::format("write a whole number from {} to {}", low, high);
  if (!value_->is_number_integer()) fail(fmt::format("is {}, not a whole number", kind_of(*value_)), hint);
  const bool beyond = value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(high);
  if (beyond || value_->get<std::int64_t>() < low || value_->get<std::int64_t>() > high) fail("is out of range", hint);
  return value_->get<std::int64_t>();
}

std::vector<JsonField> JsonField::items(std::size_t most) const {
  if (!value_->is_array()) fail(fmt::format("is {}, not an array", kind_of(*value_)));
  if (value_->size() > most) fail(fmt::format("has {} entries, more than {}", value_->size(), most));
  std::vector<JsonField> fields;
  fields.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) fields.push_back(child((*value_)[i], fmt::format("[{}]", i)));
  return fields;
}

std::vector<std::pair<std::string, JsonField>> JsonField::entries(std::size_t most) const {
  if (!value_->is_object()) fail(fmt::format("is {}, not an object", kind_of(*value_)));
  if (value_->size() > most) fail(fmt::format("has {} entries, more than {}", value_->size(), most));
  std::vector<std::pair<std::string, JsonField>> fields;
  fields.reserve(value_->size());
  for (const auto& [key, value] : value_->items()) fields.emplace_back(key, child(value, step_of(key)));
  return fields;
}

void JsonField::allow_only(const std::vector<std::string>& known) const {
  if (!value_->is_object()) fail(fmt::format("is {}, not an object", kind_of(*value_)));
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(fmt::format("{} is no key that is known here", kgate::quoted(key)), suggestion(key, known));
  }
}

bool JsonField::has(const std::string& key) const {
  return value_->is_object() && value_->contains(key);
}

JsonField JsonField::at(const std::string& key, const std::string& hint) const {
  if (!has(key)) child(*value_, step_of(key)).fail("is missing", hint);
  return child((*value_)[key], step_of(key));
}

}  // namespace kgate::search
