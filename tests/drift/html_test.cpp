#include "gate/report/html.h"

#include <cmath>
#include <filesystem>
#include <vector>

#include <pugixml.hpp>

#include "base/file.h"
#include "gate/report/date_axis.h"
#include "gate/report/drift_html.h"
#include "gate/report/drift_series.h"
#include "tests/drift/made_up.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::report;

namespace {

std::string golden(const std::string& file) {
  const auto folder = std::filesystem::path(KGATE_TEST_DATA) / "drift" / "golden";
  return std::string(text_of(read_file(folder / file, 1 << 20)));
}

// The page as XML; fails where it is none.
pugi::xml_document parsed(const std::string& html) {
  pugi::xml_document page;
  const auto result = page.load_buffer(html.data(), html.size(), pugi::parse_full);
  INFO(result.description() << " at " << result.offset);
  REQUIRE(result);
  return page;
}

std::size_t count_of(const pugi::xml_document& page, const std::string& path) {
  return page.select_nodes(path.c_str()).size();
}

std::string all_text(const pugi::xml_node& node) {
  std::string text = node.value();
  for (const auto& child : node.children()) text += all_text(child);
  return text;
}

}  // namespace

// To accept a change: build write_golden_drift, run it on tests/drift/golden, and look at the files in a browser.
TEST_CASE("the HTML of a drift is as agreed, to the letter") {
  CHECK(write_drift_html(made_up::forty_days()) == golden("forty-days.html"));
  CHECK(write_drift_html(made_up::empty()) == golden("empty.html"));
}

TEST_CASE("the HTML is well formed XML with one plot a kernel that has figures, and needs neither script nor network") {
  const std::string html = write_drift_html(made_up::forty_days());
  const auto page = parsed(html);
  CHECK(count_of(page, "//section") == 3);
  CHECK(count_of(page, "//figure//svg[@class='frame']") == 2);
  CHECK(count_of(page, "//script") == 0);
  CHECK(count_of(page, "//*[@src]") == 0);
  CHECK(count_of(page, "//*[starts-with(@href, 'http')]") == 0);
  CHECK(html.find("url(") == std::string::npos);
  for (const auto& link : page.select_nodes("//*[@href]")) {
    const std::string target = link.node().attribute("href").value();
    INFO(target);
    CHECK(count_of(page, "//*[@id='" + target.substr(1) + "']") == 1);
  }
}

TEST_CASE("the headline says what changed, since when, by what and on how many kernels") {
  const auto page = parsed(write_drift_html(made_up::forty_days()));
  CHECK(all_text(page.select_node("//p[starts-with(@class, 'verdict')]").node()) ==
        "environment: softmax: the GPU fell off the bus");
  CHECK(all_text(page.select_node("//body/ul[1]/li[1]").node()) ==
        "accepted version: since the night of 2026-01-23, with record 9 accepted: -10.0 % on scale");
  CHECK(all_text(page.select_node("//body/ul[1]/li[2]").node()) ==
        "driver: since the night of 2026-01-13, with driver 580.82.07 -> 580.95.05: +4.0 % on sum, "
        "memory-bound");
}

TEST_CASE("what is foreign is text, whatever stands in it") {
  const std::string script = "<script>alert(1)</script>";
  auto drift = made_up::forty_days();
  drift.hardware.name = "\"" + script;
  drift.reason = script + "\x1b[31m";
  drift.notes = {"'&amp;\xff" + script, "a\x01\xef\xbf\xbf"};
  drift.nights.back().driver = script;
  drift.events[0].kernels = {script};
  drift.events[0].differences[0].after = script;
  drift.events[0].bound = script;
  drift.kernels[2].name = script;
  drift.kernels[2].reason = "]]>" + script;
  drift.kernels[2].cases[0].name = script;
  drift.kernels[2].cases[0].bound = script;
  drift.kernels[2].cases[0].against[1].release = script;
  const std::string html = write_drift_html(drift);
  const auto page = parsed(html);
  CHECK(count_of(page, "//script") == 0);
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find('\x1b') == std::string::npos);
  CHECK(html.find('\x01') == std::string::npos);
  CHECK(html.find("\xef\xbf\xbf") == std::string::npos);
  CHECK(all_text(page.select_node("//h1").node()) == "Drift of \"" + script);
  CHECK(escaped("<a href='x' title=\"y\">&</a>") == "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;&lt;/a&gt;");
  CHECK(escaped("abcdefgh", 6) == "abc...");
}

TEST_CASE("an empty report says that there are no nights") {
  const auto page = parsed(write_drift_html(made_up::empty()));
  CHECK(all_text(page).find("none yet") != std::string::npos);
  CHECK(count_of(page, "//figure") == 0);
}

TEST_CASE("a series of one night is drawn as a dot, with its date") {
  const auto page = parsed(write_drift_html(made_up::one_night()));
  const std::string path = page.select_node("//path[@class='night c0']").node().attribute("d").value();
  CHECK(path == "M1500 1000h0");
  CHECK(all_text(page.select_node("//figure//svg").node()).find("2026-01-01") != std::string::npos);
}

