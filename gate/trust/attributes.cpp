#include "gate/trust/attributes.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/error.h"
#include "base/file_tree.h"

// .gitattributes, as git reads it. The problem: an attribute decides which bytes a file has elsewhere (what Git LFS
// keeps, what a checkout expands), the change's author writes it, and whoever reads it otherwise than git judges other
// bytes than are built. libgit2 does: it takes "!pattern", which git ignores, for "all but this". So what is judged by
// an attribute is read here, after gitattributes(5), and what only some versions of git understand is refused.
namespace kgate::trust {
namespace {

constexpr const char* kFile = ".gitattributes";
constexpr std::size_t kLongestLine = 2048;  // of git since 2.38; older ones read on
constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kMacro = "[attr]";

struct Line {
  std::string pattern;             // of a macro: its name
  std::vector<std::string> words;  // "filter=lfs", "-text"
  bool macro = false;
};

// Takes the next word off a line.
std::string take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find_first_of(kBlank), line.size());
  const std::string word(line.substr(0, end));
  line.remove_prefix(std::min(line.find_first_not_of(kBlank, end), line.size()));
  return word;
}

Error unclear(const std::string& file, std::size_t number, const std::string& fact) {
  return {ErrorKind::untrusted, fmt::format("{}:{}", file, number), fact, "write it plainly, for kgate and git alike"};
}

// "a b\"c" with its quotes, as git writes such names; nothing where it has none, or they do not end.
std::optional<std::string> take_quoted(std::string_view& line) {
  constexpr std::string_view kLetters = "abfnrtv\"\\", kMeant = "\a\b\f\n\r\t\v\"\\";
  std::string name;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '"') {
      line.remove_prefix(at + 1);
      line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
      return name;
    }
    if (line[at] != '\\') {
      name += line[at];
      continue;
    }
    const std::size_t letter = at + 1 < line.size() ? kLetters.find(line[at + 1]) : std::string_view::npos;
    if (letter == std::string_view::npos) return std::nullopt;
    name += kMeant[letter];
    ++at;
  }
  return std::nullopt;
}

bool is_name(std::string_view name) {
  constexpr const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kLetters) == std::string_view::npos;
}

// "-text", "filter=lfs" -> the name.
std::string name_in(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('!')) word.remove_prefix(1);
  return std::string(word.substr(0, word.find('=')));
}

std::optional<Line> parse(std::string_view text, const std::string& file, std::size_t number) {
  const bool is_long = text.size() >= kLongestLine;
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  if (text.empty() || text.front() == '#') return std::nullopt;
  if (is_long) throw unclear(file, number, "is so long a line that only some versions of git read it");
  Line line;
  if (text.front() == '"') {
    const auto name = take_quoted(text);
    if (!name) throw unclear(file, number, "begins with a quote that kgate cannot read");
    line.pattern = *name;
  } else {
    line.pattern = take_word(text);
  }
  if (line.pattern.starts_with('!')) return std::nullopt;  // git ignores these
  if (line.pattern.starts_with(kMacro) && line.pattern.size() > kMacro.size()) {
    line.macro = true;
    line.pattern.erase(0, kMacro.size());
    if (!parent_of(file).empty() || !is_name(line.pattern)) return std::nullopt;  // likewise
  } else if (const std::size_t open = line.pattern.find('['); open != std::string::npos) {
    const std::string_view rest = std::string_view(line.pattern).substr(open);
    if (rest.find(']') > rest.find('/') || rest.find(']') == std::string_view::npos)
      throw unclear(file, number, "has a bracket that does not end");
  }
  while (!text.empty()) {
    const std::string word = take_word(text);
    if (!is_name(name_in(word))) return std::nullopt;  // git drops the whole line
    if (word.find("builtin_") != std::string::npos)
      throw unclear(file, number, "is a line that only old versions of git read");
    line.words.push_back(word);
  }
  return line;
}

bool one_segment(std::string_view pattern, std::string_view name) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

// Segment by segment: '*' stops at a slash, and "**" alone in a segment is any number of them.
bool matches(std::string_view pattern, std::string_view path) {
  const std::size_t end = pattern.find('/'), slash = path.find('/');
  const std::string_view first = pattern.substr(0, end);
  const bool last = end == std::string_view::npos;
  if (first == "**") {
    if (last) return true;
    if (matches(pattern.substr(end + 1), path)) return true;
    return slash != std::string_view::npos && matches(pattern, path.substr(slash + 1));
  }
  if (!one_segment(first, path.substr(0, slash))) return false;
  if (last || slash == std::string_view::npos) return last && slash == std::string_view::npos;
  return matches(pattern.substr(end + 1), path.substr(slash + 1));
}

// `path` is relative to the folder of the file that has the pattern. A pattern for folders matches no file.
bool is_meant(std::string pattern, const std::string& path) {
  if (pattern.ends_with('/')) return false;
  if (pattern.find('/') == std::string::npos) return one_segment(pattern, path.substr(path.rfind('/') + 1));
  if (pattern.starts_with('/')) pattern.erase(0, 1);
  return matches(pattern, path);
}

std::vector<Line> lines_of(ByteView content, const std::string& file) {
  std::vector<Line> lines;
  std::string text(text_of(content));
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  if (text.find('\0') != std::string::npos) throw unclear(file, 1, "has a zero byte");
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    if (auto parsed = parse(line, file, ++number)) lines.push_back(std::move(*parsed));
  }
  return lines;
}

// The first that speaks of an attribute decides, from the nearest folder's last line backwards, as in git.
struct Reading {
  Attributes values;  // "!": said to be unspecified
  std::map<std::string, std::vector<std::string>> macros;

  void take(const std::vector<std::string>& words) {
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
      const std::size_t equals = word->find('=');
      const std::string name = name_in(*word);
      const std::string value = word->starts_with('-')        ? "false"
                                : word->starts_with('!')      ? "!"
                                : equals == std::string::npos ? "true"
                                                              : word->substr(equals + 1);
      if (!values.emplace(name, value).second || value != "true") continue;
      if (const auto macro = macros.find(name); macro != macros.end()) take(macro->second);
    }
  }
};

}  // namespace

Attributes attributes_of(const std::string& path, const ReadAttributes& read) {
  std::vector<std::pair<std::string, std::vector<Line>>> files;  // by folder, the nearest first
  for (std::string folder = parent_of(path);; folder = parent_of(folder)) {
    const std::string file = folder.empty() ? kFile : folder + "/" + kFile;
    if (const auto content = read(file)) files.emplace_back(folder, lines_of(*content, file));
    if (folder.empty()) break;
  }
  Reading reading;
  for (const auto& [folder, lines] : files) {
    for (const Line& line : lines) {
      if (line.macro) reading.macros[line.pattern] = line.words;
    }
  }
  for (const auto& [folder, lines] : files) {
    const std::string inner = folder.empty() ? path : path.substr(folder.size() + 1);
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      if (!line->macro && is_meant(line->pattern, inner)) reading.take(line->words);
    }
  }
  std::erase_if(reading.values, [](const auto& entry) { return entry.second == "!"; });
  return reading.values;
}

}  // namespace kgate::trust
