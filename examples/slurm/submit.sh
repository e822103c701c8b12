#!/bin/bash
# Submits a run of kgate as an array of shards, and the job that merges them; prints their numbers.
#
#   submit.sh [--wait] SHARDS BASE [what kgate run takes]
#
# from the repository's folder, on a file system that all nodes see. BASE is the protected branch: policy, keys and the version to compare with. It is told
# to the shards as the commit that it is now, since they begin at different minutes. --wait: waits, shows the answer and ends with kgate's exit code.
# KGATE_SBATCH: further options for the array, such as "--gres=gpu:h100:1 --partition=gpus"; KGATE_SBATCH_MERGE: for the merge job.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
wait=()
if [ "${1:-}" = --wait ]; then
  wait=(--wait)
  shift
fi
if [ $# -lt 2 ]; then
  echo "usage: $0 [--wait] SHARDS BASE [what kgate run takes]" >&2
  exit 64
fi
shards=$1
base=$(git rev-parse --verify --quiet --end-of-options "$2^{commit}") || { echo "$0: $2 is no commit here" >&2; exit 64; }
shift 2
read -ra more <<< "${KGATE_SBATCH:-}"
read -ra more_merge <<< "${KGATE_SBATCH_MERGE:-}"

# A folder of its own for each run: what an earlier one has left is not merged.
mkdir -p kgate-out
KGATE_FOLDER=$(mktemp -d "$PWD/kgate-out/slurm.XXXXXX")
KGATE_SHARDS=$shards
export KGATE_FOLDER KGATE_SHARDS

array=$(sbatch --parsable --array="1-$shards" --output="$KGATE_FOLDER/%a.log" "${more[@]}" "$here/kgate-array.sbatch" --policy-ref="$base" "$@")
array=${array%%;*} # without the cluster's name
echo "array $array: $shards shards, in $KGATE_FOLDER"

code=0
merge=$(sbatch --parsable "${wait[@]}" --dependency="afterany:$array" --output="$KGATE_FOLDER/merge.log" "${more_merge[@]}" "$here/kgate-merge.sbatch") || code=$?
echo "merge ${merge%%;*}: $KGATE_FOLDER/merge.log"
if [ ${#wait[@]} -gt 0 ] && [ -e "$KGATE_FOLDER/merge.log" ]; then cat -- "$KGATE_FOLDER/merge.log"; fi
exit "$code"