TEST_CASE("no line goes across a night that is missing") {
  const auto series = made_up::series("n", 40, [](std::int64_t i) { return i == 7 || (i > 20 && i < 31) ? 0 : 10.0; });
  const auto lines = drawn(series, {made_up::kFirst, made_up::kFirst + 39, 1});
  REQUIRE(lines.runs.size() == 3);
  CHECK(lines.runs[0].back().day == made_up::kFirst + 6);
  CHECK(lines.runs[1].front().day == made_up::kFirst + 8);
  CHECK(lines.runs[2].front().day == made_up::kFirst + 31);
  REQUIRE(lines.levels.size() == 2);  // a single night is no gap in a level
  CHECK(lines.levels[0].to == made_up::kFirst + 20);
  CHECK(lines.levels[1].from == made_up::kFirst + 31);
  const auto page = parsed(write_drift_html(made_up::forty_days()));
  CHECK(count_of(page, "//rect[@class='gap']") == 2);
}

TEST_CASE("a single bad night is a point of its own, and neither in the line nor a gap in it") {
  const auto series = made_up::series(
      "n", 30, [](std::int64_t i) { return (i == 11 ? 12 : 10) * (1 + 0.001 * static_cast<double>(i % 3)); });
  const auto lines = drawn(series, {made_up::kFirst, made_up::kFirst + 29, 1});
  REQUIRE(lines.bad.size() == 1);
  CHECK(lines.bad[0].day == made_up::kFirst + 11);
  CHECK(lines.bad[0].share == Approx(1.2).epsilon(0.01));
  REQUIRE(lines.runs.size() == 1);
  CHECK(lines.runs[0].size() == 29);
  const auto page = parsed(write_drift_html(made_up::forty_days()));
  CHECK(count_of(page, "//use[@href='#above']/title[. = '2026-01-18: +24.6 %']") == 2);
}

TEST_CASE("times are shares of the level at acceptance of the version that is accepted now") {
  const auto page = parsed(write_drift_html(made_up::forty_days()));
  CHECK(base_us(made_up::forty_days().kernels[0].cases[0]) == Approx(18).epsilon(0.01));
  CHECK(base_us(made_up::forty_days().kernels[2].cases[0]) == Approx(100).epsilon(0.01));
  CHECK(count_of(page, "//use[@class='version']/title[. = '2026-01-23: record 9 is accepted']") == 1);
  CHECK(count_of(page, "//section//use[@class='machine']") == 2);  // in each plot
  CHECK(all_text(page).find("1 2026-01-13 +4.0 %") != std::string::npos);
}

TEST_CASE("ten years of five hundred cases make a file that a browser opens") {
  drift::Drift drift = made_up::empty();
  for (std::int64_t i = 0; i < 3650; ++i) {
    drift::Night night;
    night.day = made_up::kFirst + i;
    night.driver = i % 2 == 0 ? "1" : "2";  // one that goes to and fro
    drift.nights.push_back(night);
  }
  const auto level = [](std::int64_t i) {
    return 10 * (1 + 0.001 * static_cast<double>(i * 37 % 11)) * (i % 20 == 3 ? 1.2 : 1);
  };
  drift::Kernel kernel;
  for (int c = 0; c < 5; ++c) kernel.cases.push_back(made_up::series("case", 3650, level));
  for (int k = 0; k < 100; ++k) {
    kernel.name = "kernel_" + std::to_string(k);
    drift.kernels.push_back(kernel);
  }
  const DayGrid grid = day_grid(drift.nights);
  CHECK(grid.bin == 7);
  const auto lines = drawn(kernel.cases[0], grid);
  CHECK(lines.runs.size() == 1);
  CHECK(lines.runs[0].size() <= 600);
  CHECK(lines.bad.size() <= 600);
  const std::string html = write_drift_html(drift);
  CHECK(html.find("the median of up to 7 days") != std::string::npos);
  CHECK(html.size() < (std::size_t{48} << 20U));
}

TEST_CASE("dates stand on days, on the first of months or of years, and few enough to be read") {
  const auto words = [](const char* first, const char* last) {
    std::vector<std::string> found;
    for (const auto& tick : date_ticks(*drift::day_from(first), *drift::day_from(last))) found.push_back(tick.words);
    return found;
  };
  using Words = std::vector<std::string>;
  CHECK(words("2026-03-03", "2026-03-03") == Words{"2026-03-03"});
  CHECK(words("2026-03-03", "2026-03-14") == Words{"2026-03-04", "2026-03-08", "2026-03-12"});
  CHECK(words("2026-01-02", "2026-07-30") == Words{"2026-03", "2026-05", "2026-07"});
  CHECK(words("2025-11-02", "2027-01-30") == Words{"2026-01", "2026-07", "2027-01"});
  CHECK(words("2016-01-01", "2025-12-28") == Words{"2016", "2019", "2022", "2025"});
  CHECK(words("1970-01-01", "2400-01-01").size() <= 4);
}
