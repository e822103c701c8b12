#include "gate/report/search/page.h"

#include <filesystem>

#include <pugixml.hpp>

#include "base/file.h"
#include "tests/search_report/made_up.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::report;

namespace {

std::string golden(const std::string& file) {
  const auto folder = std::filesystem::path(KGATE_TEST_DATA) / "search_report" / "golden";
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

std::string text_at(const pugi::xml_document& page, const std::string& path) {
  return all_text(page.select_node(path.c_str()).node());
}

}  // namespace

// To accept a change: build write_golden_search, run it on tests/search_report/golden, and look at the pages.
TEST_CASE("a search's page is as agreed, to the letter") {
  CHECK(write_search_page(made_up::a_search()) == golden("a_search.html"));
  CHECK(write_search_page(made_up::begun()) == golden("begun.html"));
}

TEST_CASE("a search's page is well formed XML that needs neither script nor network") {
  for (const auto& summary : {made_up::a_search(), made_up::begun()}) {
    const std::string html = write_search_page(summary);
    const auto page = parsed(html);
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
}

TEST_CASE("a search's page says the answer first, and draws each version with its outcome in words") {
  const auto page = parsed(write_search_page(made_up::a_search()));
  CHECK(text_at(page, "//p[starts-with(@class, 'verdict')]") ==
        "a better version was found: -17.0 % [-19.0, -15.0], confirmed by the gate (faster)");
  CHECK(count_of(page, "//figure//use") == 9 + 5);  // and the key of five shapes
  CHECK(text_at(page, "//figure//use[4]/title") == "3 slower -4.6 % [-5.6, -3.7]");
  CHECK(text_at(page, "//figure//use[2]/title") == "1 does_not_compile ");
}

TEST_CASE("the heat map says each time and its change, so that no colour is needed") {
  const auto page = parsed(write_search_page(made_up::a_search()));
  CHECK(count_of(page, "//table[@class='heat']/tbody/tr") == 5);
  CHECK(text_at(page, "//table[@class='heat']/tbody/tr[1]/td[2]") == "120.5 us");
  CHECK(text_at(page, "//table[@class='heat']/tbody/tr[3]/td[3]") == "15.93 us (+30.0 %)");
  CHECK(text_at(page, "//table[@class='heat']/tbody/tr[4]/td[1]") == "4 *");
}

TEST_CASE("the tree has each version beneath the one that it was made from") {
  const auto page = parsed(write_search_page(made_up::a_search()));
  CHECK(count_of(page, "//ul[@class='tree']//li") == 9);
  CHECK(count_of(page, "//ul[@class='tree']/li/ul/li") == 2);
  CHECK(count_of(page, "//ul[@class='tree']/li/ul/li/ul/li") == 2);
  CHECK(count_of(page, "//ul[@class='tree']/li/ul/li/ul/li/ul/li") == 4);
}

TEST_CASE("what proposers say is text on the page") {
  const std::string html = write_search_page(made_up::a_search());
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find('\x1b') == std::string::npos);
  CHECK(html.find("\\x1b[31mred &lt;script&gt;alert(1)&lt;/script&gt;") != std::string::npos);
}

TEST_CASE("a long search's page stays readable, and says what it leaves out") {
  const std::string html = write_search_page(made_up::long_search(2000, 50));
  CHECK(html.size() < (1 << 20));
  const auto page = parsed(html);
  CHECK(count_of(page, "//table[@class='heat']/tbody/tr") == 100);
  CHECK(count_of(page, "//table[@class='heat']/thead/tr/th") == 13);
  CHECK(html.find("1900 versions more: summary.json") != std::string::npos);
  CHECK(html.find("38 cases more: summary.json") != std::string::npos);
  CHECK(html.find("1700 versions more: summary.json") != std::string::npos);
}
