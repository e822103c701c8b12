// Problem: an entry that the sources do not define is reported by NVRTC as an error in a file "__nv_name_map" that the
// user never wrote, in one to three messages, the last of which quotes the name with its white space changed:
//
//   __nv_name_map(2): error: identifier "sofmax" is undefined
//     #pragma nv_mangled_name sofmax<4>
//                             ^
//
//   __nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name expression was: "
//   sofmax < 4 >"
//
// Choice: paragraphs about that file become one line an entry: `entry "sofmax<4>": identifier "sofmax" is undefined`.
// The number in parentheses is not used (it counts a sorted list, from 2). NVRTC 11.8 to 13.0 write it like this;
// anything that does not match stays. Rejected: compiling once more without the entries, to tell the two kinds of
// failure apart: it doubles the time of every typing error.
#include "runner/cuda/compile_log.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace kgate::runner::cuda {
namespace {

constexpr std::size_t kMostBytes = 64u << 10;
constexpr std::string_view kNameMap = "__nv_name_map(";
constexpr std::string_view kInput = "Input name expression was: \"";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::string without_spaces(std::string_view text) {
  std::string packed;
  std::copy_if(text.begin(), text.end(), std::back_inserter(packed), [](char c) { return c != ' ' && c != '\t'; });
  return packed;
}

std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find("\n\n", at);
    if (end == std::string::npos) end = text.size();
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return parts;
}

// The entry as kernel.toml spells it, for a name as NVRTC spells it.
std::string entry_named(std::string_view name, const std::vector<std::string>& entries) {
  const std::string packed = without_spaces(name);
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return without_spaces(entry) == packed; });
  return found != entries.end() ? *found : packed;
}

bool is_summary(std::string_view line) {
  const bool counts = line.find(" detected in the compilation of ") != std::string_view::npos;
  return counts || line == "Compilation terminated." || line.substr(0, 8) == "Remark: ";
}

bool is_warning(std::string_view line) {
  return line.find("): warning") != std::string_view::npos || line.substr(0, 13) == "ptxas warning" ||
         line.substr(0, 14) == "nvrtc: warning";
}

void for_each_line(std::string_view text, auto&& action) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    action(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

CleanLog clean_log(const std::string& log, const std::string& stage_root, const std::vector<std::string>& entries) {
  CleanLog clean;
  std::string about_entries, first_reason;
  for (const std::string& paragraph : paragraphs(replaced(log, stage_root + "/", ""))) {
    if (paragraph.substr(0, kNameMap.size()) == kNameMap) {
      const std::string line = paragraph.substr(0, paragraph.find('\n'));
      constexpr std::string_view kError = "): error: ";
      const std::size_t start = line.find(kError);
      const std::string message = start == std::string::npos ? line : line.substr(start + kError.size());
      const std::size_t input = message.find(kInput);
      if (input == std::string::npos) {
        if (first_reason.empty()) first_reason = message;
        continue;
      }
      const std::size_t name = input + kInput.size();
      const std::string entry = entry_named(std::string_view(message).substr(name, message.rfind('"') - name), entries);
      if (first_reason.empty()) first_reason = message.substr(0, message.find(". " + std::string(kInput.substr(0, 5))));
      about_entries += fmt::format("entry \"{}\": {}\n", entry, first_reason);
      first_reason.clear();
      continue;
    }
    std::string kept;
    for_each_line(paragraph, [&](std::string_view line) {
      if (is_summary(line)) return;
      if (is_warning(line)) ++clean.warnings;
      kept += std::string(line) + '\n';
    });
    if (!kept.empty()) clean.text += (clean.text.empty() ? "" : "\n") + kept;
  }
  if (!first_reason.empty()) about_entries += first_reason + '\n';
  clean.text = about_entries + (about_entries.empty() || clean.text.empty() ? "" : "\n") + clean.text;
  if (clean.text.find("cannot open source file") != std::string::npos) {
    clean.text +=
        "note: only the files that sources and headers of kernel.toml name, and the toolkit's own, can be included\n";
  }
  if (clean.text.size() > kMostBytes) {
    constexpr std::string_view kCut = "\n... (the rest of the log is left out)\n";
    clean.text.resize(kMostBytes - kCut.size());
    clean.text += kCut;
  }
  return clean;
}

}  // namespace kgate::runner::cuda
