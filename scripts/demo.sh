#!/bin/sh
# Installs what is needed, builds kgate and runs the gate on the examples: an unchanged kernel, a faster one, a slower one, a wrong one, each as
# a change on top of an accepted base. On the GPU where there is one, else on the host backend.
#
#   scripts/demo.sh [FOLDER]        the demo's repository and reports; default: a new folder for temporary files
#
# In a bundle it uses the bundle's own kgate; it needs git and python3. KGATE_BIN=DIR uses the kgate that is there and neither installs nor builds.
set -eu
cd "$(dirname "$0")/.."
# In a released bundle the binaries are there.
if [ -z "${KGATE_BIN:-}" ] && [ -x bin/kgate ]; then KGATE_BIN=$PWD/bin; fi
if [ -z "${KGATE_BIN:-}" ]; then
  scripts/deps.sh
  scripts/build.sh release -DKGATE_TESTS=OFF -- kgate kgate-runner
  KGATE_BIN=$PWD/build/release/bin
fi
kgate=$KGATE_BIN/kgate
folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/kgate-demo.XXXXXX")}
repository=$folder/repository
base=$(scripts/make_demo_repo.sh "$repository")
variants=$PWD/examples/variants

echo
"$kgate" doctor || exit $?

summary=""
failures=0
# change VARIANT KERNEL EXPECTED: puts the variant's source over the kernel's, runs the gate against the base, puts it back.
change() {
  variant=$1 kernel=$2 expected=$3
  echo
  echo "== $variant: the change"
  cp "$variants/$variant/$kernel.cu" "$repository/kernels/$kernel/$kernel.cu"
  git -C "$repository" diff --stat --no-color
  echo "== $variant: kgate run $kernel --policy-ref main"
  code=0
  "$kgate" run "$kernel" --repo "$repository" --policy-ref main --out "$folder/$variant" || code=$?
  verdict=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["kernels"][0]["verdict"])' "$folder/$variant/result.json")
  [ "$verdict" = "$expected" ] || failures=$((failures + 1))
  summary="$summary$(printf '%-10s %-10s verdict %-12s exit code %-3s report %s' "$variant" "$kernel" "$verdict" "$code" "$folder/$variant/report.html")
"
  git -C "$repository" checkout -q -- .
}

change unchanged softmax unchanged
change faster softmax faster
change slower softmax regressed
change wrong softmax wrong

echo
echo "The demo, against the base $(printf %.10s "$base"):"
printf '%s' "$summary"
if [ "$failures" -ne 0 ]; then
  echo "$failures of 4 verdicts are not what the demo is meant to show: unchanged, faster, regressed, wrong." >&2
  echo "A busy machine does that (inconclusive: it could not tell): run it again when it is quiet." >&2
  exit 1
fi
