#include "gate/report/page/version_tables.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/page/markup.h"
#include "gate/report/page/measured.h"

namespace kgate::report {
namespace {

using verdict::KernelResult;
using verdict::MachineCode;
using verdict::ResourceUse;
using verdict::VersionDiff;

constexpr std::size_t kMostVersions = 6, kMostLines = 100, kMostFields = 60;

std::string lines_of(const char* what, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    text += one_line(lines[i].substr(0, 2000)) + "\n";
  if (lines.size() > kMostLines) text += fmt::format("and {} more: result.json\n", lines.size() - kMostLines);
  return fmt::format("<h5>{}</h5>\n{}", what, block_of(text, Block::diff));
}

std::string growth_of(const std::map<std::string, double>& growth) {
  std::string text;
  for (const auto& [output, factor] : growth)
    text += fmt::format("<li>the error of {} is {} times as large</li>\n", escaped(output, 60), value(factor));
  return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

std::string source_of(const std::string& diff, bool open) {
  const auto lines = static_cast<std::size_t>(std::count(diff.begin(), diff.end(), '\n'));
  return fold(fmt::format("source, {}", count(lines, "line")), block_of(diff, Block::diff), open);
}

std::string machine_of(const std::vector<fingerprint::Difference>& differences) {
  Table table{"the machine that measured it, and this one", {"what", "then", "now", "what it may do to times"}, {}};
  for (const auto& one : differences) {
    if (table.rows.size() == kMostFields) break;
    table.rows.push_back({{escaped(one.axis, 40) + "." + escaped(one.field, 60)},
                          {escaped(one.before, 120)},
                          {escaped(one.after, 120)},
                          {escaped(one.timing, 200)}});
  }
  return table_of(table);
}

std::string record_name(const VersionDiff& diff) {
  return fmt::format("{}, record {}", escaped(diff.against, 40), diff.sequence);
}

}  // namespace

std::string comparison_table(const KernelResult& kernel) {
  Table table{
      "",
      {"beside", "commit", "record", "signed by", "measured on", "its machine code", "change, all cases", "verdict"},
      {}};
  for (const verdict::Comparison& one : kernel.comparisons) {
    if (table.rows.size() == kMostVersions) break;
    std::string record = one.sequence == 0 ? "" : std::to_string(one.sequence);
    if (!one.release.empty()) record += ", " + escaped(one.release, 40);
    table.rows.push_back({{escaped(one.against, 40)},
                          {short_hash(one.commit)},
                          {std::move(record)},
                          {escaped(list(one.signers), 200)},
                          {one.device_class.empty() ? "" : "class " + short_hash(one.device_class)},
                          {one.artifact == "recorded" ? "as recorded" : "compiled here"},
                          {one.timed() ? change(one.ratio, one.low, one.high) : "not timed", true},
                          {badge(one.verdict)}});
  }
  return table_of(table);
}

std::string resource_table(const KernelResult& kernel) {
  std::vector<std::pair<std::string, const ResourceUse*>> versions;
  if (kernel.base) versions.emplace_back("base", &*kernel.base);
  for (const VersionDiff& diff : kernel.accepted_diffs) {
    if (diff.resources && versions.size() < kMostVersions)
      versions.emplace_back(fmt::format("{}, record {}", diff.against, diff.sequence), &*diff.resources);
  }
  if (kernel.candidate) versions.emplace_back("candidate", &*kernel.candidate);
  Table table{
      "", {"version", "registers a thread", "spilled bytes a thread", "shared bytes a block", "bytes of code"}, {}};
  for (const auto& [name, use] : versions) {
    table.rows.push_back({{escaped(name, 80)},
                          {std::to_string(use->registers), true},
                          {std::to_string(use->spill_bytes), true},
                          {std::to_string(use->shared_bytes), true},
                          {std::to_string(use->code_bytes), true}});
  }
  return table_of(table);
}

std::string machine_code_table(const KernelResult& kernel) {
  std::vector<std::pair<std::string, const MachineCode*>> versions;
  if (kernel.machine_code) versions.emplace_back("base", &*kernel.machine_code);
  for (const VersionDiff& diff : kernel.accepted_diffs) {
    if (diff.machine_code && versions.size() < kMostVersions)
      versions.emplace_back(fmt::format("record {}", diff.sequence), &*diff.machine_code);
  }
  std::string text;
  for (const auto& [name, code] : versions) {
    if (!code->not_counted.empty()) {
      text += fmt::format("<p>beside {}: not counted: {}</p>\n", escaped(name), escaped(code->not_counted));
      continue;
    }
    std::map<disassembly::Kind, std::pair<std::int64_t, std::int64_t>> kinds;
    for (const auto& [kind, number] : code->before) kinds[kind].first = number;
    for (const auto& [kind, number] : code->after) kinds[kind].second = number;
    Table table{"instructions, beside " + name, {"kind", "before", "candidate", "change"}, {}};
    const auto row = [&](const std::string& what, std::int64_t before, std::int64_t after) {
      const std::string difference = before == after ? "0" : fmt::format("<b>{:+}</b>", after - before);
      table.rows.push_back({{what}, {std::to_string(before), true}, {std::to_string(after), true}, {difference, true}});
    };
    for (const auto& [kind, numbers] : kinds) row(words_of(kind), numbers.first, numbers.second);
    row("<b>all</b>", total(code->before), total(code->after));
    text += table_of(table);
  }
  return text;
}

std::string difference_blocks(const KernelResult& kernel, bool open) {
  std::string text;
  const std::string base = lines_of("options", kernel.option_changes) + lines_of("launch", kernel.launch_changes) +
                           growth_of(kernel.error_growth) + source_of(kernel.source_diff, open);
  if (!base.empty()) text += "<h4>From the base to the candidate</h4>\n" + base;
  for (std::size_t i = 0; i < std::min(kernel.accepted_diffs.size(), kMostVersions); ++i) {
    const VersionDiff& diff = kernel.accepted_diffs[i];
    std::string body = lines_of("options", diff.options) + lines_of("launch", diff.launch) +
                       growth_of(diff.error_growth) + source_of(diff.source, open);
    if (diff.fingerprint) {
      const std::string machine = machine_of(*diff.fingerprint);
      body += machine.empty() ? "<p>measured on a machine that does not differ from this one</p>\n" : machine;
    }
    if (!body.empty()) text += fmt::format("<h4>From {} to the candidate</h4>\n{}", record_name(diff), body);
  }
  return text;
}

}  // namespace kgate::report
