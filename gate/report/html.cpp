#include "gate/report/html.h"

#include "base/utf8.h"
#include "gate/report/format.h"

namespace kgate::report {

std::string escaped(const std::string& text, std::size_t width) {
  const std::string line = short_line(text, width);
  std::string result;
  for (std::size_t at = 0; at < line.size();) {
    const CodePoint point = decode_utf8(line, at);
    switch (point.value) {
      case U'&':
        result += "&amp;";
        break;
      case U'<':
        result += "&lt;";
        break;
      case U'>':
        result += "&gt;";
        break;
      case U'"':
        result += "&quot;";
        break;
      case U'\'':
        result += "&#39;";
        break;
      case 0xFFFE:
      case 0xFFFF:  // no characters of XML
        result += "\xEF\xBF\xBD";
        break;
      default:
        result.append(line, at, point.length);
    }
    at += point.length;
  }
  return result;
}

}  // namespace kgate::report
