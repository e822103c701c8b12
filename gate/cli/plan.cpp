#include "gate/report/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "gate/cli/terminal.h"
#include "gate/cli/verbs.h"
#include "gate/report/format.h"
#include "gate/trust/authority.h"

namespace kgate::cli {
namespace {

trust::Authority read_authority(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const auto& surroundings = invocation.surroundings;
  trust::BaseRequest base{arguments.policy_ref, arguments.baseline, surroundings.ci, github_event(surroundings)};
  if (!arguments.no_fetch && trust::is_ci_job(surroundings.ci))
    base.fetch = trust::fetch_from_origin(surroundings.environment, &invocation.interrupt);
  return trust::read_authority(arguments.repo, base);
}

// A pattern that names nothing is an error here, where it costs no GPU's time. What only the ledger knows has no plan.
void check_selection(const verdict::SuiteOptions& suite) {
  std::vector<std::string> names;
  for (const auto& tree : {suite.working, suite.base}) {
    for (const auto& [name, found] : verdict::find_kernels(*tree, *suite.policy)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const auto& pattern : suite.selection) {
    if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return glob_match(pattern, name); })) continue;
    throw Error(ErrorKind::missing, fmt::format("kernel \"{}\"", pattern),
                "is neither in the working tree nor in the base", suggestion(pattern, names, "kernels"));
  }
  if (names.empty())
    throw Error(ErrorKind::missing, suite.working->description(),
                fmt::format("no file matches \"{}\"", fmt::join(suite.policy->kernels, "\", \"")),
                "add a kernel.toml, or change `kernels` in .kgate/policy.toml");
}

void note(const std::string& text) {
  std::cerr << "note: " << report::neutral(text) << '\n';
}

std::int64_t longest(const verdict::SuitePlan& plan) {
  std::int64_t most = 0;
  for (std::int64_t shard = 1; shard <= plan.shards; ++shard) most = std::max(most, plan.cost_us(shard));
  return most;
}

// A job without a kernel would wait for a GPU and leave it again.
void split_into(verdict::SuitePlan& plan, std::int64_t wanted) {
  const auto most = std::max<std::int64_t>(std::ssize(plan.kernels), 1);
  if (wanted > most)
    note(fmt::format("{} shards were asked for, and there are {} kernels: {}", wanted, plan.kernels.size(),
                     report::count(static_cast<std::size_t>(most), "shard")));
  plan.split_into(std::min(wanted, most));
}

// The fewest shards of which none is expected to take longer; a kernel is never split.
void split_by_length(verdict::SuitePlan& plan, double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(ErrorKind::usage, fmt::format("--seconds-per-shard {}", seconds), "is no length of time",
                "give a number above 0");
  std::int64_t longest_kernel = 0;
  for (const auto& kernel : plan.kernels) longest_kernel = std::max(longest_kernel, kernel.cost_us);
  const double limit = std::max(seconds * 1e6, static_cast<double>(longest_kernel));
  const auto most = std::clamp<std::int64_t>(std::ssize(plan.kernels), 1, report::kMostGithubJobs);
  while (static_cast<double>(longest(plan)) > limit && plan.shards < most) plan.split_into(plan.shards + 1);
  const double left = static_cast<double>(longest(plan)) / 1e6;
  if (left <= seconds) return;
  note(fmt::format("the longest shard is expected to take {:.3g} s: {}", left,
                   left * 1e6 > limit
                       ? fmt::format("--seconds-per-shard makes at most {} shards", report::kMostGithubJobs)
                       : "so long takes one kernel, which is in one shard"));
}

// What a shard's command is to say again. In no CI job a ref is told as the commit that it is now: the shards begin at
// different minutes.
std::vector<std::string> options_of(const Arguments& arguments, const trust::BaseCommit& base) {
  std::vector<std::string> options{"--profile=" + arguments.profile};
  if (arguments.policy_ref) options.push_back("--policy-ref=" + base.commit);
  if (arguments.baseline) options.push_back("--baseline=" + base.compare);
  if (arguments.backend != "auto") options.push_back("--backend=" + arguments.backend);
  if (arguments.no_fetch) options.emplace_back("--no-fetch");
  if (arguments.time_unchanged) options.emplace_back("--time-unchanged");
  return options;
}

}  // namespace

ExitCode plan_shards(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.shards.has_value() == arguments.seconds_per_shard.has_value()) {
    throw Error(
        ErrorKind::usage, "kgate plan",
        arguments.shards ? "got both --shards and --seconds-per-shard" : "got neither --shards nor --seconds-per-shard",
        "say how many shards, or how long one may take");
  }
  const auto authority = read_authority(invocation);
  for (const auto& warning : authority.warnings) std::cerr << "warning: " << report::neutral(warning) << '\n';
  const auto& base = authority.base;
  verdict::SuiteOptions suite;
  suite.working = std::shared_ptr<const FileTree>(authority.repository->working_tree());
  suite.base = base.compare == base.commit ? authority.tree
                                           : std::shared_ptr<const FileTree>(authority.repository->tree(base.compare));
  suite.policy = &authority.policy;
  suite.selection = arguments.names;
  check_selection(suite);
  auto split = verdict::plan_suite(suite, {1, arguments.plan_check, arguments.time_unchanged});
  if (arguments.shards) {
    split_into(split, *arguments.shards);
  } else {
    split_by_length(split, *arguments.seconds_per_shard);
  }
  const report::RunPlan plan{std::move(split),
                             arguments.plan_check ? "check" : "run",
                             options_of(arguments, base),
                             arguments.names,
                             base.commit,
                             base.compare,
                             arguments.gres,
                             arguments.constraint};
  const std::map<std::string, std::string (*)(const report::RunPlan&)> writers{{"json", report::write_plan_json},
                                                                               {"github", report::write_plan_github},
                                                                               {"gitlab", report::write_plan_gitlab},
                                                                               {"slurm", report::write_plan_slurm}};
  if (const auto writer = writers.find(arguments.format); writer != writers.end()) {
    std::cout << writer->second(plan);
  } else {
    std::cout << report::write_plan(plan, {use_color(arguments, invocation.surroundings, STDOUT_FILENO),
                                           terminal_width(STDOUT_FILENO), arguments.quiet});
  }
  return ExitCode::pass;
}

}  // namespace kgate::cli
