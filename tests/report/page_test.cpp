#include "gate/report/page/page.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/file.h"
#include "base/utf8.h"
#include "gate/report/page/sample_series.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::report;
using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

namespace {

using Samples = std::vector<verdict::CaseSamples>;

constexpr std::size_t kMostBytes = 6'000'000;

// The page as XML; fails where it is none, or asks for script or network.
pugi::xml_document parsed(const std::string& html) {
  pugi::xml_document page;
  const auto read = page.load_buffer(html.data(), html.size(), pugi::parse_full | pugi::parse_ws_pcdata);
  INFO(read.description() << " at " << read.offset << ": "
                          << html.substr(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, read.offset - 80)), 160));
  REQUIRE(read);
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

void check_harmless(const std::string& html) {
  const auto page = parsed(html);
  for (const char* forbidden : {"//script", "//iframe", "//object", "//link", "//img", "//form", "//@src", "//@onload",
                                "//@onclick", "//@style"}) {
    INFO(forbidden);
    CHECK(count_of(page, forbidden) == 0);
  }
  CHECK(html.find("url(") == std::string::npos);
  CHECK(html.find("@import") == std::string::npos);
  CHECK(html.find('\x1b') == std::string::npos);
  std::set<std::string> ids;
  for (const auto& one : page.select_nodes("//*[@id]")) CHECK(ids.insert(one.node().attribute("id").value()).second);
  for (const auto& link : page.select_nodes("//*[@href]")) {
    const std::string target = link.node().attribute("href").value();
    INFO(target);
    CHECK(target.starts_with("#"));
    CHECK(ids.count(target.substr(1)) == 1);
  }
  // A chart has words for those who do not see it.
  for (const auto& chart : page.select_nodes("//svg[@role='img']"))
    CHECK_FALSE(all_text(chart.node().child("title")).empty());
}

// Two rounds of a case, in which the candidate takes `ratio` times as long; without chance.
verdict::CaseSamples times_of(const std::string& kernel, const std::string& name, double ratio, int blocks = 12) {
  verdict::CaseSamples samples{kernel, name, {"candidate", "base"}, {}};
  for (int round = 0; round < 2; ++round) {
    std::vector<double> base, candidate;
    for (int i = 0; i < blocks; ++i) {
      base.push_back(88.5 + 0.2 * ((i * 7 + round) % 5));
      candidate.push_back(ratio * (88.5 + 0.2 * ((i * 3 + round) % 5)));
    }
    samples.us.push_back({candidate, base});
  }
  return samples;
}

Samples samples_of(const Result& result) {
  Samples all;
  for (const KernelResult& kernel : result.kernels) {
    for (const CaseResult& one : kernel.cases) {
      if (one.time) all.push_back(times_of(kernel.name, one.name, one.time->ratio));
    }
  }
  return all;
}

// As many kernels with as many timed cases, of which the last is slower.
Result large(int kernels, int cases) {
  Result result = sample("regressed");
  KernelResult pattern = result.kernels.back();
  const CaseResult bad = pattern.cases[1], good = pattern.cases[2];
  result.kernels.clear();
  for (int k = 0; k < kernels; ++k) {
    KernelResult kernel = pattern;
    kernel.name = fmt::format("kernel_{}", k);
    const bool slower = k == kernels - 1;
    kernel.verdict = slower ? Verdict::regressed : Verdict::pass;
    kernel.cases.assign(static_cast<std::size_t>(cases), good);
    for (int c = 0; c < cases; ++c) {
      CaseResult& one = kernel.cases[static_cast<std::size_t>(c)];
      if (slower && c == cases - 1) one = bad;
      one.name = fmt::format("case_{}_{}", k, c);
      one.time->ratio += 0.0001 * (c % 20);
    }
    result.kernels.push_back(kernel);
  }
  return result;
}

std::string golden(const std::string& name) {
  const auto folder = std::filesystem::path(KGATE_TEST_DATA) / "report" / "golden-pages";
  return std::string(text_of(read_file(folder / (name + ".html"), 1 << 20)));
}

}  // namespace

// To accept a change: build write_golden_pages, run it on tests/report/golden-pages, and look at the files in a
// browser.
TEST_CASE("the pages of some situations are as agreed, to the letter") {
  for (const std::string& name : page_samples()) {
    INFO(name);
    CHECK(write_page(sample(name), {}) == golden(name));
  }
}

