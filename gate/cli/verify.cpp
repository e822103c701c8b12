#include <algorithm>
#include <ctime>
#include <iostream>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utc.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/verbs.h"
#include "gate/report/format.h"
#include "gate/report/report.h"
#include "gate/trust/authority.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::cli {
namespace {

struct Line {
  std::string what, state, detail;  // state: "ok", "not signed", "untrusted", "missing"
};

verdict::Suite read_suite(const trust::Authority& authority, const trust::Ledger& ledger, const Arguments& arguments) {
  verdict::SuiteOptions wanted;
  wanted.working = std::shared_ptr<const FileTree>(authority.repository->working_tree());
  const auto& base = authority.base;
  wanted.base = base.compare == base.commit ? authority.tree
                                            : std::shared_ptr<const FileTree>(authority.repository->tree(base.compare));
  if (base.compare != base.commit) {
    wanted.target = authority.tree;
    wanted.target_name = fmt::format("{} ({})", base.commit.substr(0, 10), base.ref);
  }
  wanted.base_name = fmt::format("{} ({})", base.compare.substr(0, 10), base.ref);
  wanted.base_decides = !base.implied;
  wanted.policy = &authority.policy;
  wanted.keyring = &authority.keyring;
  wanted.ledger = &ledger;
  wanted.day = utc_day(std::time(nullptr));
  wanted.selection = arguments.names;
  return verdict::read_suite(wanted);
}

std::vector<Line> lines_of(const verdict::Suite& suite) {
  std::vector<Line> lines;
  for (const auto& one : suite.subjects) {
    lines.push_back(one.cases_signers.empty()
                        ? Line{one.name, "not signed", fmt::format("cases revision {}", one.cases.revision)}
                        : Line{one.name, "ok",
                               fmt::format("cases revision {}, signed by {}", one.cases.revision,
                                           fmt::join(one.cases_signers, " and "))});
    for (const auto& warning : one.warnings) lines.push_back({one.name, "note", warning});
  }
  for (const auto& one : suite.untrusted) lines.push_back({one.name, "untrusted", one.reason});
  for (const auto& one : suite.vanished) lines.push_back({one.name, "missing", one.reason});
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.what < b.what; });
  return lines;
}

// The whole ledger; what does not hold is one line as everything else is.
Line check_branch(const trust::Ledger& ledger, const std::string& branch, unsigned threads) {
  if (ledger.commit().empty()) return {branch, "none", "nothing was accepted yet"};
  try {
    const auto totals = ledger.verify(threads);
    return {branch, "ok",
            fmt::format("{}, {}, newest {}", report::count(static_cast<std::size_t>(totals.records), "record"),
                        report::count(static_cast<std::size_t>(totals.objects), "object"), ledger.digest())};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::untrusted) throw;
    return {branch, "untrusted", error.what()};
  }
}

}  // namespace

ExitCode verify(const Invocation& invocation) {
  const auto options = judge_options(invocation);
  const auto authority = trust::read_authority(options.repository, options.base);
  for (const auto& warning : authority.warnings) std::cerr << "warning: " << report::neutral(warning) << '\n';
  const trust::GitProgram git(authority.repository->root(), invocation.surroundings.environment, &invocation.interrupt);
  const auto ledger = trust::read_ledger(authority, options.fetch_ledger ? &git : nullptr);
  auto lines = lines_of(read_suite(authority, ledger, invocation.arguments));
  lines.push_back(check_branch(ledger, authority.policy.ledger_branch, options.threads));
  const std::string& nights = authority.policy.history_branch;
  try {
    const auto history = trust::read_history(authority, options.fetch_ledger ? &git : nullptr);
    if (!history.commit().empty()) lines.push_back(check_branch(history, nights, options.threads));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::untrusted) throw;
    lines.push_back({nights, "untrusted", error.what()});
  }
  const auto has = [&](const char* state) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.state == state; });
  };
  if (invocation.arguments.format == "json") {
    Json list = Json::array();
    for (const auto& line : lines)
      list.push_back({{"what", line.what}, {"state", line.state}, {"detail", line.detail}});
    std::cout << Json{{"schema", "kgate.verify/1"}, {"policy", authority.base.commit}, {"checks", list}}.dump(2)
              << '\n';
  } else {
    std::cout << report::neutral(fmt::format("policy and keys: {}\n", authority.base.explanation));
    for (const auto& line : lines)
      std::cout << report::neutral(fmt::format("{:<10} {}: {}\n", line.state, line.what, line.detail));
  }
  return has("untrusted") ? ExitCode::untrusted : has("missing") ? ExitCode::missing : ExitCode::pass;
}

}  // namespace kgate::cli
