#include "gate/search/defines.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "base/toml_reader.h"
#include "base/utf8.h"
#include "gate/cases/kernel_spec.h"
#include "gate/cases/version_reader.h"

// The parser says where a value begins; where it ends is simple, because a define is a single value. Whatever this
// makes is parsed again and has to hold exactly what was asked for, so that a way of writing TOML which it does not
// know ends in a message, never in another kernel. Rejected: writing the whole file anew from the parsed tree, which
// loses its comments and order; search and replace by patterns, which finds the name in comments and strings too.
namespace kgate::search {
namespace {

using Values = std::map<std::string, std::string>;

// Where the value stands in the text.
struct Stretch {
  std::size_t begin = 0, length = 0;
};

std::size_t offset_of(std::string_view text, std::uint32_t line, std::uint32_t column) {
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line; ++i) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  for (std::uint32_t i = 1; i < column && at < text.size(); ++i) at += decode_utf8(text, at).length;
  return std::min(at, text.size());
}

// Of a string, a number, true or false.
std::size_t length_of_value(std::string_view text) {
  for (const std::string_view quotes : {"\"\"\"", "'''", "\"", "'"}) {
    if (!text.starts_with(quotes)) continue;
    std::size_t at = quotes.size();
    while (at < text.size() && !text.substr(at).starts_with(quotes)) at += text[at] == '\\' && quotes[0] == '"' ? 2 : 1;
    return std::min(at + quotes.size(), text.size());
  }
  return std::min(text.find_first_of(",]}# \t\r\n"), text.size());
}

Stretch stretch_of(std::string_view text, const TomlReader& value) {
  const std::size_t begin = offset_of(text, value.line(), value.column());
  return {begin, length_of_value(text.substr(begin))};
}

std::string with_define(const std::string& text, const std::string& path, const std::string& name,
                        const std::string& value) {
  const TomlDocument document(text, path);
  const TomlReader root = document.root();
  const auto defines = root.find("defines");
  const auto tunables = root.find("tunables");
  const auto now = defines ? defines->find(name) : std::nullopt;
  const auto list = tunables ? tunables->find(name) : std::nullopt;
  if (!now || !list) {
    std::vector<std::string> known;
    if (tunables) {
      for (const auto& [tunable, item] : tunables->entries()) known.push_back(tunable);
    }
    throw Error(ErrorKind::usage, path, kgate::quoted(name) + " is not one of its tunables",
                known.empty() ? "it has none" : suggestion(name, known, "tunables"));
  }
  std::vector<std::string> allowed;
  for (const TomlReader& item : list->items()) {
    allowed.push_back(cases::read_define(item));
    if (allowed.back() != value) continue;
    const Stretch from = stretch_of(text, item), to = stretch_of(text, *now);
    return text.substr(0, to.begin) + text.substr(from.begin, from.length) + text.substr(to.begin + to.length);
  }
  throw Error(ErrorKind::usage, path,
              fmt::format("{} is not one of the values of {}", kgate::quoted(value), kgate::quoted(name)),
              suggestion(value, allowed, "values"));
}

}  // namespace

std::string with_defines(std::string text, const std::string& path, const Values& values) {
  Values expected = cases::parse_kernel(text, path).sources.defines;
  for (const auto& [name, value] : values) {
    if (const auto now = expected.find(name); now != expected.end() && now->second == value) {
      with_define(text, path, name, value);  // it has to be allowed all the same
      continue;
    }
    text = with_define(text, path, name, value);
    expected[name] = value;
  }
  const auto unfit = [&] {
    return Error(ErrorKind::usage, path, "its defines are written in a way that a search cannot change",
                 "write them as defines = { NAME = 1 }");
  };
  try {
    if (cases::parse_kernel(text, path).sources.defines == expected) return text;
  } catch (const Error&) {
    throw unfit();
  }
  throw unfit();
}

}  // namespace kgate::search
