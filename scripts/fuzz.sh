#!/bin/sh
# Builds the fuzzers with address and undefined behaviour sanitizers and runs each of them; one line a target.
#
#   scripts/fuzz.sh [EXECUTIONS] [SEED] [TARGET...]     a million each, seed 1, all targets
#
# Where a target ends early, the input that did it is kept in build/asan/fuzz and its path is said. Mutations depend on
# nothing but the seed and the files in tests/fuzz/corpus, so that the same command finds it again.
set -eu
cd "$(dirname "$0")/.."
executions=${1:-1000000}
seed=${2:-1}
[ $# -ge 1 ] && shift
[ $# -ge 1 ] && shift
[ -f build/asan/build.ninja ] || cmake --preset asan ${KGATE_CMAKE:-}
cmake --build build/asan --target kgate_fuzz
mkdir -p build/asan/fuzz
[ $# -ge 1 ] || set -- $(build/asan/tests/fuzz/kgate_fuzz)

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
failed=0
for target in "$@"; do
  input=build/asan/fuzz/$target
  if build/asan/tests/fuzz/kgate_fuzz "$target" "$executions" "$seed" "tests/fuzz/corpus/$target" "$input"; then
    rm -f "$input"
  else
    # Eight bytes of length, then the input.
    size=$(od -An -tu8 -N8 "$input" | tr -d ' ')
    tail -c +9 "$input" | head -c "$size" >"$input.find"
    rm -f "$input"
    echo "$target: a find, or a leak: $input.find is the last input" >&2
    failed=1
  fi
done
exit $failed
