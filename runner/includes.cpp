#include "runner/includes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "runner/logical_lines.h"

namespace kgate::runner {
namespace {

constexpr std::string_view kBlank = " \t\r\f\v";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view take_word(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_letter(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  skip_blanks(text);
  return word;
}

// A header's name, with its quotes or brackets.
struct Header {
  bool quoted = true;
  std::string path;
};
std::optional<Header> header_in(std::string_view text) {
  if (text.empty() || (text.front() != '"' && text.front() != '<')) return std::nullopt;
  const bool quoted = text.front() == '"';
  const std::size_t end = text.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Header{quoted, std::string(text.substr(1, end - 1))};
}

std::optional<std::string> joined(const std::string& folder, const std::string& path) {
  try {
    return join_beneath(folder, path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool climbs(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos;
}

// By how many folders a path goes up from where it begins, at its highest.
int height_of(const std::string& path) {
  int depth = 0, highest = 0;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = std::string_view(path).substr(begin, end - begin);
    if (segment == "..") highest = std::max(highest, -(--depth));
    if (segment != ".." && segment != "." && !segment.empty()) ++depth;
    begin = end + 1;
  }
  return highest;
}

class Scan {
 public:
  Scan(const std::map<std::string, Bytes>& files, const std::vector<std::string>& folders)
      : files_(files), folders_(folders) {}

  std::string findings() {
    for (const auto& [name, content] : files_) {
      name_ = &name;
      for (const LogicalLine& line : logical_lines(text_of(content))) {
        number_ = line.number;
        look_at(line.text);
      }
    }
    return findings_;
  }

 private:
  void find(const std::string& what) { findings_ += fmt::format("{}({}): error: {}\n", *name_, number_, what); }

  // What the compiler opens, in its order: beside the file that includes, then folder by folder, and the system's last.
  // A path that climbs has to come upon a declared file before it leaves the repository in one of them. Empty where it
  // does; else what is wrong with it.
  std::string astray(const Header& header) const {
    if (!climbs(header.path)) return {};
    std::vector<std::string> tried = folders_;
    if (header.quoted) tried.insert(tried.begin(), parent_of(*name_));
    for (const std::string& folder : tried) {
      const auto file = joined(folder, header.path);
      if (!file) return "which is outside the repository";
      if (files_.count(*file) != 0) return {};
    }
    // From /usr/include one folder up is still the system's, two are not.
    return height_of(header.path) > 1 ? "which is not declared" : "";
  }

  void look_at_header(const char* verb, std::string_view text) {
    const auto header = header_in(text);
    if (!header) {
      // What does not end is no include, and the compiler's to tell.
      if (text.empty() || text.front() == '"' || text.front() == '<') return;
      return find(fmt::format("{} what a macro names; name the file itself", verb));
    }
    if (header->path.starts_with('/')) {
      return find(fmt::format("{} \"{}\" by an absolute path; include declared headers and the toolkit's own", verb,
                              header->path));
    }
    if (const std::string why = astray(*header); !why.empty()) {
      find(fmt::format("{} \"{}\", {}", verb, header->path, why));
    }
  }

  // __has_include tells one machine from another. Whether the compiler has it may be asked.
  void look_for_questions(std::string_view directive, std::string_view text) {
    for (const std::string_view name : {"__has_include_next", "__has_include", "__has_embed"}) {
      for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        std::string_view rest = text.substr(at + name.size());
        if (at > 0 && is_letter(text[at - 1])) continue;
        if (!rest.empty() && is_letter(rest.front())) continue;
        skip_blanks(rest);
        const std::string_view before = text.substr(0, text.find_last_not_of(" \t(", at == 0 ? 0 : at - 1) + 1);
        if (directive == "ifdef" || directive == "ifndef" || directive == "elifdef" || directive == "elifndef" ||
            before.ends_with("defined")) {
          continue;
        }
        if (rest.starts_with('(')) rest.remove_prefix(1);
        skip_blanks(rest);
        look_at_header("asks for", rest.empty() ? "?" : rest);
      }
    }
  }

  void look_at(const std::string& line) {
    std::string_view text = line;
    skip_blanks(text);
    if (line.find("_Pragma") != std::string::npos && line.find("dependency") != std::string::npos)
      return find("asks for a file's date by _Pragma; take it out");
    if (!text.starts_with('#')) return;
    text.remove_prefix(1);
    skip_blanks(text);
    const std::string_view directive = take_word(text);
    if (directive == "include" || directive == "include_next" || directive == "import" || directive == "embed") {
      return look_at_header("includes", text);
    }
    if (directive == "pragma" && text.find("dependency") != std::string_view::npos)
      return find("asks for a file's date by #pragma; take it out");
    // The compiler shows the line that it thinks an error is in, of the file that these name.
    const bool number = !directive.empty() && directive.find_first_not_of("0123456789") == std::string_view::npos;
    if (directive == "line" || number) {
      const std::size_t quote = text.find('"');
      const auto header = quote == std::string_view::npos ? std::nullopt : header_in(text.substr(quote));
      if (header && (header->path.starts_with('/') || climbs(header->path)))
        find(fmt::format("names \"{}\" as its own file; name one of the repository", header->path));
      return;
    }
    look_for_questions(directive, text);
  }

  const std::map<std::string, Bytes>& files_;
  const std::vector<std::string>& folders_;
  const std::string* name_ = nullptr;
  int number_ = 0;
  std::string findings_;
};

}  // namespace

std::string refused_includes(const std::map<std::string, Bytes>& files, const std::vector<std::string>& folders) {
  return Scan(files, folders).findings();
}

}  // namespace kgate::runner
