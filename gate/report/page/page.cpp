#include "gate/report/page/page.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/page/evidence.h"
#include "gate/report/page/headline.h"
#include "gate/report/page/kernel_section.h"
#include "gate/report/page/markup.h"
#include "gate/report/page/measured.h"
#include "gate/report/page/overview.h"
#include "gate/report/page/style.h"
#include "gate/report/searches.h"

// A person who opens the evidence wants, in this order: does it block, what, how much, since what, why, what to do;
// then to check it. So the beginning is sentences and one chart, and all else is folded, kernel by kernel. One file
// that anybody may mail or archive: no script, no network, a policy that forbids both, should anything slip through.
// Charts are SVG in percent of the width, so that letters stay as large as they are on a phone.
namespace kgate::report {
namespace {

constexpr std::size_t kCasesRoom = 2'400'000, kEvidenceRoom = 2'800'000;

std::string head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}",
      title, kPageStyle, shapes());
}

std::string kernels(const verdict::Result& result, const std::vector<Entry>& entries, const SampleIndex& samples) {
  if (entries.empty()) return {};
  SectionRooms rooms{Room(kCasesRoom), Room(kEvidenceRoom)};
  KernelSection section(result, samples, rooms);
  std::vector<std::string> cases;
  for (const Entry& entry : entries) cases.push_back(section.cases_of(entry));
  std::string text = "<section class=\"kernels\">\n<h2>Kernels</h2>\n";
  std::size_t left = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string one = section.write(entries[i], cases[i]);
    if (one.empty()) ++left;
    text += one;
  }
  if (left > 0)
    text += fmt::format("<p>{} more, for which this page has no room: result.json</p>\n", count(left, "kernel"));
  return text + "</section>\n";
}

}  // namespace

std::string write_page(const verdict::Result& result, const std::vector<verdict::CaseSamples>& times) {
  const std::vector<Entry> entries = in_order(result);
  const std::vector<Row> rows = rows_of(entries);
  std::size_t cases = 0;
  for (const Entry& entry : entries) cases += entry.kernel->cases.size();
  SampleIndex samples;
  for (const verdict::CaseSamples& one : times) samples.emplace(std::pair(one.kernel, one.name), &one);

  const Headline headline(result, entries, rows);
  std::string page = head(headline.title());
  page += headline.sentence() + headline.what_blocks() + headline.again() + headline.what_else();
  page += searches_html(result);
  if (!entries.empty()) page += "<section>\n<h2>All cases</h2>\n" + overview_of(rows, cases) + "</section>\n";
  page += kernels(result, entries, samples);
  page += evidence_of(result);
  return page + "</body>\n</html>\n";
}

}  // namespace kgate::report
