#include "runner/host/rewrite.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

// A declaration is found by its `__shared__` and read from its first to its last token; a real C++ parser (libclang)
// would need the toolkit's headers and 100 MB for this one construct, and a regular expression cannot see comments,
// strings and alignment in parentheses.
namespace kgate::runner::host {
namespace {

struct Token {
  std::size_t begin = 0, end = 0;  // in the source
  std::string_view text;
  bool word = false;
};

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The end of the literal that begins with the quote at `at`, or of the source.
std::size_t end_of_literal(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (std::size_t i = at + 1; i < source.size(); ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source[i] == quote) {
      return i + 1;
    } else if (source[i] == '\n') {
      return i;  // an apostrophe in #error text, say: a literal never spans lines
    }
  }
  return source.size();
}

std::size_t end_of_raw_string(std::string_view source, std::size_t quote) {
  const std::size_t open = source.find('(', quote);
  if (open == std::string_view::npos) return source.size();
  const std::string close = ")" + std::string(source.substr(quote + 1, open - quote - 1)) + "\"";
  const std::size_t end = source.find(close, open);
  return end == std::string_view::npos ? source.size() : end + close.size();
}

std::size_t skip_comment(std::string_view source, std::size_t at) {
  if (source[at + 1] == '*') {
    const std::size_t end = source.find("*/", at + 2);
    return end == std::string_view::npos ? source.size() : end + 2;
  }
  std::size_t end = at;
  do {
    end = source.find('\n', end + 1);
  } while (end != std::string_view::npos && source[end - 1] == '\\');
  return end == std::string_view::npos ? source.size() : end;
}

// Words, literals (as one token) and single characters of punctuation; no comments, no white space.
std::vector<Token> tokens_of(std::string_view source) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < source.size()) {
    const char c = source[at];
    std::size_t end = at + 1;
    bool word = false, token = true;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      token = false;
    } else if (c == '/' && at + 1 < source.size() && (source[at + 1] == '/' || source[at + 1] == '*')) {
      end = skip_comment(source, at);
      token = false;
    } else if (c == '"' || c == '\'') {
      end = end_of_literal(source, at);
    } else if (in_word(c)) {
      word = starts_word(c);
      while (end < source.size() && (in_word(source[end]) || (!word && source[end] == '\''))) ++end;
      const std::string_view text = source.substr(at, end - at);
      static const std::set<std::string_view> raw{"R", "LR", "uR", "UR", "u8R"};
      if (end < source.size() && source[end] == '"' && raw.count(text) != 0) {
        end = end_of_raw_string(source, end);
        word = false;
      }
    }
    if (token) tokens.push_back({at, end, source.substr(at, end - at), word});
    at = end;
  }
  return tokens;
}

struct Declaration {
  std::size_t first = 0, last = 0;  // tokens
  std::string type, name, dimensions;
};

// The token after the parenthesis that closes the one at `open`.
std::size_t after_parentheses(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == "(") ++depth;
    if (tokens[i].text == ")" && --depth == 0) return i + 1;
  }
  return tokens.size();
}

enum class Form { not_extern, understood, unknown };

// Reads the declaration around the `__shared__` at `at`.
Form read_declaration(const std::vector<Token>& tokens, std::size_t at, Declaration& declaration) {
  static const std::set<std::string_view> storage{"extern", "__shared__", "static"};
  static const std::set<std::string_view> alignment{"__align__", "alignas", "__attribute__", "__builtin_align__"};
  std::size_t first = at;
  while (first > 0 && (tokens[first - 1].text == "extern" || tokens[first - 1].text == "static" ||
                       tokens[first - 1].text == "volatile" || tokens[first - 1].text == "const")) {
    --first;
  }
  bool is_extern = false;
  std::size_t name = 0, i = first;
  std::vector<std::size_t> type;
  while (i < tokens.size() && tokens[i].text != "[") {
    const std::string_view text = tokens[i].text;
    if (text == ";" || text == "=" || text == "{" || text == "}") return is_extern ? Form::unknown : Form::not_extern;
    if (text == "extern") is_extern = true;
    if (alignment.count(text) != 0 && i + 1 < tokens.size() && tokens[i + 1].text == "(") {
      i = after_parentheses(tokens, i + 1);
      continue;
    }
    if (storage.count(text) == 0 && text != "\\") type.push_back(i);
    ++i;
  }
  if (!is_extern) return Form::not_extern;
  if (i >= tokens.size() || type.size() < 2 || !tokens[type.back()].word) return Form::unknown;
  name = type.back();
  type.pop_back();
  std::size_t last = i;
  int depth = 0;
  for (; last < tokens.size(); ++last) {
    if (tokens[last].text == "[") ++depth;
    if (tokens[last].text == "]" && --depth == 0 && (last + 1 >= tokens.size() || tokens[last + 1].text != "[")) break;
  }
  if (last >= tokens.size() || (last + 1 < tokens.size() && tokens[last + 1].text == ",")) return Form::unknown;
  declaration.first = first;
  declaration.last = last;
  declaration.name = std::string(tokens[name].text);
  declaration.type.clear();
  for (const std::size_t part : type)
    declaration.type += (declaration.type.empty() ? "" : " ") + std::string(tokens[part].text);
  declaration.dimensions.clear();
  for (std::size_t part = i; part <= last; ++part) declaration.dimensions += tokens[part].text;
  return Form::understood;
}

std::string replacement(const Declaration& declaration, std::string_view replaced) {
  std::string text = "static thread_local " + declaration.type + " (&" + declaration.name + ")" +
                     declaration.dimensions + " = *reinterpret_cast<" + declaration.type + " (*)" +
                     declaration.dimensions + ">(kgate_host::dynamic_shared())";
  // As many line ends as before, continued where they were (in a macro).
  for (std::size_t i = 0; i < replaced.size(); ++i) {
    if (replaced[i] == '\n') text += i > 0 && replaced[i - 1] == '\\' ? "\\\n" : "\n";
  }
  return text;
}

}  // namespace

Rewritten rewrite_cuda(std::string_view source) {
  const std::vector<Token> tokens = tokens_of(source);
  Rewritten result;
  std::size_t copied = 0;
  const auto replace = [&](std::size_t begin, std::size_t end, const std::string& text) {
    result.text += source.substr(copied, begin - copied);
    result.text += text;
    copied = end;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].word) continue;
    if (tokens[i].text == "asm" || tokens[i].text == "__asm__" || tokens[i].text == "__asm") {
      replace(tokens[i].begin, tokens[i].end, kInlinePtx);
    }
    if (tokens[i].text != "__shared__") continue;
    Declaration declaration;
    switch (read_declaration(tokens, i, declaration)) {
      case Form::not_extern:
        break;
      case Form::unknown:
        result.unknown_extern_shared.push_back(
            1 + static_cast<std::size_t>(
                    std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(tokens[i].begin), '\n')));
        break;
      case Form::understood: {
        const std::size_t begin = tokens[declaration.first].begin, end = tokens[declaration.last].end;
        replace(begin, end, replacement(declaration, source.substr(begin, end - begin)));
        i = declaration.last;
        break;
      }
    }
  }
  result.text += source.substr(copied);
  return result;
}

}  // namespace kgate::runner::host
