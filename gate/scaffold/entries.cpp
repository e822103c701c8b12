// Problem: to know a kernel's parameters without compiling it: headers may be missing, and there may be no CUDA here.
// Choice: a reader of declarations over the code alone (comments and strings blanked), enough for how kernels are
// written; what it does not understand it leaves to the person who completes the file, marked as such. Rejected: a C++
// parser from a library (libclang is 100 MB and wants the includes).
#include "gate/scaffold/entries.h"

#include <algorithm>
#include <map>

#include "gate/cases/sources.h"

namespace kgate::scaffold {
namespace {

bool is_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Names, and every other character by itself; "::" is one.
std::vector<std::string> tokens_of(std::string_view code) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (is_part(c)) {
      std::size_t end = at;
      while (end < code.size() && is_part(code[end])) ++end;
      tokens.emplace_back(code.substr(at, end - at));
      at = end;
    } else if (code.substr(at, 2) == "::") {
      tokens.emplace_back("::");
      at += 2;
    } else if (c == '#' && (tokens.empty() || code.substr(0, at).find_last_not_of(" \t") == std::string_view::npos ||
                            code[code.substr(0, at).find_last_not_of(" \t")] == '\n')) {
      at = std::min(code.find('\n', at), code.size());  // a directive
    } else {
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') tokens.emplace_back(1, c);
      ++at;
    }
  }
  return tokens;
}

using Tokens = std::vector<std::string>;

// The place behind the bracket that closes the one at `at`.
std::size_t past_bracket(const Tokens& tokens, std::size_t at) {
  const std::string open = tokens[at], close = open == "(" ? ")" : open == "{" ? "}" : open == "<" ? ">" : "]";
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at] == open) ++depth;
    if (tokens[at] == close && --depth == 0) return at + 1;
  }
  return at;
}

struct Element {
  DType type;
  int lanes = 1;
};

std::optional<Element> element_of(Tokens words) {
  static const std::map<std::string, Element> known{{"float", {DType::f32}},
                                                    {"double", {DType::f64}},
                                                    {"half", {DType::f16}},
                                                    {"__half", {DType::f16}},
                                                    {"nv_bfloat16", {DType::bf16}},
                                                    {"__nv_bfloat16", {DType::bf16}},
                                                    {"__nv_fp8_e4m3", {DType::f8e4m3}},
                                                    {"__nv_fp8_e5m2", {DType::f8e5m2}},
                                                    {"bool", {DType::boolean}},
                                                    {"int", {DType::i32}},
                                                    {"signed", {DType::i32}},
                                                    {"unsigned", {DType::u32}},
                                                    {"short", {DType::i16}},
                                                    {"char", {DType::i8}},
                                                    {"long", {DType::i64}},
                                                    {"int8_t", {DType::i8}},
                                                    {"int16_t", {DType::i16}},
                                                    {"int32_t", {DType::i32}},
                                                    {"int64_t", {DType::i64}},
                                                    {"uint8_t", {DType::u8}},
                                                    {"uint16_t", {DType::u16}},
                                                    {"uint32_t", {DType::u32}},
                                                    {"uint64_t", {DType::u64}},
                                                    {"size_t", {DType::u64}},
                                                    {"uint", {DType::u32}},
                                                    {"uchar", {DType::u8}},
                                                    {"float2", {DType::f32, 2}},
                                                    {"float4", {DType::f32, 4}},
                                                    {"double2", {DType::f64, 2}},
                                                    {"int2", {DType::i32, 2}},
                                                    {"int4", {DType::i32, 4}},
                                                    {"uint2", {DType::u32, 2}},
                                                    {"uint4", {DType::u32, 4}},
                                                    {"half2", {DType::f16, 2}},
                                                    {"__half2", {DType::f16, 2}},
                                                    {"__nv_bfloat162", {DType::bf16, 2}}};
  std::erase_if(words, [](const std::string& word) { return word == "std" || word == "::"; });
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  const bool is_unsigned = has("unsigned");
  if (words.size() > 1)
    std::erase_if(words, [](const std::string& word) { return word == "unsigned" || word == "signed"; });
  if (words.size() > 1) std::erase(words, "int");  // long int
  if (words.empty()) words = {"int"};
  if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word != words.front(); }))
    return {};
  const auto found = known.find(words.front());
  if (found == known.end() || (words.size() > 1 && words.front() != "long")) return {};
  Element element = found->second;
  if (is_unsigned) {
    static const std::map<DType, DType> counterpart{
        {DType::i8, DType::u8}, {DType::i16, DType::u16}, {DType::i32, DType::u32}, {DType::i64, DType::u64}};
    const auto other = counterpart.find(element.type);
    if (other != counterpart.end()) element.type = other->second;
  }
  return element;
}