TEST_CASE("every golden page belongs to a situation") {
  const auto expected = page_samples();
  std::set<std::string> found, names;
  for (const std::string& name : expected) names.insert(name + ".html");
  const auto folder = std::filesystem::path(KGATE_TEST_DATA) / "report" / "golden-pages";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) found.insert(entry.path().filename().string());
  CHECK(found == names);
}

TEST_CASE("the page of every situation is XML, and needs neither script nor network") {
  for (const Sample& one : samples()) {
    INFO(one.name);
    check_harmless(write_page(one.result, {}));
    check_harmless(write_page(one.result, samples_of(one.result)));
  }
}

TEST_CASE("the page says which kernel, which case, how much, since what, why, and how to run it again") {
  const auto page = parsed(write_page(sample("regressed"), {}));
  CHECK(text_at(page, "//h1") ==
        "regressed softmax, case wide: +6.1 % [+5.9, +6.3] since the base (bbbbbbbbbb), 88.50 → 93.90\u00a0µs");
  const std::string why = text_at(page, "//article");
  CHECK(why.find("the policy tolerates 0.5 %") != std::string::npos);
  CHECK(why.find("registers 40 -> 64") != std::string::npos);
  CHECK(why.find("+ --maxrregcount=64") != std::string::npos);
  CHECK(text_at(page, "//article//pre[@class='command']") == "kgate accept softmax --slower REASON");
  CHECK(text_at(page, "//section/pre[@class='command']") ==
        "kgate run softmax --profile pr --policy-ref bbbbbbbbbb --backend cuda --seed 00000000deadbeef");
  // What blocks is open, what passes is not.
  CHECK(count_of(page, "//details[@class='kernel'][@open]") == 1);
  CHECK(count_of(page, "//details[@class='kernel']") == 2);
}

TEST_CASE("slow creep is told since the record, with its number, not since the base") {
  const auto page = parsed(write_page(sample("creep"), {}));
  CHECK(text_at(page, "//h1") ==
        "regressed softmax, case wide: +4.1 % [+3.9, +4.3] since what was accepted (v1.4, record 11), 85.18 → "
        "88.68\u00a0µs");
}

TEST_CASE("what the toolkit did is told as that, and not as a change that is none") {
  const auto page = parsed(write_page(sample("toolkit"), {}));
  CHECK(text_at(page, "//h1") ==
        "regressed softmax, case wide: by the toolkit alone the accepted version is slower by 3.01 % [+2.90, +3.12], "
        "0.5 % is tolerated");
  CHECK(count_of(page, "//table[@class='chart parts']//rect[@class='bar bad']") == 1);
}

TEST_CASE("a pass says so in its first words, and has no list of what blocks") {
  const auto page = parsed(write_page(sample("all-pass"), {}));
  CHECK(text_at(page, "//h1") == "pass everything is right, and nothing is slower than the policy allows");
  CHECK(count_of(page, "//article") == 0);
}

TEST_CASE("a run without kernels, one that ended early and one without times say why") {
  CHECK(text_at(parsed(write_page(sample("environment"), {})), "//h1").find("driver 535.54") != std::string::npos);
  CHECK(text_at(parsed(write_page(sample("nothing-selected"), {})), "//h1").find("no kernel was judged") !=
        std::string::npos);
  CHECK(text_at(parsed(write_page(sample("compile-failure"), {})), "//details[@open]")
            .find("identifier \"row\" is undefined") != std::string::npos);
  Result bare;
  check_harmless(write_page(bare, {}));
  bare.kernels.emplace_back();
  bare.kernels.back().cases.emplace_back();
  check_harmless(write_page(bare, {}));
}

TEST_CASE("the chart of all cases has a row a case, the worst first, with the zone where the result tells it") {
  Result result = sample("regressed");
  for (CaseResult& one : result.kernels.back().cases) {
    if (one.time) one.time->zone = verdict::Zone{0.005, 0.02};
  }
  const auto page = parsed(write_page(result, {}));
  const auto rows = page.select_nodes("//table[@class='chart'][1]/tbody/tr");
  REQUIRE(rows.size() == 2);
  CHECK(all_text(rows[0].node()).find("wide") != std::string::npos);
  CHECK(all_text(rows[1].node()).find("tall") != std::string::npos);
  CHECK(count_of(page, "//table[@class='chart'][1]//rect[@class='zone']") == 2);
  CHECK(text_at(page, "//body").find("the zone of the policy, +0.50 % to +2.0 %") != std::string::npos);
}

