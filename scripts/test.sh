#!/bin/sh
# Installs what is needed, builds, runs all tests. The last line reads "N passed, N failed, N skipped".
#
#   scripts/test.sh [PRESET]        dev (default), asan, tsan or release
#
# KGATE_SKIP_DEPS=1 leaves the installing out.
set -eu
cd "$(dirname "$0")/.."
preset=${1:-dev}
[ -n "${KGATE_SKIP_DEPS:-}" ] || scripts/deps.sh
scripts/build.sh "$preset"

report=build/$preset/tests.xml
rm -f "$report"
status=0
(cd "build/$preset" && ctest --output-on-failure --no-tests=error -j "$(nproc)" --output-junit tests.xml) || status=$?
exec python3 scripts/count_tests.py "$report" "$status"
