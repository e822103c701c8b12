#include "gate/report/writers.h"

#include <algorithm>

#include "gate/report/ci_log.h"
#include "gate/report/code_quality.h"
#include "gate/report/format.h"
#include "gate/report/junit.h"
#include "gate/report/markdown.h"
#include "gate/report/metrics.h"
#include "gate/report/page/page.h"
#include "gate/report/report.h"

namespace kgate::report {
namespace {

using verdict::Result;

std::string write_plain_text(const Result& result) {
  return write_text(result, {});
}

// For a format that needs the result alone.
template <std::string (*write)(const Result&)>
std::string of_result(const Result& result, const RawTimes& /*times*/) {
  return write(result);
}

}  // namespace

const std::vector<Writer>& writers() {
  static const std::vector<Writer> kWriters{
      {"text", "", "for a person at a terminal", of_result<write_plain_text>},
      {"json", "result.json", "what everything else is drawn from", of_result<write_json>},
      {"html", "report.html", "the evidence on one page", write_page},
      {"markdown", "summary.md", "for the summary of a CI job", of_result<write_summary>},
      {"comment", "", "the same, short enough for a comment under a change", of_result<write_comment>},
      {"github", "", "text and annotations for the log of a GitHub job", of_result<write_github>},
      {"gitlab", "", "text with folded sections for the log of a GitLab job", of_result<write_gitlab>},
      {"junit", "junit.xml", "for readers of test reports", of_result<write_junit>},
      {"metrics", "metrics.prom", "OpenMetrics", of_result<write_metrics>},
      {"codequality", "codequality.json", "GitLab's code quality", of_result<write_code_quality>},
  };
  return kWriters;
}

const Writer* writer_named(const std::string& name) {
  const auto& all = writers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Writer& one) { return name == one.name; });
  return found == all.end() ? nullptr : &*found;
}

std::string writer_names() {
  std::vector<std::string> names;
  for (const Writer& one : writers()) names.emplace_back(one.name);
  return list(names);
}

}  // namespace kgate::report
