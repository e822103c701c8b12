#include "runner/logical_lines.h"

#include <algorithm>
#include <cctype>
#include <utility>

// The first phases of translation, as far as directives need them. A scanner that looks at lines as they are written is
// passed by "#inc\<newline>lude", "/**/#include" and "%:include".
namespace kgate::runner {
namespace {

struct Physical {
  std::string text;          // splices undone
  std::vector<int> numbers;  // of each character's line
};

// Trigraphs that matter here, and splices: a backslash at the end of a line, also before blanks, as g++ takes it.
Physical spliced(std::string_view source) {
  Physical out;
  int number = 1;
  for (std::size_t at = 0; at < source.size(); ++at) {
    char c = source[at];
    std::size_t length = 1;
    if (source.substr(at, 3) == "?\?/") c = '\\', length = 3;
    if (source.substr(at, 3) == "?\?=") c = '#', length = 3;
    if (c == '\\') {
      const std::size_t end = source.find_first_not_of(" \t\r\f\v", at + length);
      if (end == std::string_view::npos || source[end] == '\n') {
        if (end == std::string_view::npos) break;
        ++number;
        at = end;
        continue;
      }
    }
    out.text += c;
    out.numbers.push_back(number);
    if (c == '\n') ++number;
    at += length - 1;
  }
  return out;
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
 public:
  explicit Scanner(Physical source) : source_(std::move(source)), text_(source_.text) {}

  std::vector<LogicalLine> lines() {
    while (at_ < text_.size()) step();
    end_line();
    return std::move(lines_);
  }

 private:
  bool next_is(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void take(std::size_t count) {
    if (line_.text.empty()) line_.number = source_.numbers[at_];
    line_.text += text_.substr(at_, count);
    at_ += count;
  }

  void end_line() {
    lines_.push_back(std::move(line_));
    line_ = {};
  }

  // "#include <a//b>" and "__has_include(<a//b>)" hold no comment.
  bool in_header_name() const {
    const std::size_t open = line_.text.rfind('<');
    if (open == std::string::npos || line_.text.find('>', open) != std::string::npos) return false;
    std::size_t end = line_.text.find_last_not_of(" \t", open == 0 ? 0 : open - 1);
    if (end != std::string::npos && line_.text[end] == '(')
      end = end == 0 ? end : line_.text.find_last_not_of(" \t", end - 1);
    if (end == std::string::npos) return false;
    std::size_t begin = end + 1;
    while (begin > 0 && is_letter(line_.text[begin - 1])) --begin;
    const std::string word = line_.text.substr(begin, end + 1 - begin);
    return word.find("include") != std::string::npos || word == "import" || word.find("embed") != std::string::npos;
  }

  // R"x( ... )x", with what may stand before the R.
  bool at_raw_string() const {
    if (!next_is("R\"")) return false;
    std::size_t begin = line_.text.size();
    while (begin > 0 && is_letter(line_.text[begin - 1])) --begin;
    const std::string prefix = line_.text.substr(begin);
    return prefix.empty() || prefix == "u8" || prefix == "u" || prefix == "U" || prefix == "L";
  }

  void take_raw_string() {
    const std::size_t open = text_.find('(', at_);
    const std::string_view mark = open == std::string_view::npos ? "" : text_.substr(at_ + 2, open - at_ - 2);
    constexpr std::size_t kLongestMark = 16;
    if (open == std::string_view::npos || mark.size() > kLongestMark ||
        mark.find_first_of(" \t\n\\)\"") != std::string_view::npos) {
      take(1);  // none; the quote is a plain one
      return;
    }
    const std::string end = ")" + std::string(mark) + "\"";
    const std::size_t close = text_.find(end, open);
    const std::size_t stop = close == std::string_view::npos ? text_.size() : close + end.size();
    while (at_ < stop) take_or_blank();
  }

  // A raw string's line ends are no ends of lines.
  void take_or_blank() {
    if (text_[at_] != '\n') return take(1);
    if (line_.text.empty()) line_.number = source_.numbers[at_];
    line_.text += ' ';
    ++at_;
  }

  void take_quoted(char quote) {
    take(1);
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_];
      take(c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1);
      if (c == quote) return;
    }
  }

  void skip_comment() {
    if (line_.text.empty()) line_.number = source_.numbers[at_];
    const bool to_line_end = next_is("//");
    const std::size_t end = to_line_end ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + (to_line_end ? 0 : 2);
    line_.text += ' ';
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      ++at_;
      end_line();
    } else if ((next_is("//") || next_is("/*")) && !in_header_name()) {
      skip_comment();
    } else if (at_raw_string()) {
      take_raw_string();
    } else if (c == '"' || (c == '\'' && !is_separator())) {
      take_quoted(c);
    } else if (next_is("%:")) {
      if (line_.text.empty()) line_.number = source_.numbers[at_];
      line_.text += '#';
      at_ += 2;
    } else {
      take(1);
    }
  }

  // 1'000: the number that a quote stands in.
  bool is_separator() const {
    std::size_t begin = line_.text.size();
    while (begin > 0 &&
           (is_letter(line_.text[begin - 1]) || line_.text[begin - 1] == '\'' || line_.text[begin - 1] == '.'))
      --begin;
    const bool in_number =
        begin < line_.text.size() && std::isdigit(static_cast<unsigned char>(line_.text[begin])) != 0;
    return in_number && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
  }

  Physical source_;
  std::string_view text_;
  std::size_t at_ = 0;
  LogicalLine line_;
  std::vector<LogicalLine> lines_;
};

}  // namespace

std::vector<LogicalLine> logical_lines(std::string_view source) {
  return Scanner(spliced(source)).lines();
}

}  // namespace kgate::runner
