#include "gate/report/log.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::report {
namespace {

using Times = std::map<std::string, double>;

constexpr std::size_t kIndent = 8, kDeeper = 10;

// New over old, for the cases that both have; and their geometric mean.
struct Ratios {
  Times cases;
  std::optional<double> mean;
};
Ratios ratios_of(const trust::Measurement& now, const LoggedRecord& record) {
  Ratios ratios;
  const auto before = record.before.find(now.device_class);
  if (before == record.before.end()) return ratios;
  double sum = 0;
  for (const auto& [name, one] : now.cases) {
    const auto old = before->second.find(name);
    if (old == before->second.end()) continue;
    ratios.cases[name] = one.us / old->second;
    sum += std::log(ratios.cases[name]);
  }
  if (!ratios.cases.empty()) ratios.mean = std::exp(sum / static_cast<double>(ratios.cases.size()));
  return ratios;
}

std::string what_happened(const trust::Record& record) {
  if (record.retired) return "retired";
  std::string text = "accepted";
  if (!record.renamed_from.empty()) text += ", renamed from " + one_line(record.renamed_from);
  if (!record.release.empty()) text += ", release " + one_line(record.release);
  if (!record.slower.empty()) text += ", slower: " + one_line(record.slower);
  return text;
}

class Writer {
 public:
  Writer(const Log& log, const TextStyle& style) : log_(log), style_(style) {}

  std::string write() {
    if (log_.sequence == 0) return fmt::format("{}: nothing was accepted yet\n", one_line(log_.branch));
    for (const LoggedRecord& record : log_.records) add(record);
    if (!style_.quiet)
      text_ += fmt::format("{}: {}, the newest {}\n", one_line(log_.branch),
                           count(static_cast<std::size_t>(log_.sequence), "record"), log_.digest);
    return text_;
  }

 private:
  void add(const LoggedRecord& logged) {
    const trust::Record& record = logged.entry.record;
    text_ += fmt::format("{:>6}  {}  {}  {}\n", record.sequence, record.time, one_line(record.kernel),
                         what_happened(record));
    if (style_.quiet) return;
    std::string who = "by " + one_line(list(logged.entry.signers));
    if (!record.retired)
      who += fmt::format("; commit {:.10}; {}; cases revision {}", record.commit, one_line(record.path),
                         record.cases_revision);
    paragraph(who);
    if (record.reason != record.slower) paragraph(one_line(record.reason));
    for (const trust::Measurement& one : record.measurements) add(one, ratios_of(one, logged));
    text_ += '\n';
  }

  void add(const trust::Measurement& one, const Ratios& ratios) {
    paragraph(one_line(fmt::format("{} ({}), {} {}, toolkit {}", one.device_name, one.device_class, one.backend,
                                   one.architecture, one.toolkit)));
    std::size_t width = 4;
    for (const auto& [name, measured] : one.cases) width = std::max(width, columns(one_line(name)));
    width = std::min(width, static_cast<std::size_t>(style_.width) / 2);
    const auto row = [&](const std::string& name, const std::string& us, const std::optional<double>& ratio) {
      const std::string shown = cut(one_line(name), width);
      std::string line = std::string(kDeeper, ' ') + shown + std::string(width - columns(shown), ' ') +
                         fmt::format("  {:>9}{}", us, us.empty() ? "   " : " us");
      if (ratio) line += "  " + change(*ratio);
      while (line.back() == ' ') line.pop_back();
      text_ += line + "\n";
    };
    for (const auto& [name, measured] : one.cases) {
      const auto ratio = ratios.cases.find(name);
      row(name, microseconds(measured.us), ratio == ratios.cases.end() ? std::nullopt : std::optional(ratio->second));
    }
    if (ratios.cases.size() > 1) row("mean", "", ratios.mean);
  }

  void paragraph(const std::string& text) {
    if (!text.empty()) text_ += wrap(text, static_cast<std::size_t>(style_.width), kIndent) + "\n";
  }

  const Log& log_;
  const TextStyle& style_;
  std::string text_;
};

}  // namespace

std::string write_log(const Log& log, const TextStyle& style) {
  return Writer(log, style).write();
}

std::string write_log_json(const Log& log) {
  Json records = Json::array();
  for (const LoggedRecord& logged : log.records) {
    Json ratios = Json::object();
    for (const trust::Measurement& one : logged.entry.record.measurements) {
      const Ratios found = ratios_of(one, logged);
      if (found.mean) ratios[one.device_class] = {{"cases", found.cases}, {"mean", *found.mean}};
    }
    records.push_back({{"digest", logged.entry.digest},
                       {"signers", logged.entry.signers},
                       {"record", trust::to_statement(logged.entry.record).predicate},
                       {"ratios", std::move(ratios)}});
  }
  return Json{{"schema", "kgate.log/1"},
              {"ledger",
               {{"branch", log.branch}, {"commit", log.commit}, {"sequence", log.sequence}, {"digest", log.digest}}},
              {"records", std::move(records)}}
             .dump(2) +
         "\n";
}

}  // namespace kgate::report
