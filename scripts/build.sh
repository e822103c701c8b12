#!/bin/sh
# Configures and builds one preset: scripts/build.sh PRESET [CMAKE OPTIONS ...] [-- TARGETS ...]
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
options=""
while [ $# -gt 0 ] && [ "$1" != "--" ]; do
  options="$options $1"
  shift
done
[ $# -gt 0 ] && shift
if [ -z "${CXX:-}" ] && command -v g++-12 >/dev/null 2>&1 && [ "$(g++ -dumpversion | cut -d. -f1)" -lt 12 ]; then
  export CXX=g++-12
fi
if command -v ccache >/dev/null 2>&1; then options="$options -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"; fi
# shellcheck disable=SC2086
cmake --preset "$preset" $options
if [ $# -gt 0 ]; then
  cmake --build --preset "$preset" --target "$@"
else
  cmake --build --preset "$preset"
fi
