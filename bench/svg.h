#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kgate::bench {

// A small writer of SVG: what a plot needs and no more. Colours are classes of the style sheet (colour_class), which
// has a light and a dark form, so that one file is legible on both. Coordinates in pixels, from the upper left.
class Svg {
 public:
  Svg(double width, double height);

  enum class Anchor { start, middle, end };
  void text(double x, double y, const std::string& words, Anchor anchor = Anchor::start,
            const std::string& kind = "text");
  void line(double x1, double y1, double x2, double y2, const std::string& kind);
  void rectangle(double x, double y, double width, double height, const std::string& kind);
  void dot(double x, double y, double radius, const std::string& kind);
  void path(const std::vector<std::pair<double, double>>& points, const std::string& kind);

  // The class of the series with that number, for lines; dots take it with "dot" in front.
  static std::string series(std::size_t number);
  static constexpr std::size_t kSeries = 5;

  std::string finish() const;

 private:
  std::string body_;
  double width_, height_;
};

}  // namespace kgate::bench
