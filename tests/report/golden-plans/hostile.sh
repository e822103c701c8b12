#!/bin/bash
# Written by kgate plan: 4 shards of 17 kernels, as an array job of Slurm and a job that merges them.
#
#   bash FILE [--wait]    from the repository's folder, on a file system that all nodes see: submits both jobs and prints their numbers;
#                         with --wait it waits for them and ends with kgate's exit code
#
# What your cluster wants. All shards run on GPUs of one class, or their times say nothing together.
gpu=('--gres=gpu:1'\'' $(touch planted)' '--constraint=a"; touch planted #')
shard=(--cpus-per-task=16 --time=01:00:00)
both=() # --partition=..., --account=...
shards=4
set -euo pipefail

case ${1:-} in
shard) # a task of the array
  out=$2/$SLURM_ARRAY_TASK_ID
  mkdir -p -- "$out"
  rm -f -- "$out/result.json" # of an attempt before the task was requeued
  exec srun --ntasks=1 ${SLURM_CPUS_PER_TASK:+"--cpus-per-task=$SLURM_CPUS_PER_TASK"} kgate check --shard="$SLURM_ARRAY_TASK_ID/$shards" --out="$out" '--profile=pr' '--policy-ref='\''; touch planted; '\''' -- ''\''; touch planted; '\''' '"; touch planted; "' '$(touch planted)' '`touch planted`' '${{ secrets.KEY }}' '$[[ inputs.key ]]' '@SHARDS@ @GPU@' '*' 'a: {b: [c, # d' '\' '!!python/object:os.x'
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
