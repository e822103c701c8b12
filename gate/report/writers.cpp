#include "gate/report/writers.h"

#include <algorithm>

#include "gate/report/format.h"
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
