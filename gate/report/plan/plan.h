#pragma once

#include <string>
#include <vector>

#include "gate/report/report.h"
#include "gate/verdict/subject/suite_plan.h"

// How a run is split, for people, programs, CI systems and Slurm. Names come from the change and options from whoever
// typed them: each writer quotes them for what reads its text.
namespace kgate::report {

struct RunPlan {
  verdict::SuitePlan suite;
  std::string verb = "run";            // or "check"
  std::vector<std::string> options;    // of each shard's command, one word each: "--profile=pr"
  std::vector<std::string> selection;  // kernels as typed; empty: all
  std::string policy_commit, compare;  // commits: policy and keys; the version to compare with
  std::string gres, constraint;        // for Slurm: what a GPU is asked for with
};

// The most jobs that one matrix of GitHub Actions may have.
constexpr std::int64_t kMostGithubJobs = 256;

std::string write_plan(const RunPlan& plan, const TextStyle& style);
std::string write_plan_json(const RunPlan& plan);  // schema kgate.plan/1
// One line for $GITHUB_OUTPUT: matrix={"include":[...]}. Throws Error(usage) for more than kMostGithubJobs shards.
std::string write_plan_github(const RunPlan& plan);
std::string write_plan_gitlab(const RunPlan& plan);  // a child pipeline's YAML
std::string write_plan_slurm(const RunPlan& plan);   // a script that submits itself

// The kernels of each shard, by name; the first is the first shard's.
std::vector<std::vector<std::string>> kernels_by_shard(const verdict::SuitePlan& plan);

// "softmax, gemm and 3 more": fit for a job's name.
std::string short_list(const std::vector<std::string>& names);

// The command of a shard in a POSIX shell, from the verb on; `shard` and `out` are words of the shell's already.
std::string shard_command(const RunPlan& plan, const std::string& shard, const std::string& out);

}  // namespace kgate::report
