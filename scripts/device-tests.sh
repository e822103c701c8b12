#!/bin/sh
# All tests that need a GPU, from a bundle (or from build/release), and one table at the end. Leaves the GPU's settings alone.
#
#   scripts/device-tests.sh [WORK FOLDER] [PART ...]      parts: unit demo keys quickstart speed aa slowdowns small
#                                                                processes neighbour noise adversarial sanitize attribution nights several queue counters search; default: all
#
# AA_RUNS: how many A/A runs (100); AA_SECONDS: after so many seconds no further one is begun.
set -u
cd "$(dirname "$0")/.."
top=$PWD
work=${1:-$(mktemp -d "${TMPDIR:-/tmp}/kgate-device.XXXXXX")}
[ $# -gt 0 ] && shift
parts=${*:-unit adversarial demo keys quickstart sanitize attribution nights noise speed several queue counters search processes neighbour slowdowns small aa}
bin=$top/bin
[ -x "$bin/kgate" ] || bin=$top/build/release/bin
tests=$top/tests
table=""
bad=0

part() {
  name=$1
  shift
  case " $parts " in *" $name "*) ;; *) return ;; esac
  echo "==== $name"
  start=$(date +%s)
  if "$@"; then outcome=passed; else outcome="FAILED ($?)"; bad=1; fi
  table="$table$(printf '%-12s %-14s %4s s' "$name" "$outcome" "$(($(date +%s) - start))")
"
}

unit() {
  ran=1
  for program in "$tests"/test_*_device "$top"/build/release/tests/*/test_*_device; do
    [ -x "$program" ] || continue
    ran=0
    "$program" || return 1
  done
  return $ran
}
# Kernels that cheat, all of them as one change, and those that hang each by itself.
adversarial() {
  program=$tests/test_adversarial
  [ -x "$program" ] || program=$top/build/release/tests/adversarial/test_adversarial
  rm -rf "$work/adversarial"
  "$program" --kgate "$bin/kgate" --work "$work/adversarial" "[gpu]"
}
experiment() { python3 "$top/scripts/device_experiments.py" --kgate "$bin/kgate" --work "$work" "$@"; }

mkdir -p "$work"
part unit unit
part adversarial adversarial
part demo env KGATE_BIN="$bin" "$top/scripts/demo.sh" "$work/demo"
part keys experiment keys
part speed experiment speed
part several experiment several
# Needs no GPU, but quiet cores: processes that fight for leases.
queue() {
  program=$tests/bench_lease
  [ -x "$program" ] || program=$top/build/release/bench/bench_lease
  "$program"
}
part queue queue
# What the kernels of the examples wait for, with Nsight Compute and without.
counters() {
  program=$tests/device_counters
  [ -x "$program" ] || program=$top/build/release/tests/search_evaluate/device_counters
  "$program" "$bin/kgate-runner" "$top/examples/search/kernels"
}
part counters counters
part quickstart python3 "$top/scripts/follow.py" "$top/docs/quickstart.md" --bin "$bin"
part sanitize python3 "$top/scripts/device_sanitize.py" --kgate "$bin/kgate" --work "$work/sanitize"
part attribution python3 "$top/scripts/device_attribution.py" --kgate "$bin/kgate" --work "$work/attribution"
part nights python3 "$top/scripts/device_nights.py" --kgate "$bin/kgate" --work "$work/nights"
part search python3 "$top/scripts/device_search.py" --kgate "$bin/kgate" --work "$work/search" all
part noise experiment noise
part processes experiment processes --runs 12
part neighbour experiment neighbour --runs 3
timed_only() { python3 "$top/scripts/device_experiments.py" --kgate "$bin/kgate" --work "$work/timed-only" --timed-only "$@"; }
part small timed_only small --runs 10
part aa timed_only aa --runs "${AA_RUNS:-100}" --seconds "${AA_SECONDS:-1e9}"
part slowdowns experiment slowdowns

echo "==== device tests"
printf '%s' "$table"
exit $bad
