#include "gate/report/log.h"

#include <algorithm>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "gate/cli/terminal.h"
#include "gate/cli/verbs.h"
#include "gate/trust/authority.h"

namespace kgate::cli {
namespace {

// How far back a record before one is looked for, to compare with.
constexpr std::size_t kLookBack = 50;

std::vector<std::string> selected(const trust::Ledger& ledger, const std::vector<std::string>& patterns) {
  const auto all = ledger.all_kernels();
  if (patterns.empty()) return all;
  std::vector<std::string> chosen;
  for (const auto& pattern : patterns) {
    const auto before = chosen.size();
    for (const auto& kernel : all) {
      if (glob_match(pattern, kernel)) chosen.push_back(kernel);
    }
    if (chosen.size() == before)
      throw Error(ErrorKind::missing, fmt::format("kernel \"{}\"", pattern), "is not in the ledger",
                  suggestion(pattern, all, "kernels"));
  }
  return chosen;
}

report::LoggedRecord logged(const std::vector<trust::LedgerEntry>& walk, std::size_t at) {
  report::LoggedRecord record{walk[at], {}};
  for (const auto& measurement : walk[at].record.measurements) {
    for (std::size_t i = at + 1; i < walk.size() && !walk[i].ended; ++i) {
      const auto& others = walk[i].record.measurements;
      const auto found = std::find_if(others.begin(), others.end(), [&](const auto& other) {
        return other.device_class == measurement.device_class;
      });
      if (found == others.end()) continue;
      auto& before = record.before[measurement.device_class];
      for (const auto& [name, one] : found->cases) before[name] = one.us;
      break;
    }
  }
  return record;
}

// The newest `limit` records of these kernels, each once: what a kernel was before it was renamed is its own.
std::vector<report::LoggedRecord> newest(const trust::Ledger& ledger, const std::vector<std::string>& kernels,
                                         std::size_t limit) {
  std::map<std::int64_t, report::LoggedRecord> found;
  for (const auto& kernel : kernels) {
    std::vector<trust::LedgerEntry> walk;
    ledger.records(kernel, [&](const trust::LedgerEntry& entry) {
      walk.push_back(entry);
      return limit == 0 || walk.size() < limit + kLookBack;
    });
    const std::size_t shown = limit == 0 ? walk.size() : std::min(limit, walk.size());
    for (std::size_t i = 0; i < shown; ++i) found.emplace(walk[i].record.sequence, logged(walk, i));
  }
  std::vector<report::LoggedRecord> records;
  for (auto record = found.rbegin(); record != found.rend(); ++record) {
    if (limit != 0 && records.size() == limit) break;
    records.push_back(std::move(record->second));
  }
  return records;
}

}  // namespace

ExitCode show_log(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const auto& surroundings = invocation.surroundings;
  const bool fetches = !arguments.no_fetch && trust::is_ci_job(surroundings.ci);
  trust::BaseRequest base{arguments.policy_ref, arguments.baseline, surroundings.ci, github_event(surroundings)};
  if (fetches) base.fetch = trust::fetch_from_origin(surroundings.environment, &invocation.interrupt);
  const auto authority = trust::read_authority(arguments.repo, base);
  for (const auto& warning : authority.warnings) std::cerr << "warning: " << report::neutral(warning) << '\n';
  const trust::GitProgram git(authority.repository->root(), surroundings.environment, &invocation.interrupt);
  const auto ledger = trust::read_ledger(authority, fetches ? &git : nullptr);

  if (const auto unpushed = trust::unpushed_records(authority); !unpushed.empty())
    std::cerr << "warning: " << report::neutral(unpushed) << '\n';

  report::Log log{authority.policy.ledger_branch, ledger.commit(), ledger.digest(), ledger.sequence(), {}};
  if (log.sequence != 0)
    log.records = newest(ledger, selected(ledger, arguments.names), static_cast<std::size_t>(arguments.limit));
  if (arguments.format == "json") {
    std::cout << report::write_log_json(log);
  } else {
    std::cout << report::write_log(
        log, {use_color(arguments, surroundings, STDOUT_FILENO), terminal_width(STDOUT_FILENO), arguments.quiet});
    if (log.sequence == 0 && !fetches) {
      std::cout << report::neutral(fmt::format("if others have: git fetch {0} +refs/heads/{1}:refs/remotes/{0}/{1}\n",
                                               authority.policy.ledger_remote, authority.policy.ledger_branch));
    }
  }
  return ExitCode::pass;
}

}  // namespace kgate::cli
