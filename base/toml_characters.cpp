#include "base/toml_characters.h"

#include <utility>

#include "base/error.h"

namespace kgate {
namespace {

bool beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

// Follows a text just as far as is needed to know where strings and comments are. What is no TOML the parser says.
class Walk {
 public:
  Walk(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  void run() {
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) at_ = kByteOrderMark.size();
    while (at_ < text_.size()) {
      if (comes("\"\"\"") || comes("'''")) {
        string(&Walk::long_string);
      } else if (comes("\"") || comes("'")) {
        string(&Walk::short_string);
      } else if (comes("#")) {
        while (at_ < text_.size() && !comes("\n")) step();
      } else {
        need_ascii("outside of strings and comments", "put a name like this in quotes");
        step();
      }
    }
  }

 private:
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

  bool comes(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void step() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }

  void need_ascii(const std::string& where, const std::string& remedy) const {
    if (at_ == text_.size() || !beyond_ascii(text_[at_])) return;
    throw Error(ErrorKind::usage, path_ + ":" + std::to_string(line_), "has a character that is not ASCII " + where,
                remedy);
  }

  // Where a key or a value may begin. A value's end is looked for through what follows it without a break, strings too.
  bool at_a_beginning() const {
    std::size_t before = at_;
    while (before > 0 && (text_[before - 1] == ' ' || text_[before - 1] == '\t')) --before;
    return before == 0 || std::string_view("=,[{\n").find(text_[before - 1]) != std::string_view::npos;
  }

  void string(void (Walk::*read)(char)) {
    const bool anything_goes = at_a_beginning();
    const std::size_t begin = at_;
    const int line = line_;
    (this->*read)(text_[at_]);
    if (anything_goes) return;
    const std::size_t end = std::exchange(at_, begin);
    line_ = line;
    while (at_ < end) {
      need_ascii("in a string that stands behind something else",
                 "put a comma, an equals sign or a line's end between");
      step();
    }
  }

  // At a backslash: before a character, or before a line's end and the white space that it takes away.
  void escape() {
    step();
    bool character = true;
    for (; comes(" ") || comes("\t") || comes("\r") || comes("\n"); step()) character = false;
    need_ascii("after a backslash", "write it before the backslash, or leave that out");
    if (character && at_ < text_.size()) step();
  }

  void short_string(char quote) {
    step();
    while (at_ < text_.size() && text_[at_] != quote && !comes("\n")) {
      if (quote == '"' && comes("\\") && text_.substr(at_ + 1, 1) != "\n") {
        escape();
      } else {
        step();
      }
    }
    if (at_ < text_.size() && !comes("\n")) step();
  }

  // Up to two quotes may stand before the three that end it.
  void long_string(char quote) {
    const std::string end(3, quote);
    at_ += end.size();
    while (at_ < text_.size() && !comes(end)) {
      if (quote == '"' && comes("\\")) {
        escape();
      } else {
        step();
      }
    }
    for (int i = 0; i < 5 && at_ < text_.size() && text_[at_] == quote; ++i) step();
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

void check_toml_characters(std::string_view text, const std::string& path) {
  Walk(text, path).run();
}

}  // namespace kgate
