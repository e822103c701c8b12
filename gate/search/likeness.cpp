#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/toml_reader.h"
#include "gate/cases/sources.h"
#include "gate/search/candidate.h"

namespace kgate::search {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0;
}

// "a = b" and "a=b" are the same, "a b" and "ab" are not, nor are "a + +b" and "a ++b". Blanks in strings are treated
// alike: inline PTX does not mind them. A directive ends with its line.
std::string without_blanks(std::string_view code) {
  std::string result;
  bool directive = false;
  for (std::size_t at = 0; at < code.size();) {
    if (!is_blank(code[at])) {
      directive = directive || (code[at] == '#' && (result.empty() || result.back() == '\n'));
      result += code[at++];
      continue;
    }
    bool line_ends = false;
    for (; at < code.size() && is_blank(code[at]); ++at) line_ends = line_ends || code[at] == '\n';
    if (result.empty() || at == code.size()) continue;
    if (line_ends && (directive || code[at] == '#')) {
      result += '\n';
      directive = false;
    } else if (directive || is_word(result.back()) == is_word(code[at])) {
      result += ' ';  // "#define F(x)" is not "#define F (x)"
    }
  }
  return result;
}

Json json_of(const TomlReader& value) {
  using Kind = TomlReader::Kind;
  Json json;
  switch (value.kind()) {
    case Kind::text:
      return value.text();
    case Kind::integer:
      return value.integer();
    case Kind::number:
      return fmt::format("{}", value.number());
    case Kind::boolean:
      return value.boolean();
    case Kind::date:
      return value.date();
    case Kind::array:
      json = Json::array();
      for (const TomlReader& item : value.items()) json.push_back(json_of(item));
      return json;
    case Kind::table:
      json = Json::object();
      for (const auto& [name, item] : value.entries()) json[name] = json_of(item);
      return json;
  }
  return json;
}

}  // namespace

std::string likeness_of(const Candidate& candidate) {
  const bool is_source = spec_of(candidate).sources.kind == "cuda";
  Json what = Json::object();
  for (const auto& [path, content] : candidate.files) {
    if (path == candidate.path) {
      const TomlDocument document(content, path);
      what[path] = json_of(document.root());
    } else {
      what[path] = sha256_hex(is_source ? without_blanks(cases::without_comments(content)) : content);
    }
  }
  return sha256_hex(canonical_json(what));
}

}  // namespace kgate::search
