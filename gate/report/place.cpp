#include "gate/report/place.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "gate/report/format.h"

namespace kgate::report {
namespace {

using verdict::KernelResult;

constexpr std::size_t kLongestPath = 500;
constexpr std::int64_t kLastLine = 10'000'000;

// Compilers and candidates say what they like: a path that leads out of the repository, or is no path, is nowhere.
bool is_inside(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath || path.front() == '/' || path.find("..") != std::string_view::npos)
    return false;
  return std::all_of(path.begin(), path.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7F && c != '\\' && c != '"' && c != '<' && c != '>';
  });
}

Place inside(const std::string& file, std::int64_t line) {
  if (!is_inside(file) || one_line(file) != file) return {};
  return {file, std::clamp<std::int64_t>(line, 1, kLastLine)};
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t found = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (error != std::errc() || end == text.data() || found < 1) return std::nullopt;
  return found;
}

// "a.cu(12): error: ..." of NVIDIA's compilers, "a.cu:12:5: error: ..." of the others.
Place place_in(std::string_view line) {
  const std::size_t says = line.find(": error");
  if (says == std::string_view::npos) return {};
  const std::string_view head = line.substr(0, says);
  const std::size_t mark = head.find_first_of("(:");
  if (mark == std::string_view::npos) return {};
  const auto found = number(head.substr(mark + 1));
  return found ? inside(std::string(head.substr(0, mark)), *found) : Place{};
}

Place first_error(const std::string& log) {
  constexpr std::size_t kMostLines = 200;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < log.size() && lines < kMostLines; ++lines) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const Place found = place_in(std::string_view(log).substr(at, end - at));
    if (!found.file.empty()) return found;
    at = end + 1;
  }
  return {};
}

}  // namespace

Place place_of(const KernelResult& kernel) {
  if (kernel.code.empty() && kernel.verdict == verdict::Verdict::wrong) {
    const Place error = first_error(kernel.compiler_log);
    if (!error.file.empty()) return error;
  }
  if (kernel.location) {
    const Place entry = inside(kernel.location->file, kernel.location->line);
    if (!entry.file.empty()) return entry;
  }
  return inside(kernel.path, 1);
}

Place place_of(const KernelResult& kernel, const verdict::Result& result) {
  if (result.sanitizer && kernel.verdict == verdict::Verdict::wrong) {
    for (const sanitize::Finding& one : result.sanitizer->findings) {
      if (one.kernel != kernel.name || one.severity != "error" || one.line <= 0) continue;
      const Place found = inside(one.file, one.line);
      if (!found.file.empty()) return found;
    }
  }
  return place_of(kernel);
}

Place place_from(const std::string& words) {
  const std::size_t colon = words.rfind(':');
  if (colon == std::string::npos) return {};
  const auto line = number(std::string_view(words).substr(colon + 1));
  return line ? inside(words.substr(0, colon), *line) : Place{};
}

}  // namespace kgate::report
