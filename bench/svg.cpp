#include "bench/svg.h"

#include <fmt/format.h>

namespace kgate::bench {
namespace {

// Okabe and Ito's colours, which people who see few colours tell apart; lighter ones on a dark ground.
constexpr const char* kStyle = R"(
text { font: 11px sans-serif; fill: #333; }
text.title { font-size: 13px; font-weight: bold; }
text.small { font-size: 10px; fill: #666; }
rect.ground { fill: #fff; }
rect.zone { fill: #999; fill-opacity: 0.18; }
.axis { stroke: #888; fill: none; }
.grid { stroke: #ddd; fill: none; }
.s0 { stroke: #0072b2; stroke-width: 2.6; }
.s1 { stroke: #d55e00; } .s2 { stroke: #b8860b; } .s3 { stroke: #cc79a7; } .s4 { stroke: #009e73; }
.s0, .s1, .s2, .s3, .s4 { fill: none; } .s1, .s2, .s3, .s4 { stroke-width: 1.6; }
.dots0 { fill: #0072b2; } .dots1 { fill: #d55e00; } .dots2 { fill: #b8860b; } .dots3 { fill: #cc79a7; } .dots4 { fill: #009e73; }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd; } text.small { fill: #aaa; } rect.ground { fill: #0d1117; } .grid { stroke: #30363d; }
  .s0 { stroke: #56b4e9; } .s1 { stroke: #ff8c42; } .s2 { stroke: #e6c229; } .s3 { stroke: #f0a6cc; } .s4 { stroke: #3fd6a5; }
  .dots0 { fill: #56b4e9; } .dots1 { fill: #ff8c42; } .dots2 { fill: #e6c229; } .dots3 { fill: #f0a6cc; } .dots4 { fill: #3fd6a5; }
}
)";

std::string escaped(const std::string& words) {
  std::string text;
  for (const char c : words) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '>' ? "&gt;" : std::string(1, c);
  return text;
}

}  // namespace

Svg::Svg(double width, double height) : width_(width), height_(height) {
  rectangle(0, 0, width, height, "ground");
}

void Svg::text(double x, double y, const std::string& words, Anchor anchor, const std::string& kind) {
  const char* const where = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", kind, x, y, where,
                       escaped(words));
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& kind) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1,
                       x2, y2);
}

void Svg::rectangle(double x, double y, double width, double height, const std::string& kind) {
  body_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", kind, x,
                       y, width, height);
}

void Svg::dot(double x, double y, double radius, const std::string& kind) {
  body_ += fmt::format("<circle class=\"dot{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", kind, x, y, radius);
}

void Svg::path(const std::vector<std::pair<double, double>>& points, const std::string& kind) {
  body_ += fmt::format("<polyline class=\"{}\" points=\"", kind);
  for (const auto& [x, y] : points) body_ += fmt::format("{:.1f},{:.1f} ", x, y);
  body_ += "\"/>\n";
}

std::string Svg::series(std::size_t number) {
  return fmt::format("s{}", number % kSeries);
}

std::string Svg::finish() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<style>{2}</style>\n{3}</svg>\n",
      width_, height_, kStyle, body_);
}

}  // namespace kgate::bench
