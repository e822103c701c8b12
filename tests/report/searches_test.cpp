#include "gate/report/searches.h"

#include "base/json.h"
#include "gate/report/markdown.h"
#include "gate/verdict/result/merge.h"
#include "gate/verdict/result/result.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::report;

namespace {

verdict::Result searched(const std::string& headline, const std::string& patch, bool better = true) {
  verdict::Result result = sample("regressed");
  result.searches.push_back({"softmax", better, headline, "search", patch});
  return result;
}

}  // namespace

TEST_CASE("what a run's search found is told in text, with the way to take it where the gate confirms it") {
  CHECK(searches_text(searched("a better version was found: -12.1 %", "diff"), 100) ==
        "search: softmax: a better version was found: -12.1 %\n  to take it: git apply search/best.patch\n");
  CHECK(searches_text(searched("nothing better was found", "", false), 100) ==
        "search: softmax: nothing better was found\n");
  CHECK(searches_text(sample("regressed"), 100).empty());
}

TEST_CASE("a patch that the gate confirms goes into comment and page, and no other") {
  const std::string patch = "--- a/k.cu\n+++ b/k.cu\n@@ -1 +1 @@\n-old\n+new\n";
  CHECK(searches_markdown(searched("found", patch), true).find("+new") != std::string::npos);
  CHECK(searches_markdown(searched("found", patch), false).find("+new") == std::string::npos);
  CHECK(searches_markdown(searched("found", patch, false), true).find("+new") == std::string::npos);
  CHECK(searches_html(searched("found", patch)).find("+new") != std::string::npos);
  CHECK(searches_html(searched("found", patch, false)).find("+new") == std::string::npos);
  CHECK(searches_html(sample("regressed")).empty());
}

TEST_CASE("nothing in a search's words or patch is markup, a fence's end or an escape") {
  const auto hostile = searched("<script>alert(1)</script> \x1b[2J @everyone #1\n::error::x",
                                "```\n</pre><script>x</script>\n</details>\n\x1b[31m+red\n");
  const std::string html = searches_html(hostile), markdown = searches_markdown(hostile, true),
                    text = searches_text(hostile, 100);
  for (const std::string& one : {html, markdown, text}) {
    CHECK(one.find('\x1b') == std::string::npos);
    CHECK(one.find("\n::error") == std::string::npos);
  }
  CHECK(html.find("<script>") == std::string::npos);
  // Between fences, where the patch is, nothing is markup.
  CHECK(markdown.substr(0, markdown.find("````")).find("<script>") == std::string::npos);
  CHECK(markdown.find("@everyone") == std::string::npos);
  // The fence is longer than any in the patch.
  CHECK(markdown.find("````") != std::string::npos);
}

TEST_CASE("searches go through result.json and back, and shards keep theirs") {
  const auto result = searched("found", "patch");
  const Json json = verdict::to_json(result);
  CHECK(json["searches"] ==
        Json::parse(
            R"([{"kernel": "softmax", "better": true, "headline": "found", "folder": "search", "patch": "patch"}])"));
  const auto back = verdict::result_from_json(json, "result.json");
  REQUIRE(back.searches.size() == 1);
  CHECK(verdict::to_json(back) == json);
  CHECK_FALSE(verdict::to_json(sample("regressed")).contains("searches"));
}