TEST_CASE("raw times are drawn block by block, as distributions, and as a ratio") {
  const Result result = sample("regressed");
  const auto page = parsed(write_page(result, samples_of(result)));
  CHECK(count_of(page, "//figure") == 2);
  CHECK(count_of(page, "(//figure)[1]//svg[@role='img']") == 4);
  const std::string first = text_at(page, "(//figure)[1]");
  CHECK(first.find("candidate: median 94.32 µs") != std::string::npos);
  CHECK(first.find("base: median 88.90 µs") != std::string::npos);
  CHECK(first.find("24 blocks in 2 rounds") != std::string::npos);
}

TEST_CASE("raw times that do not belong together are not drawn, and none of them breaks the page") {
  const Result result = sample("regressed");
  const auto figures = [&](verdict::CaseSamples samples) {
    samples.kernel = "softmax";
    samples.name = "wide";
    const std::string html = write_page(result, {samples});
    check_harmless(html);
    return count_of(parsed(html), "//figure");
  };
  CHECK(figures({"", "", {}, {}}) == 0);
  CHECK(figures({"", "", {"candidate"}, {}}) == 0);
  CHECK(figures({"", "", {"candidate", "base"}, {{}}}) == 0);
  CHECK(figures({"", "", {"candidate", "base"}, {{{1, 2}, {1}}}}) == 0);
  CHECK(figures({"", "", {"candidate", "base"}, {{{1, 2}}}}) == 0);
  CHECK(figures({"", "", {"candidate", "base"}, {{{-1, 0}, {1, 1}}}}) == 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(figures({"", "", {"candidate", "base"}, {{{nan, 1e308}, {1, 1}}}}) == 0);
  CHECK(figures({"", "", {"candidate", "base"}, {{{nan, 3}, {1, 1}}}}) == 1);
  CHECK(figures({"", "", {"candidate", "base"}, {{{3}, {3}}}}) == 1);
  CHECK(figures({"", "", {"<script>", "base"}, {{{1e-5, 1e11}, {1, 1}}}}) == 1);
}

TEST_CASE("many samples become medians, all of them count in the distribution") {
  const auto set = sample_set(times_of("k", "c", 1.5, 5000), "base");
  REQUIRE(set.arms.size() == 2);
  CHECK(set.step == 42);
  CHECK(set.arms[0].values.size() <= 240);
  CHECK(set.arms[0].sorted.size() == 10000);
  CHECK(set.ratio.arm == "base");
  CHECK(quantile_of(set.ratio.sorted, 0.5) == Approx(1.5).epsilon(0.01));
}

TEST_CASE("what is foreign is text on the page, whatever stands in it") {
  const std::string evil = "\"'><script>alert(1)</script>]]>&amp;\x1b[31m\x01\xff\xef\xbf\xbf\u202E";
  const std::string longest = evil + std::string(200'000, 'x');
  std::string marks = "o";
  for (int i = 0; i < 100'000; ++i) marks += "\u0301";
  for (const std::string& text : {evil, longest, marks}) {
    Result result = sample("toolkit");
    for (const char* name : {"creep", "wrong", "sanitized", "regressed"}) {
      for (const KernelResult& one : sample(name).kernels) result.kernels.push_back(one);
    }
    result.sanitizer = sample("sanitized").sanitizer;
    result.reason = result.profile = result.backend = result.started = result.verb = text;
    result.tool_version = result.tool_commit = result.source_commit = result.source_base = text;
    result.policy_ref = result.policy_commit = result.policy_digest = text;
    result.device_class = result.device_name = result.device_uuid = result.sandbox = result.seed = text;
    result.warnings = result.selection = result.shard_planned = {text};
    if (text != longest) result.fingerprint = {{"a", {{"b", text}}}, {"c", text}};
    result.environment = {{"cause", valid_utf8(text)}, {"clocks", {{valid_utf8(text), {{"min", 1}, {"max", 2}}}}}};
    for (auto& one : result.sanitizer->findings) one.tool = one.kind = one.file = one.what = one.case_name = text;
    for (KernelResult& kernel : result.kernels) {
      kernel.name = kernel.path = kernel.reason = kernel.code = text;
      kernel.sources_digest = kernel.code_digest = kernel.cases_digest = text;
      kernel.compiler_log = kernel.source_diff = text + "\n+" + text;
      kernel.cases_signers = kernel.option_changes = kernel.launch_changes = kernel.warnings = kernel.causes = {text};
      kernel.error_growth[text] = 2;
      for (auto& one : kernel.lint) one.rule = one.where = one.what = text;
      if (kernel.attribution) {
        kernel.attribution->since = kernel.attribution->toolkit_before = text;
        kernel.attribution->machine_differences = {text};
        kernel.attribution->merged.unknown = text;
      }
      for (auto& one : kernel.comparisons) {
        one.against = one.commit = one.device_class = one.artifact = one.release = text;
        one.signers = {text};
      }
      for (auto& diff : kernel.accepted_diffs) {
        diff.against = diff.source = text;
        diff.options = diff.launch = {text};
        diff.machine_code = verdict::MachineCode{text, {}, {}};
        diff.fingerprint = std::vector<fingerprint::Difference>{{text, text, text, text, text}};
      }
      for (CaseResult& one : kernel.cases) {
        one.name = one.role = one.reason = text;
        one.sizes[text] = 1;
        one.numerics[text] = {};
        for (auto& other : one.comparisons) other.against = other.reason = text;
        if (one.time) one.time->regime = text;
        if (one.time) one.time->trace = {text};
      }
    }
    const std::string html = write_page(result, {times_of(text, text, 1.1)});
    check_harmless(html);
    CHECK(html.find("<script") == std::string::npos);
    CHECK(html.find('\x01') == std::string::npos);
    CHECK(html.size() < 1'500'000);
  }
}

TEST_CASE("numbers that are none leave the page whole") {
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), 0.0, -1.0, 1e308, 1e-308}) {
    Result result = sample("toolkit");
    result.compile_s = result.total_s = result.seconds = odd;
    for (KernelResult& kernel : result.kernels) {
      for (auto* part : {&kernel.attribution->change, &kernel.attribution->toolkit}) part->ratio = part->low = odd;
      for (auto& one : kernel.comparisons) one.ratio = one.low = one.high = odd;
      for (CaseResult& one : kernel.cases) {
        for (auto& [name, output] : one.numerics) output.max_abs = output.rms = output.bias = odd;
        if (!one.time) continue;
        one.time->ratio = one.time->high = one.time->base_us = odd;
        one.time->zone = verdict::Zone{odd, odd};
      }
    }
    INFO(odd);
    check_harmless(write_page(result, samples_of(result)));
  }
}

