#include "base/toml_reader.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "base/toml_characters.h"

// These files nest three or four levels deep. The parser, and the trees it builds, recurse: without a bound a file of
// brackets or dots would end the process by its stack. kMostDots does for dotted keys what this does for brackets.
#define TOML_MAX_NESTED_VALUES 16

// toml++ 3.3 asserts what files can break (a key that begins with none of a key's characters), and with clang and
// NDEBUG it even promises it to the compiler. So without NDEBUG, and with an assertion of ours: where the parser checks
// again and complains itself it goes on, anything else is an exception instead of a crash.
namespace kgate {
namespace {

struct BrokenAssertion {};

constexpr void hold(bool holds, std::string_view assertion) {
  if (!holds && assertion.find("is_bare_key_character") == std::string_view::npos) throw BrokenAssertion{};
}

}  // namespace
}  // namespace kgate
#undef NDEBUG
#define TOML_ASSERT(expr) ::kgate::hold(static_cast<bool>(expr), #expr)
#include <toml++/toml.h>

namespace kgate {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMostDots = 100;

const char* words_for(TomlNode::Kind kind) {
  switch (kind) {
    case TomlNode::Kind::text:
      return "a string";
    case TomlNode::Kind::integer:
      return "an integer";
    case TomlNode::Kind::number:
      return "a number";
    case TomlNode::Kind::boolean:
      return "true or false";
    case TomlNode::Kind::array:
      return "an array";
    case TomlNode::Kind::table:
      return "a table";
    case TomlNode::Kind::date:
      return "a date";
  }
  return "a value";
}

std::string iso(const toml::date& date) {
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

TomlNode copy_of(const toml::node& node, std::uint32_t parent_line) {
  TomlNode result;
  result.line = std::max(static_cast<std::uint32_t>(node.source().begin.line), 1U);
  result.column = std::max(static_cast<std::uint32_t>(node.source().begin.column), 1U);
  if (node.source().begin.line == 0) result.line = parent_line;  // a table that only a longer header implies
  if (const auto* text = node.as_string()) {
    result.kind = TomlNode::Kind::text;
    result.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    result.kind = TomlNode::Kind::integer;
    result.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    result.kind = TomlNode::Kind::number;
    result.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    result.kind = TomlNode::Kind::boolean;
    result.boolean = boolean->get();
  } else if (const auto* array = node.as_array()) {
    result.kind = TomlNode::Kind::array;
    for (const toml::node& item : *array) result.items.push_back(copy_of(item, result.line));
  } else if (const auto* table = node.as_table()) {
    result.kind = TomlNode::Kind::table;
    for (auto&& [name, item] : *table) {
      result.names.emplace_back(std::string_view(name));
      result.items.push_back(copy_of(item, result.line));
    }
  } else {
    result.kind = TomlNode::Kind::date;
    if (const auto* date = node.as_date()) result.text = iso(date->get());
  }
  return result;
}

void check_bounds(std::string_view text, const std::string& path) {
  if (text.size() > kMostBytes)
    throw Error(ErrorKind::usage, path, "is larger than 1 MiB", "split it into several kernels");
  int line = 1;
  int dots = 0;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
    } else if (c == '.' && ++dots > kMostDots) {
      throw Error(ErrorKind::usage, path + ":" + std::to_string(line), "has more than 100 dots in one line",
                  "break the line, or use fewer");
    }
  }
}

}  // namespace

std::string TomlReader::where() const {
  const std::string place = *path_ + ":" + std::to_string(node_->line);
  return key_.empty() ? place : place + ": " + key_;
}

std::string TomlReader::where(const std::string& name) const {
  const std::string place = *path_ + ":" + std::to_string(node_->line) + ": ";
  return key_.empty() ? place + name : place + key_ + "." + name;
}

void TomlReader::fail(const std::string& fact, const std::string& hint) const {
  throw Error(ErrorKind::usage, where(), fact, hint);
}

void TomlReader::need(Kind kind) const {
  if (node_->kind != kind) fail(std::string("must be ") + words_for(kind) + ", not " + words_for(node_->kind));
}

const std::string& TomlReader::text() const {
  need(Kind::text);
  return node_->text;
}

std::int64_t TomlReader::integer() const {
  need(Kind::integer);
  return node_->integer;
}

