// A script for Slurm that submits itself: the array job whose tasks are the shards, and a job that merges what they
// leave, whatever became of them. One file, because a plan is one answer: `sbatch` copies it into each job. No #SBATCH
// lines: those of the array would hold for the merge job too.
#include <string_view>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/meaning.h"
#include "gate/report/plan/plan.h"

namespace kgate::report {
namespace {

constexpr std::string_view kScript = R"(#!/bin/bash
# Written by kgate plan: @WHAT@, as an array job of Slurm and a job that merges them.
#
#   bash FILE [--wait]    from the repository's folder, on a file system that all nodes see: submits both jobs and prints their numbers;
#                         with --wait it waits for them and ends with kgate's exit code
#
# What your cluster wants. All shards run on GPUs of one class, or their times say nothing together.
gpu=(@GPU@)
shard=(--cpus-per-task=16 --time=01:00:00)
both=() # --partition=..., --account=...
shards=@SHARDS@
set -euo pipefail

case ${1:-} in
shard) # a task of the array
  out=$2/$SLURM_ARRAY_TASK_ID
  mkdir -p -- "$out"
  rm -f -- "$out/result.json" # of an attempt before the task was requeued
  exec srun --ntasks=1 ${SLURM_CPUS_PER_TASK:+"--cpus-per-task=$SLURM_CPUS_PER_TASK"} @COMMAND@
  ;;
merge) # a shard without a result is missing, and makes the whole red
  shopt -s nullglob
  results=("$2"/[0-9]*/result.json)
  if [ ${#results[@]} -eq 0 ]; then
    echo "kgate: missing: no shard has left a result in $2" >&2
    exit 6
  fi
  exec kgate report --merge --out="$2/whole" -- "${results[@]}"
  ;;
esac

mkdir -p kgate-out
folder=$(mktemp -d "$PWD/kgate-out/slurm.XXXXXX")
# --requeue: where a node is lost the task begins again, elsewhere; a shard judges from the start, so that nothing of the first attempt counts.
array=$(sbatch --parsable --job-name=kgate --array="1-$shards" --ntasks=1 --requeue --output="$folder/%a.log" "${gpu[@]}" "${shard[@]}" "${both[@]}" "$0" shard "$folder")
array=${array%%;*} # without the cluster's name
echo "array $array: $shards shards, logs and results in $folder"
# afterany, not afterok: a shard that is red, or died, is what there is to tell.
wait=()
if [ "${1:-}" = --wait ]; then wait=(--wait); fi
code=0
sbatch --parsable "${wait[@]}" --job-name=kgate-merge --dependency="afterany:$array" --ntasks=1 --time=00:10:00 --output="$folder/merge.log" "${both[@]}" "$0" merge "$folder" || code=$?
if [ ${#wait[@]} -gt 0 ] && [ -e "$folder/merge.log" ]; then cat -- "$folder/merge.log"; fi
exit "$code"
)";

void replace(std::string& text, std::string_view mark, const std::string& by) {
  text.replace(text.find(mark), mark.size(), by);
}

std::string gpu_of(const RunPlan& plan) {
  std::string text = word("--gres=" + (plan.gres.empty() ? "gpu:1" : plan.gres));
  return plan.constraint.empty() ? text : text + " " + word("--constraint=" + plan.constraint);
}

}  // namespace

std::string write_plan_slurm(const RunPlan& plan) {
  std::string text(kScript);
  const auto shards = static_cast<std::size_t>(plan.suite.shards);
  // What was typed may hold a mark: each is looked for where it stands before all that was typed.
  replace(text, "@COMMAND@", shard_command(plan, "\"$SLURM_ARRAY_TASK_ID/$shards\"", "\"$out\""));
  replace(text, "@SHARDS@", std::to_string(shards));
  replace(text, "@GPU@", gpu_of(plan));
  replace(text, "@WHAT@", fmt::format("{} of {}", count(shards, "shard"), count(plan.suite.kernels.size(), "kernel")));
  return text;
}

}  // namespace kgate::report
