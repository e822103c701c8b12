#include "bench/plot.h"

#include <string>
#include <vector>

#include "bench/svg.h"
#include "tests/support/catch.h"

using namespace kgate::bench;

TEST_CASE("words in a drawing are escaped and coordinates have one decimal") {
  Svg svg(20, 10);
  svg.text(1, 2.25, "a<b & c");
  svg.path({{0, 0}, {1.5, 2}}, Svg::series(0));
  const std::string drawing = svg.finish();
  CHECK(drawing.find(">a&lt;b &amp; c</text>") != std::string::npos);
  CHECK(drawing.find("<polyline class=\"s0\" points=\"0.0,0.0 1.5,2.0 \"/>") != std::string::npos);
  CHECK(drawing.starts_with("<svg xmlns="));
  CHECK(drawing.ends_with("</svg>\n"));
}

TEST_CASE("a plot has two panels for each model that was run, and a line for a rule in each") {
  std::vector<Cell> cells;
  Tally tally;
  tally.add({Answer::block, 14});
  for (const char* rule : {"kgate", "threshold 5 %", "threshold 5 %, interleaved"}) {
    for (const double effect : {0.0, 0.02}) cells.push_back({rule, "normal 1 %", true, effect, tally});
  }
  const std::string plot = plot_of(cells);
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = plot.find(part); at != std::string::npos; at = plot.find(part, at + 1)) ++found;
    return found;
  };
  CHECK(count("class=\"title\" x=\"44.0\"") + count(">normal 1 %</text>") >= 3);
  CHECK(count("<rect class=\"zone\"") == 2);
  CHECK(count("<polyline class=\"s4\" points=\"") == 2);
  CHECK(plot.find("clock states") == std::string::npos);
}
