#include "gate/sanitize/places.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace kgate::sanitize {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "x.cu:41" or "x.cu:41:f(int *)".
std::optional<Place> file_and_line(std::string_view text) {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    std::size_t end = colon + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (colon == 0 || end == colon + 1 || (end < text.size() && text[end] != ':' && text[end] != ' ')) continue;
    Place place{std::string(text.substr(0, colon)), 0};
    std::from_chars(text.data() + colon + 1, text.data() + end, place.line);
    return place;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Place> place_in(std::string_view line) {
  constexpr std::string_view kIn = " in ";
  // The last one that a file follows: "in" may be a word of a function's name, as in "[clone f(int)] g() in x.cu:3".
  std::string_view before = line;
  for (std::size_t at = before.rfind(kIn); at != std::string_view::npos; at = before.rfind(kIn)) {
    if (const auto place = file_and_line(line.substr(at + kIn.size()))) return place;
    before = before.substr(0, at);
  }
  return std::nullopt;
}

std::optional<std::string> own_file(const std::string& path, const std::vector<std::string>& files) {
  const std::string* best = nullptr;
  for (const std::string& file : files) {
    if (path == file) return file;
    if (path.ends_with("/" + file) && (best == nullptr || file.size() > best->size())) best = &file;
  }
  if (best != nullptr) return *best;
  if (path.find('/') != std::string::npos) return std::nullopt;
  for (const std::string& file : files) {
    if (!file.ends_with("/" + path)) continue;
    if (best != nullptr) return std::nullopt;  // two files of one name
    best = &file;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace kgate::sanitize