EntryParameter parameter_of(Tokens tokens, std::size_t number) {
  EntryParameter parameter;
  if (const auto preset = std::find(tokens.begin(), tokens.end(), "="); preset != tokens.end())
    tokens.erase(preset, tokens.end());
  Tokens words;
  int pointers = 0;
  bool constant = false, array = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "*") {
      ++pointers;
    } else if (token == "[") {
      array = true;
      i = past_bracket(tokens, i) - 1;
    } else if (token == "const") {
      constant = constant || pointers == 0;
    } else if (token == "__restrict__" || token == "__restrict" || token == "restrict" || token == "volatile" ||
               token == "__grid_constant__") {
      continue;
    } else {
      words.push_back(token);
    }
  }
  if (array) ++pointers;
  // The last word is the name, unless it is the type itself.
  const bool named = words.size() > 1 && is_part(words.back().front()) && words[words.size() - 2] != "::" &&
                     !(element_of(words) && element_of({words.back()}));
  parameter.name = named ? words.back() : "arg" + std::to_string(number);
  if (named) words.pop_back();
  for (const auto& word : words) {
    const bool glued = parameter.type.empty() || word == "::" || parameter.type.ends_with("::") || word == "<" ||
                       word == ">" || word == "," || parameter.type.ends_with("<");
    parameter.type += (glued ? "" : " ") + word;
  }
  if (constant) parameter.type = "const " + parameter.type;
  parameter.type += std::string(static_cast<std::size_t>(pointers), '*');
  parameter.pointer = pointers > 0;
  parameter.writable = pointers > 0 && !constant;
  if (pointers > 1) return parameter;
  if (const auto element = element_of(words); element && (parameter.pointer || element->lanes == 1)) {
    parameter.dtype = element->type;
    parameter.lanes = element->lanes;
  }
  return parameter;
}

std::vector<EntryParameter> parameters_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::vector<EntryParameter> parameters;
  Tokens one;
  int depth = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string& token = tokens[i];
    if (token == "<" || token == "(" || token == "[") ++depth;
    if (token == ">" || token == ")" || token == "]") --depth;
    if (token == "," && depth == 0) {
      parameters.push_back(parameter_of(one, parameters.size()));
      one.clear();
    } else {
      one.push_back(token);
    }
  }
  if (!one.empty() && one != Tokens{"void"}) parameters.push_back(parameter_of(one, parameters.size()));
  return parameters;
}

// What is open around a place: namespaces by their names, everything else by "".
std::string qualified(const std::vector<std::string>& scopes, const std::string& name) {
  std::string result;
  for (const auto& scope : scopes) result += scope.empty() ? "" : scope + "::";
  return result + name;
}

}  // namespace

std::vector<Entry> find_entries(std::string_view source) {
  const Tokens tokens = tokens_of(cases::code_alone(source));
  std::vector<Entry> entries;
  std::vector<std::string> scopes;
  std::string opening;     // the namespace that the next brace opens
  bool templated = false;  // of the declaration that is being read
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "namespace") {
      opening.clear();
      while (i + 1 < tokens.size() && (is_part(tokens[i + 1].front()) || tokens[i + 1] == "::")) opening += tokens[++i];
    } else if (token == "template" && i + 1 < tokens.size() && tokens[i + 1] == "<") {
      templated = past_bracket(tokens, i + 1) > i + 3;  // template <> is a specialisation
      i = past_bracket(tokens, i + 1) - 1;
    } else if (token == "{") {
      scopes.push_back(opening);
      opening.clear();
      templated = false;
    } else if (token == "}") {
      if (!scopes.empty()) scopes.pop_back();
      templated = false;
    } else if (token == ";") {
      templated = false;
      opening.clear();
    } else if (token == "__global__") {
      // Attributes such as __launch_bounds__(256) come before the name, which is the word before the last bracket.
      std::size_t open = i + 1;
      while (open < tokens.size() && tokens[open] != "{" && tokens[open] != ";") {
        const bool attribute =
            tokens[open] == "(" && open > 0 && tokens[open - 1].starts_with("__") && tokens[open - 1].ends_with("__");
        if (tokens[open] == "(" && !attribute) break;
        open = tokens[open] == "(" ? past_bracket(tokens, open) : open + 1;
      }
      if (open >= tokens.size() || tokens[open] != "(" || !is_part(tokens[open - 1].front())) continue;
      const std::size_t close = past_bracket(tokens, open);
      if (close < tokens.size() && tokens[close] == "{") {
        entries.push_back({qualified(scopes, tokens[open - 1]), templated, parameters_of(tokens, open + 1, close - 1)});
      }
      i = close - 1;
    }
  }
  return entries;
}

std::vector<std::string> quoted_includes(std::string_view source) {
  std::vector<std::string> names;
  std::size_t at = 0;
  std::vector<std::string_view> lines;
  while (at <= source.size()) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    lines.push_back(source.substr(at, end - at));
    at = end + 1;
  }
  for (const auto& place : cases::find_tokens(source, {"include"})) {
    const std::string_view text = lines[place.line - 1];
    const std::size_t hash = text.find_first_not_of(" \t");
    const std::size_t open = text.find('"');
    if (hash == std::string_view::npos || text[hash] != '#' || open == std::string_view::npos) continue;
    const std::size_t close = text.find('"', open + 1);
    if (close != std::string_view::npos) names.emplace_back(text.substr(open + 1, close - open - 1));
  }
  return names;
}

}  // namespace kgate::scaffold