double TomlReader::number() const {
  if (node_->kind == Kind::integer) return static_cast<double>(node_->integer);
  need(Kind::number);
  return node_->number;
}

bool TomlReader::boolean() const {
  need(Kind::boolean);
  return node_->boolean;
}

const std::string& TomlReader::date() const {
  need(Kind::date);
  if (node_->text.empty()) fail("must be a date without a time of day", "write it as 2027-12-31");
  return node_->text;
}

std::vector<TomlReader> TomlReader::items() const {
  need(Kind::array);
  std::vector<TomlReader> result;
  result.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    result.emplace_back(node_->items[i], *path_, key_ + "[" + std::to_string(i) + "]");
  }
  return result;
}

std::vector<std::pair<std::string, TomlReader>> TomlReader::entries() const {
  need(Kind::table);
  std::vector<std::pair<std::string, TomlReader>> result;
  result.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    const std::string& name = node_->names[i];
    const std::string shown = is_identifier(name) ? name : kgate::quoted(name);
    result.emplace_back(name, TomlReader(node_->items[i], *path_, key_.empty() ? shown : key_ + "." + shown));
  }
  return result;
}

std::vector<std::string> TomlReader::texts() const {
  std::vector<std::string> result;
  for (const TomlReader& item : items()) result.push_back(item.text());
  return result;
}

std::optional<TomlReader> TomlReader::find(const std::string& name) const {
  need(Kind::table);
  const auto found = std::find(node_->names.begin(), node_->names.end(), name);
  if (found == node_->names.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(found - node_->names.begin());
  return TomlReader(node_->items[index], *path_, key_.empty() ? name : key_ + "." + name);
}

TomlReader TomlReader::require(const std::string& name, const std::string& hint) const {
  if (auto found = find(name)) return *found;
  throw Error(ErrorKind::usage, where(name), "is missing", hint);
}

void TomlReader::allow_only(const std::vector<std::string>& known) const {
  for (const auto& [name, reader] : entries()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      reader.fail("is not a key that kgate knows", suggestion(name, known));
    }
  }
}

std::size_t TomlReader::choice(const std::vector<std::string>& words) const {
  const auto found = std::find(words.begin(), words.end(), text());
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "\"" : ", \"") + word + "\"";
  const auto near = nearest(text(), words);
  fail(kgate::quoted(text()) + " is not one of " + list, near ? "did you mean \"" + *near + "\"?" : "");
}

std::vector<TomlReader> TomlReader::list(const std::string& name, std::size_t limit) const {
  const auto found = find(name);
  if (!found) return {};
  std::vector<TomlReader> result = found->items();
  if (result.size() > limit) {
    found->fail("has " + std::to_string(result.size()) + " entries, more than the " + std::to_string(limit) +
                " that kgate takes");
  }
  return result;
}

TomlDocument::TomlDocument(std::string_view text, std::string path) : path_(std::move(path)) {
  check_bounds(text, path_);
  check_toml_characters(text, path_);
  try {
    root_ = copy_of(static_cast<const toml::table&>(toml::parse(text, path_)), 1);
    root_.line = 1;
  } catch (const toml::parse_error& error) {
    std::string description(error.description());  // quotes the file, so it may hold a line break
    for (char& c : description) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    }
    if (!description.empty()) {
      description[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(description[0])));
    }
    throw Error(ErrorKind::usage,
                path_ + ":" + std::to_string(std::max(1U, static_cast<unsigned>(error.source().begin.line))),
                "is not TOML: " + description);
  } catch (const BrokenAssertion&) {
    throw Error(ErrorKind::usage, path_, "is not TOML that kgate can read",
                "look for a key or a bracket that is cut off");
  }
}

void check_schema(const TomlReader& root, const std::string& schema) {
  const std::string hint = "write schema = \"" + schema + "\"";
  const TomlReader found = root.require("schema", hint);
  const std::string& value = found.text();
  if (value == schema) return;
  const std::string family = schema.substr(0, schema.find('/') + 1);
  if (value.compare(0, family.size(), family) == 0) {
    found.fail(kgate::quoted(value) + " is of another version of kgate", "this kgate knows " + schema);
  }
  found.fail(kgate::quoted(value) + " is not the schema of this file", hint);
}

}  // namespace kgate
