#include "gate/cases/sources.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"

namespace kgate::cases {
namespace {

constexpr std::uint64_t kMostBytes = 4 << 20, kMostTogether = 64 << 20;
constexpr std::size_t kMostFiles = 4096;

// The files of one version as they are read, with their sum bounded.
class Reading {
 public:
  Reading(const FileTree& tree, const std::string& declared_in) : tree_(tree), declared_in_(declared_in) {}

  // Whether there is such a file.
  bool take(const std::string& path) {
    if (files_.count(path) != 0) return true;
    std::optional<Bytes> content = read(path);
    if (!content) return false;
    bytes_ += content->size();
    if (bytes_ > kMostTogether || files_.size() >= kMostFiles) {
      fail("its sources and headers are more than 64 MiB or 4096 files together", "narrow the patterns of headers");
    }
    files_.emplace(path, std::move(*content));
    return true;
  }

  [[noreturn]] void fail(const std::string& fact, const std::string& hint) const {
    throw Error(ErrorKind::usage, declared_in_, fact, hint);
  }

  std::map<std::string, Bytes> files() && { return std::move(files_); }

 private:
  std::optional<Bytes> read(const std::string& path) const {
    try {
      return tree_.read(path, kMostBytes);
    } catch (const Error& error) {
      throw Error(error.kind(), declared_in_, kgate::quoted(path) + " " + error.fact(), error.hint());
    }
  }

  const FileTree& tree_;
  const std::string& declared_in_;
  std::map<std::string, Bytes> files_;
  std::uint64_t bytes_ = 0;
};

bool is_pattern(const std::string& text) {
  return text.find_first_of("*?") != std::string::npos;
}

// "a/b/*.cuh" -> "a/b", "a/**/x.h" -> "a": where matches can begin.
std::string fixed_folder(const std::string& pattern) {
  std::string folder = pattern;
  while (is_pattern(folder)) folder = parent_of(folder);
  return folder;
}

void take_headers(const std::string& pattern, const FileTree& tree, Reading& reading, const std::string& declared_in) {
  bool found = false;
  if (!is_pattern(pattern)) {
    found = reading.take(pattern);
  } else {
    std::vector<std::string> paths;
    std::vector<FileTree::LeftOut> left_out;
    try {
      paths = tree.list(fixed_folder(pattern));
      left_out = tree.left_out(fixed_folder(pattern));
    } catch (const Error& error) {
      throw Error(error.kind(), declared_in,
                  "headers " + kgate::quoted(pattern) + ": " + error.subject() + " " + error.fact(), error.hint());
    }
    for (const std::string& path : paths) {
      if (!glob_match(pattern, path)) continue;
      if (const auto fault = fault_of_name(path)) {
        reading.fail("headers " + kgate::quoted(pattern) + " match " + kgate::quoted(path) + ", which " + *fault,
                     "rename it, or narrow the pattern");
      }
      found = reading.take(path) || found;
    }
    for (const FileTree::LeftOut& file : left_out) {
      if (!glob_match(pattern, file.path)) continue;
      reading.fail("headers " + kgate::quoted(pattern) + ": " + file.path + " " + file.fact, file.remedy);
    }
  }
  if (!found)
    reading.fail("headers " + kgate::quoted(pattern) + " match no file in " + tree.description(),
                 "correct the pattern, or remove it");
}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

}  // namespace

std::map<std::string, Bytes> read_sources(const SourceSet& set, const FileTree& tree, const std::string& declared_in) {
  Reading reading(tree, declared_in);
  for (const std::string& path : set.sources) {
    if (!reading.take(path)) {
      reading.fail("source " + kgate::quoted(path) + " is not in " + tree.description(),
                   "add the file, or correct sources");
    }
  }
  for (const std::string& pattern : set.headers) take_headers(pattern, tree, reading, declared_in);
  return std::move(reading).files();
}

std::optional<std::string> fault_of_name(const std::string& path) {
  for (const char c : path) {
    if (c == '"') return "has a double quote in its name";
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return "has a control character in its name";
  }
  return std::nullopt;
}

std::string substitute_defines(const std::string& entry, const std::map<std::string, std::string>& defines) {
  std::string result;
  for (std::size_t i = 0; i < entry.size();) {
    std::size_t end = i;
    while (end < entry.size() && is_name_part(entry[end])) ++end;
    if (end == i) ++end;
    const std::string word = entry.substr(i, end - i);
    const auto define = is_name_start(word[0]) ? defines.find(word) : defines.end();
    result += define == defines.end() ? word : define->second;
    i = end;
  }
  return result;
}

}  // namespace kgate::cases
