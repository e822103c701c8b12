#include "gate/report/code_quality.h"

#include <map>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"
#include "gate/report/findings.h"
#include "gate/report/format.h"
#include "gate/report/meaning.h"
#include "gate/report/place.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

constexpr std::size_t kLongestDescription = 600;  // columns
constexpr const char* kPolicy = ".kgate/policy.toml";

const char* severity_of(Verdict verdict, bool blocking) {
  switch (verdict) {
    case Verdict::wrong:
    case Verdict::untrusted:
      return "blocker";
    case Verdict::suspect:
      return "critical";
    case Verdict::regressed:
    case Verdict::missing:
      return blocking ? "major" : "minor";
    default:
      return blocking ? "minor" : "info";
  }
}

class Writer {
 public:
  explicit Writer(const Result& result) : result_(result) {}

  std::string write() {
    const auto [blocking, other] = findings_of(result_);
    for (const KernelResult* kernel : blocking) finding(*kernel, true);
    for (const KernelResult* kernel : other) finding(*kernel, false);
    for (const KernelResult& kernel : result_.kernels) lint(kernel);
    if (blocking.empty() && result_.exit_code != 0) {
      const Verdict verdict = decisive(result_);
      add({std::string("kgate.") + verdict::name_of(verdict), severity_of(verdict, true), {kPolicy, 1}},
          {verdict::name_of(verdict)}, result_.reason.empty() ? meaning_of(result_, verdict) : result_.reason);
    }
    return entries_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  struct Kind {
    std::string name;
    const char* severity;
    Place place;
  };

  void add(const Kind& kind, const std::vector<std::string>& identity, const std::string& description) {
    // What tells findings apart: their parts with their lengths, so that no two sets of parts are one text.
    std::string whole = kind.name;
    for (const std::string& part : identity) whole += fmt::format("\n{}:{}", part.size(), part);
    const std::size_t number = ++seen_[whole];
    if (number > 1) whole += fmt::format("\n{}", number);
    const Place place = kind.place.file.empty() ? Place{kPolicy, 1} : kind.place;
    entries_.push_back({{"description", short_line(description, kLongestDescription)},
                        {"check_name", kind.name},
                        {"fingerprint", sha256_hex(whole)},
                        {"severity", kind.severity},
                        {"location", {{"path", place.file}, {"lines", {{"begin", place.line}}}}}});
  }

  void finding(const KernelResult& kernel, bool blocking) {
    const auto kind = [&](Verdict verdict) {
      return Kind{std::string("kgate.") + verdict::name_of(verdict), severity_of(verdict, blocking),
                  place_of(kernel, result_)};
    };
    const std::string name = short_name(kernel.name);
    for (const CaseResult* one : told_cases(kernel)) {
      add(kind(one->verdict), {kernel.name, one->name},
          fmt::format("{}, case {}: {}", name, short_name(one->name), words(kernel, *one)));
    }
    if (told_by_case(kernel)) return;
    add(kind(kernel.verdict), {kernel.name},
        fmt::format("{}: {}: {}", name, verdict::name_of(kernel.verdict), kernel.reason));
  }

  static std::string words(const KernelResult& kernel, const CaseResult& one) {
    std::string text = verdict::name_of(one.verdict);
    if (const std::string words = change_words(kernel, one); !words.empty()) text += " " + words;
    return one.reason.empty() ? text : text + ": " + one.reason;
  }

  void lint(const KernelResult& kernel) {
    for (const lint::Finding& one : kernel.lint) {
      if (one.in_base) continue;
      Place place = place_from(one.where);
      if (place.file.empty()) place = place_of(kernel, result_);
      add({"kgate.lint." + short_name(one.rule), "minor", place}, {kernel.name, one.what},
          fmt::format("{}: {}: {}", short_name(kernel.name), short_name(one.where), one.what));
    }
  }

  const Result& result_;
  std::map<std::string, std::size_t> seen_;
  Json entries_ = Json::array();
};

}  // namespace

std::string write_code_quality(const Result& result) {
  return Writer(result).write();
}

}  // namespace kgate::report