TEST_CASE("a page of 2,000 cases stays under 6 MB, whether one kernel has them, some, or each its own") {
  for (const auto& [kernels, cases] : {std::pair{1, 2000}, std::pair{100, 20}, std::pair{2000, 1}}) {
    INFO(kernels << " kernels");
    const Result result = large(kernels, cases);
    const std::string html = write_page(result, samples_of(result));
    CHECK(html.size() < kMostBytes);
    const auto page = parsed(html);
    CHECK(count_of(page, "//details[@class='kernel'][@open]") == 1);
    // The worst have rows, the others are a shape; none is silently left out.
    CHECK(count_of(page, "//table[@class='chart'][1]/tbody/tr") == 61);
    CHECK(text_at(page, "//table[@class='chart'][1]/tbody/tr[61]").find("1940 cases more") != std::string::npos);
    CHECK(text_at(page, "//h1").find(fmt::format("case_{}_{}", kernels - 1, cases - 1)) != std::string::npos);
  }
}

TEST_CASE("what does not fit is counted") {
  const auto page = parsed(write_page(large(1, 8000), {}));
  CHECK(text_at(page, "//details[@class='kernel']").find("cases more: result.json") != std::string::npos);
  Result many = large(8000, 1);
  const std::string html = write_page(many, {});
  CHECK(html.size() < kMostBytes);
  CHECK(text_at(parsed(html), "//body").find("for which this page has no room") != std::string::npos);
}
