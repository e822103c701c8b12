#include <algorithm>

#include "base/json.h"
#include "bench/large_result.h"
#include "gate/report/markdown.h"
#include "gate/report/markdown_text.h"
#include "gate/report/place.h"
#include "gate/report/writers.h"
#include "tests/report/open_metrics.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::verdict;

namespace {

std::string written(const std::string& format, const Result& result) {
  return report::writer_named(format)->write(result, {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("foreign words in Markdown are no mention, no reference, no link and no markup") {
  using report::markdown::prose;
  CHECK(prose("plain words, 5.9 % and a.cu:12") == "plain words, 5.9 % and a.cu:12");
  CHECK(prose("@all #12 !3") == "@&#8203;all #&#8203;12 !&#8203;3");
  CHECK(prose("GH-12") == "GH-&#8203;12");
  CHECK(prose("see https://x.y or www.x.y") == "see https:&#8203;//x.y or www&#8203;.x.y");
  CHECK(prose("<b>&amp;</b>") == "&lt;b&gt;&amp;&#8203;amp;&lt;/b&gt;");
  CHECK(prose("a|b `c` *d* [e](f)") == "a\\|b \\`c\\` \\*d\\* \\[e\\](f)");
  CHECK(prose("two\nlines") == "two lines");
}

TEST_CASE("names in Markdown are code that nothing in them ends") {
  using report::markdown::code;
  CHECK(code("fused_add") == "`fused_add`");
  CHECK(code("<script>@all") == "`<script>@all`");
  CHECK(code("a`b|c") == "<code>a&#96;b&#124;c</code>");
  CHECK(code("") == "(no name)");
  CHECK(report::markdown::block("a\n````\nb", "text") == "`````text\na\n````\nb\n`````\n");
}

TEST_CASE("the summary begins with what blocks, in which case, how much, since what and why, and how to repeat it") {
  const std::string text = written("markdown", sample("regressed"));
  const std::string begin = text.substr(0, text.find("| |"));
  CHECK(has(begin, "## ❌ kgate: regressed"));
  CHECK(has(begin, "- `softmax` is **regressed** in case `wide`: **+6.1 % [+5.9, +6.3]** against base (bbbbbbbbbb)"));
  CHECK(has(begin, "slower than the base version by at least 5.9 %"));
  CHECK(has(begin, "kgate run softmax --profile pr --policy-ref bbbbbbbbbb --backend cuda --seed 00000000deadbeef"));
  // The worst first.
  CHECK(text.find("| ❌ | `softmax` | `wide`") < text.find("| ✅ | `saxpy`"));
}

TEST_CASE("a slowdown that the toolkit made is not told with a ratio that has nothing to do with it") {
  for (const char* format : {"markdown", "github", "junit", "codequality"}) {
    INFO(format);
    const std::string text = written(format, sample("toolkit"));
    CHECK(has(text, "by the toolkit alone the accepted version is slower by 3.01 %"));
    CHECK_FALSE(has(text, "regressed +0.08"));
    CHECK_FALSE(has(text, "**+0.08"));
  }
}

TEST_CASE("what is too long for a comment is cut where it passed, and says so") {
  const Result large = bench::large_result(100, 20);
  const std::string whole = written("markdown", large), comment = written("comment", large);
  CHECK_FALSE(has(whole, "Cut to fit"));
  CHECK(comment.size() < 60'000);
  CHECK(has(comment, "_Cut to fit 59500 bytes: rows and details left out here, all in result.json: "));
  CHECK(has(comment, "is **wrong** in case"));
  const std::string small = report::write_markdown(sample("regressed"), {1500});
  CHECK(small.size() <= 1500);
  CHECK(has(small, "_Cut to fit 1500 bytes"));
}

TEST_CASE("junit tells failures from errors, and what does not block is skipped") {
  CHECK(has(written("junit", sample("regressed")),
            "<failure type=\"regressed\" message=\"regressed +6.1 % [+5.9, +6.3] against base (bbbbbbbbbb): "));
  CHECK(has(written("junit", sample("missing")), "<error type=\"missing\""));
  CHECK(has(written("junit", sample("environment")), "classname=\"kgate\" name=\"run\""));
  CHECK(has(written("junit", sample("inconclusive")), "<skipped message=\"inconclusive"));
  CHECK_FALSE(has(written("junit", sample("preapproved")), "<failure"));
}

TEST_CASE("the metrics have each case's ratio with its bounds, and the verdict as a state") {
  std::vector<MetricSample> samples;
  REQUIRE(fault_of_metrics(written("metrics", sample("regressed")), samples).empty());
  const auto find = [&](const std::string& name, const std::map<std::string, std::string>& labels) -> std::string {
    for (const auto& one : samples) {
      if (one.name == name && one.labels == labels) return one.value;
    }
    return "none";
  };
  CHECK(find("kgate_case_ratio", {{"kernel", "softmax"}, {"case", "wide"}}) == "1.061");
  CHECK(find("kgate_kernel_verdict", {{"kernel", "softmax"}, {"kgate_kernel_verdict", "regressed"}}) == "1");
  CHECK(find("kgate_kernel_verdict", {{"kernel", "softmax"}, {"kgate_kernel_verdict", "pass"}}) == "0");
  CHECK(find("kgate_exit_code", {}) == "1");
  CHECK(find("kgate_kernel_blocks", {{"kernel", "softmax"}}) == "1");
}

TEST_CASE("a finding of code quality keeps its fingerprint while its numbers change") {
  Result before = sample("regressed"), after = before;
  after.kernels[1].cases[1].reason = "slower by 9 %";
  after.kernels[1].cases[1].time->ratio = 1.09;
  after.kernels[1].reason = "case \"wide\": slower by 9 %";
  const auto fingerprint = [](const Result& result) {
    return parse_json(written("codequality", result), "").at(0).at("fingerprint");
  };
  CHECK(fingerprint(before) == fingerprint(after));
  after.kernels[1].cases[1].name = "other";
  CHECK(fingerprint(before) != fingerprint(after));
}

TEST_CASE("annotations stand on the line of the kernel, at most nine and one that tells of the others") {
  Result result = sample("regressed");
  result.kernels[1].location = Location{"kernels/a,b:c/softmax.cu", 41};
  CHECK(has(written("github", result),
            "\n::error file=kernels/a%2Cb%3Ac/softmax.cu,line=41,title=kgate%3A softmax is regressed::wide: "));
  CHECK(has(written("github", sample("compile-failure")), "::error file=kernels/softmax/softmax.cu,line=12,"));
  CHECK(has(written("github", sample("sanitized")), "::error file=kernels/softmax/softmax.cu,line=12,"));
  const std::string many = written("github", bench::large_result(100, 2));
  std::size_t errors = 0;
  for (std::size_t at = many.find("\n::error "); at != std::string::npos; at = many.find("\n::error ", at + 1))
    ++errors;
  CHECK(errors == 9);
  CHECK(has(many, "\n::notice title=kgate%3A "));
  CHECK(has(written("github", sample("environment")), "\n::error title=kgate%3A environment::driver 535.54"));
}

TEST_CASE("a place outside of the repository is nowhere") {
  CHECK(report::place_from("kernels/a.cu:12").line == 12);
  for (const char* words : {"/etc/passwd:1", "../a.cu:1", "a.cu", "a.cu:x", "a b.cu:1", ":1", "a\n.cu:1"}) {
    INFO(words);
    CHECK(report::place_from(words).file.empty());
  }
}
