#include "gate/report/page/markup.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"

namespace kgate::report {
namespace {

constexpr std::size_t kMostLines = 400, kMostColumns = 240;
constexpr std::size_t kHashDigits = 10;

const char* class_of(const std::string& line) {
  if (line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") || line.starts_with("index "))
    return "file";
  if (line.starts_with("@@")) return "place";
  if (line.starts_with("+")) return "plus";
  return line.starts_with("-") ? "minus" : nullptr;
}

// Of those where no row says anything nobody needs the head.
std::vector<bool> columns_with_words(const Table& table) {
  std::vector<bool> said(table.head.size(), false);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) said[i] = said[i] || !row[i].markup.empty();
  }
  return said;
}

}  // namespace

std::string Room::take(std::string markup, const char* otherwise) {
  if (!has(markup.size())) return otherwise;
  left_ -= markup.size();
  return markup;
}

const char* sign_of(verdict::Verdict verdict) {
  using verdict::Verdict;
  if (verdict == Verdict::regressed) return "slower";
  if (verdict == Verdict::faster) return "faster";
  const Tone tone = tone_of(verdict);
  return tone == Tone::good ? "good" : tone == Tone::doubtful ? "open" : "cross";
}

const char* tone_class(verdict::Verdict verdict) {
  const Tone tone = tone_of(verdict);
  return tone == Tone::good ? "good" : tone == Tone::doubtful ? "doubtful" : "bad";
}

std::string badge(verdict::Verdict verdict) {
  return fmt::format(
      "<span class=\"badge {}\"><svg class=\"sign\" width=\"14\" height=\"12\" aria-hidden=\"true\"><use href=\"#{}\" "
      "x=\"7\" y=\"6\"/></svg>{}</span>",
      tone_class(verdict), sign_of(verdict), verdict::name_of(verdict));
}

std::string shapes() {
  return "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"shapes\"><defs>"
         "<path id=\"good\" d=\"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z\"/>"
         "<path id=\"faster\" d=\"M0 5L5-4h-10z\"/>"
         "<path id=\"slower\" d=\"M0-5L5 4h-10z\"/>"
         "<path id=\"open\" d=\"M0-5L5 0L0 5L-5 0z\"/>"
         "<path id=\"cross\" d=\"M-5-3L-3-5L0-2L3-5L5-3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0z\"/>"
         "<path id=\"beyond-right\" d=\"M-8-4L0 0L-8 4z\"/>"
         "<path id=\"beyond-left\" d=\"M8-4L0 0L8 4z\"/></defs></svg>\n";
}

std::string facts_list(const Facts& facts) {
  std::string text;
  for (const auto& [name, markup] : facts) {
    if (!markup.empty()) text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), markup);
  }
  return text.empty() ? "" : "<dl>\n" + text + "</dl>\n";
}

std::string table_of(const Table& table) {
  if (table.rows.empty()) return {};
  std::string text = "<table class=\"cards\">\n";
  if (!table.caption.empty()) text += "<caption>" + escaped(table.caption) + "</caption>\n";
  const std::vector<bool> said = columns_with_words(table);
  std::vector<std::string> labels;
  text += "<thead><tr>";
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    if (said[i]) text += "<th>" + escaped(table.head[i]) + "</th>";
    labels.push_back(i == 0 || table.head[i].empty() ? "" : " data-label=\"" + escaped(table.head[i]) + "\"");
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!said[i]) continue;
      text += row[i].number ? "<td class=\"number\"" : "<td";
      // A blank needs no name on a phone.
      if (!row[i].markup.empty()) text += labels[i];
      text += ">" + row[i].markup + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

std::string block_of(const std::string& text, Block kind) {
  std::string body;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (lines++ < kMostLines) {
      const std::string line = text.substr(at, end - at);
      const char* const colour = kind == Block::diff ? class_of(line) : nullptr;
      const std::string shown = escaped(line, kMostColumns);
      body += colour == nullptr ? shown + "\n" : fmt::format("<span class=\"{}\">{}</span>\n", colour, shown);
    }
    at = end + 1;
  }
  if (body.empty()) return {};
  std::string block = "<pre tabindex=\"0\">" + body + "</pre>\n";
  if (lines > kMostLines)
    block += fmt::format("<p class=\"dim\">{} more: result.json</p>\n", count(lines - kMostLines, "line"));
  return block;
}

std::string fold(const std::string& summary_markup, const std::string& markup, bool open) {
  if (markup.empty()) return {};
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open=\"open\"" : "", summary_markup,
                     markup);
}

std::string short_hash(const std::string& hash) {
  const std::size_t colon = hash.find(':');
  const std::string digits = colon == std::string::npos ? hash : hash.substr(colon + 1);
  if (digits.size() <= kHashDigits) return hash.empty() ? "" : "<code>" + escaped(hash) + "</code>";
  return fmt::format("<code title=\"{}\">{}</code>", escaped(hash, 100), escaped(digits.substr(0, kHashDigits)));
}

}  // namespace kgate::report
