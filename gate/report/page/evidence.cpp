#include "gate/report/page/evidence.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/machine_state.h"
#include "gate/report/page/markup.h"
#include "gate/report/page/version_tables.h"

namespace kgate::report {
namespace {

using verdict::Result;

constexpr std::size_t kMostFields = 200, kMostSigned = 200, kMostNames = 40;

std::string section(const char* heading, const std::string& markup) {
  return markup.empty() ? "" : fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", heading, markup);
}

// {"sm_mhz": {"min", "max"}}: what the watch saw, lowest and highest.
std::string state_table(const Json& environment) {
  Table table{"", {"what", "lowest", "highest"}, {}};
  const auto add = [&](const std::string& name, const Json& range, double divisor) {
    if (!range.is_object() || !range.contains("min") || !range.contains("max")) return;
    if (!range["min"].is_number() || !range["max"].is_number()) return;
    table.rows.push_back({{escaped(name, 60)},
                          {value(range["min"].get<double>() / divisor), true},
                          {value(range["max"].get<double>() / divisor), true}});
  };
  if (!environment.is_object()) return {};
  if (environment.contains("clocks") && environment["clocks"].is_object()) {
    for (const auto& [name, range] : environment["clocks"].items()) {
      if (table.rows.size() == kMostFields) break;
      const bool mhz = name.ends_with("_mhz");
      add(mhz ? name.substr(0, name.size() - 4) + " clock, MHz" : name, range, 1);
    }
  }
  if (environment.contains("temperature")) add("temperature, °C", environment["temperature"], 1);
  if (environment.contains("power")) add("power, W", environment["power"], 1000);
  return table_of(table);
}

std::string state(const Json& environment) {
  std::string text = state_table(environment);
  Facts facts;
  for (const auto& [key, name] :
       {std::pair{"throttle_reasons", "held back by"}, std::pair{"other_processes", "other processes"},
        std::pair{"dropped", "windows dropped"}, std::pair{"cause", "because"},
        std::pair{"failed_looks", "failed looks"}}) {
    if (!environment.is_object() || !environment.contains(key)) continue;
    const Json& item = environment[key];
    if (item.is_null() || item == "") continue;
    facts.emplace_back(name, escaped(item.is_array() && item.empty() ? "nothing" : compact(item), 400));
  }
  if (text.empty() && !facts.empty())
    text =
        "<p>Clocks, temperature and power were not watched: this backend has no GPU, or its driver does not "
        "tell.</p>\n";
  return text + facts_list(facts);
}

std::string fingerprint_of(const Json& fingerprint) {
  if (!fingerprint.is_object()) return {};
  std::string text;
  std::size_t told = 0;
  for (const auto& [axis, fields] : fingerprint.items()) {
    Table table{axis, {"what", ""}, {}};
    const auto add = [&](const std::string& name, const Json& item) {
      if (told++ < kMostFields) table.rows.push_back({{escaped(name, 80)}, {escaped(compact(item), 400)}});
    };
    if (fields.is_object()) {
      for (const auto& [name, item] : fields.items()) add(name, item);
    } else {
      add(axis, fields);
    }
    text += table_of(table);
  }
  if (told > kMostFields) text += fmt::format("<p class=\"dim\">{} more: fingerprint.json</p>\n", told - kMostFields);
  return fold(fmt::format("fingerprint, {}", count(told, "field")), text);
}

std::string machine(const Result& result) {
  std::string text = facts_list({{"GPU or processor", escaped(result.device_name)},
                                 {"its number", escaped(result.device_uuid)},
                                 {"class", short_hash(result.device_class)},
                                 {"backend", escaped(result.backend, 40)},
                                 {"sandbox", escaped(result.sandbox, 40) + ", that every child of the run reached"}});
  for (const std::string& one : device_lines(result)) text += "<p>" + escaped(one) + "</p>\n";
  return text + fingerprint_of(result.fingerprint);
}

std::string sanitizer(const Result& result) {
  if (!result.sanitizer) return {};
  const auto& all = *result.sanitizer;
  if (!all.available) return "<p>No compute-sanitizer that starts was found.</p>\n";
  std::vector<std::string> tools;
  for (const std::string& tool : all.tools) {
    const auto found = std::count_if(all.findings.begin(), all.findings.end(),
                                     [&](const auto& finding) { return finding.tool == tool; });
    tools.push_back(fmt::format("{}: {}", tool, found == 0 ? "nothing" : std::to_string(found)));
  }
  return facts_list({{"compute-sanitizer", escaped(all.version, 60)},
                     {"found", tools.empty() ? "nothing was run under it" : escaped(list(tools))},
                     {"its sandbox", escaped(all.sandbox, 40)}});
}

std::string signatures(const Result& result) {
  Table table{"", {"kernel", "cases file", "revision", "signed by"}, {}};
  std::size_t left = 0;
  for (const auto& kernel : result.kernels) {
    if (kernel.cases_digest.empty()) continue;
    if (table.rows.size() == kMostSigned) {
      ++left;
      continue;
    }
    table.rows.push_back({{escaped(kernel.name, 80)},
                          {short_hash(kernel.cases_digest)},
                          {kernel.cases_revision == 0 ? "" : std::to_string(kernel.cases_revision), true},
                          {kernel.cases_signers.empty() ? "nobody" : escaped(list(kernel.cases_signers), 200)}});
  }
  std::string text = fold("who signed the cases", table_of(table));
  if (left > 0) text += fmt::format("<p class=\"dim\">{} more: result.json</p>\n", count(left, "kernel"));
  return text;
}

std::string trust(const Result& result) {
  std::string ledger = result.ledger_sequence == 0
                           ? ""
                           : fmt::format("record {}, {}, commit {}", result.ledger_sequence,
                                         short_hash(result.ledger_digest), short_hash(result.ledger_commit));
  std::string policy = escaped(result.policy_ref, 120);
  if (!result.policy_commit.empty())
    policy += (policy.empty() ? "commit " : ", commit ") + short_hash(result.policy_commit);
  std::string source = short_hash(result.source_commit);
  if (result.source_dirty) source += ", with changes that are not committed";
  return facts_list({{"judged", source},
                     {"compared with", short_hash(result.source_base)},
                     {"profile", escaped(result.profile, 40)},
                     {"policy of", policy},
                     {"its digest",
                      result.policy_digest.empty() ? "none: the defaults held" : short_hash(result.policy_digest)},
                     {"ledger", ledger.empty() ? "none" : ledger}}) +
         signatures(result);
}

// A bar a step, on one scale.
std::string costs(const Result& result) {
  const double total = result.total_s;
  if (!(total > 0) || total > 1e12) return {};
  std::string text =
      "<table class=\"chart parts\">\n<thead><tr><th>step</th><th "
      "class=\"plot\"></th><th>seconds</th></tr></thead>\n<tbody>\n";
  const auto row = [&](const char* name, double seconds) {
    const double share = std::clamp(100 * seconds / total, 0.0, 100.0);
    text += fmt::format(
        "<tr><td>{}</td><td class=\"plot\"><svg class=\"strip\" width=\"100%\" height=\"16\" role=\"img\"><title>{} "
        "{:.1f} "
        "s</title><rect class=\"cost\" y=\"3\" width=\"{:.2f}%\" height=\"10\"/></svg></td><td "
        "class=\"number\">{:.1f}</td></tr>\n",
        name, name, seconds, share, seconds);
  };
  row("compile", result.compile_s);
  row("check", result.check_s);
  row("time", result.time_s);
  row("wait for the GPU", result.wait_s);
  row("in all", total);
  return text +
         "</tbody>\n</table>\n<p class=\"dim\">Steps of several kernels run at once, so they need not add up.</p>\n";
}

std::string origin(const Result& result) {
  std::string selection;
  for (std::size_t i = 0; i < std::min(result.selection.size(), kMostNames); ++i)
    selection += (i == 0 ? "" : ", ") + escaped(result.selection[i], 80);
  if (result.selection.size() > kMostNames) selection += ", ...";
  std::string shard;
  if (result.shard_total > 1) {
    shard = fmt::format("{} of {}, {} planned", result.shard_index, result.shard_total,
                        count(result.shard_planned.size(), "kernel"));
  }
  return facts_list({{"started", escaped(result.started, 40)},
                     {"verb", "kgate " + escaped(result.verb, 20)},
                     {"kernels asked for", selection.empty() ? "all" : selection},
                     {"shard", shard},
                     {"seed", result.seed.empty() ? "" : "<code>" + escaped(result.seed, 40) + "</code>"},
                     {"kgate", escaped(result.tool_version, 40) + " " + escaped(result.tool_commit, 60)}});
}

}  // namespace

std::string evidence_of(const Result& result) {
  return section("The machine while it ran", state(result.environment)) + section("The machine", machine(result)) +
         section("Sanitizer", sanitizer(result)) + section("Policy, signatures and ledger", trust(result)) +
         section("What it cost", costs(result)) + section("This run", origin(result));
}

}  // namespace kgate::report
