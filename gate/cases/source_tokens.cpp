#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/quote.h"
#include "gate/cases/sources.h"

// A lexer of C++ as far as it takes to know what is code: comments, strings (raw ones too), character literals, digit
// separators. Spliced lines are joined first, as the compiler does it. Macros that paste a name together are beyond it,
// and said to be.
namespace kgate::cases {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

class Lexer {
 public:
  // `literals`: strings and character literals count as code.
  explicit Lexer(std::string_view text, bool literals = false) : literals_(literals) {
    // Phase 2 of translation; `lines_` remembers where each kept character stood.
    std::size_t line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t next = text.substr(i + 1, 1) == "\r" ? i + 2 : i + 1;
      if (text[i] == '\\' && next < text.size() && text[next] == '\n') {
        ++line;
        i = next;
        continue;
      }
      code_ += text[i];
      lines_.push_back(line);
      if (text[i] == '\n') ++line;
    }
  }

  // Blanks everything that is not code; words end up in words_.
  void run() {
    while (at_ < code_.size()) {
      if (starts("//")) {
        blank_to(find("\n", at_));
      } else if (starts("/*")) {
        blank_to(past("*/", at_ + 2));
      } else if (code_[at_] == '"' || code_[at_] == '\'') {
        quoted_stretch(code_[at_]);
      } else if (is_name_part(code_[at_])) {
        word();
      } else {
        ++at_;
      }
    }
  }

  // The places of `token` in the code.
  std::vector<std::size_t> places_of(const std::string& token) const {
    std::vector<std::size_t> places;
    if (is_identifier(token)) {
      for (const Word& word : words_) {
        if (code_.compare(word.begin, word.length, token) == 0) places.push_back(word.begin);
      }
    } else if (!token.empty()) {
      for (std::size_t at = code_.find(token); at != std::string::npos; at = code_.find(token, at + token.size()))
        places.push_back(at);
    }
    return places;
  }

  const std::string& code() const { return code_; }
  std::size_t line_of(std::size_t place) const { return lines_[place]; }

 private:
  struct Word {
    std::size_t begin, length;
  };

  bool starts(std::string_view text) const { return code_.compare(at_, text.size(), text) == 0; }
  std::size_t find(std::string_view text, std::size_t from) const {
    return std::min(code_.find(text, from), code_.size());
  }
  std::size_t past(std::string_view text, std::size_t from) const {
    return std::min(find(text, from) + text.size(), code_.size());
  }

  void blank_to(std::size_t end) {
    for (; at_ < end; ++at_) code_[at_] = code_[at_] == '\n' ? '\n' : ' ';
  }

  void pass_literal(std::size_t end) {
    if (literals_)
      at_ = end;
    else
      blank_to(end);
  }

  void quoted_stretch(char quote) {
    std::size_t end = at_ + 1;
    while (end < code_.size() && code_[end] != quote && code_[end] != '\n') end += code_[end] == '\\' ? 2 : 1;
    pass_literal(std::min(end + 1, code_.size()));
  }

  // An identifier, or a number with its digit separators, whose quotes open no literal.
  void word() {
    const std::size_t begin = at_;
    const bool number = !is_name_start(code_[at_]);
    while (at_ < code_.size() && (is_name_part(code_[at_]) || (number && separator()))) ++at_;
    if (number) return;
    const std::string_view name = std::string_view(code_).substr(begin, at_ - begin);
    if (at_ < code_.size() && code_[at_] == '"' &&
        (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R")) {
      const std::size_t open = find("(", at_);
      if (open - at_ > 17) return;  // no raw string after all
      const std::string close = ")" + code_.substr(at_ + 1, open - at_ - 1) + "\"";
      pass_literal(past(close, open));
    } else {
      words_.push_back({begin, at_ - begin});
    }
  }

  bool separator() const { return code_[at_] == '\'' && at_ + 1 < code_.size() && is_name_part(code_[at_ + 1]); }

  bool literals_;
  std::string code_;
  std::vector<std::size_t> lines_;
  std::vector<Word> words_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<TokenPlace> find_tokens(std::string_view text, const std::vector<std::string>& tokens) {
  if (tokens.empty()) return {};
  Lexer lexer(text);
  lexer.run();
  std::vector<std::pair<std::size_t, const std::string*>> found;
  for (const std::string& token : tokens) {
    for (const std::size_t place : lexer.places_of(token)) found.emplace_back(place, &token);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TokenPlace> places;
  for (const auto& [place, token] : found) places.push_back({*token, lexer.line_of(place)});
  return places;
}

std::string code_alone(std::string_view text) {
  Lexer lexer(text);
  lexer.run();
  return lexer.code();
}

std::string without_comments(std::string_view text) {
  Lexer lexer(text, true);
  lexer.run();
  return lexer.code();
}

std::optional<std::string> forbidden_token(std::string_view text, const std::vector<std::string>& tokens) {
  const std::vector<TokenPlace> places = find_tokens(text, tokens);
  if (places.empty()) return std::nullopt;
  return kgate::quoted(places.front().token) + " in line " + std::to_string(places.front().line);
}

}  // namespace kgate::cases
