#!/bin/sh
# Many runs of kgate on a small repository, in each of which a process of it is killed at a random moment; then how often
# what happened. Fails where a verdict was wrong or something was left behind.
#
#   scripts/kill-runs.sh [RUNS] [SEED] [PRESET]     200, 1, dev
set -eu
cd "$(dirname "$0")/.."
preset=${3:-dev}
cmake --build "build/$preset" --target test_kills
KGATE_KILL_RUNS=${1:-200} KGATE_KILL_SEED=${2:-1} exec "build/$preset/tests/kills/test_kills"
