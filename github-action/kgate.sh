#!/usr/bin/env bash
# The one script of the composite action. Inputs come as KGATE_ACTION_* variables and stay data: they become words of an array, never text of a
# command. What others may have written (reports, paths) is looked at as plain files and never followed as links.
set -uf -o pipefail
export LC_ALL=C

# A workflow command ends at a line's end, and % begins an escape.
escaped() {
  local text=${1//%/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}

output() { printf '%s=%s\n' "$1" "$2" >> "$GITHUB_OUTPUT"; }

# stop CODE VERDICT MESSAGE: what no run of kgate has said.
stop() {
  printf '::error title=kgate::%s\n' "$(escaped "$3")"
  printf '### kgate: %s (exit code %s)\n\n    %s\n' "$2" "$1" "$3" >> "$GITHUB_STEP_SUMMARY"
  output verdict "$2"
  output exit-code "$1"
  exit "$1"
}
usage() { stop 64 error "$1"; }

one_of() {
  local name=$1 value=$2 word
  shift 2
  for word in "$@"; do [ "$value" = "$word" ] && return; done
  usage "input $name: $(printf '%q' "$value") is none of them; give one of: $*"
}

one_line() {
  case $2 in *[$'\001'-$'\037'$'\177']*) usage "input $1: has line breaks or control characters; give one line" ;; esac
}

read_inputs() {
  verb=$KGATE_ACTION_VERB
  one_of verb "$verb" run check drift install
  one_of profile "${KGATE_ACTION_PROFILE:-pr}" pr release nightly
  one_of backend "$KGATE_ACTION_BACKEND" auto cuda host
  one_line device "$KGATE_ACTION_DEVICE"
  one_line out "$KGATE_ACTION_OUT"
  one_line working-directory "$KGATE_ACTION_WORKING_DIRECTORY"
  one_line bundle "$KGATE_ACTION_BUNDLE"
  [ -n "$KGATE_ACTION_OUT" ] || usage "input out: names no folder; leave it away, or name one"
  # read has no end mark to find, and says so with 1; what it read is looked at below.
  read -r -d '' -a fail_on <<< "$KGATE_ACTION_FAIL_ON" || true
  [ "${#fail_on[@]}" -gt 0 ] || usage "input fail-on: is empty; leave it away, or give policy or never"
  local word
  for word in "${fail_on[@]}"; do
    one_of fail-on "$word" policy never regressed inconclusive environment missing new
    [ "$word" != never ] || [ "${#fail_on[@]}" -eq 1 ] || usage "input fail-on: never stands beside other words; give it alone"
  done
  # A secret beside a stranger's code is a secret that was.
  if [ -n "$KGATE_ACTION_KEY" ] && [ "$verb" != drift ]; then
    usage "input key: verb $verb needs none; give it to verb drift alone, on the protected branch"
  fi
}

# Sets kgate to the program, from the bundle or the PATH.
find_kgate() {
  if [ -z "$KGATE_ACTION_BUNDLE" ]; then
    [ -z "$KGATE_ACTION_BUNDLE_SHA256" ] || usage "input bundle-sha256: there is no bundle; give bundle too"
    kgate=$(type -P kgate) || stop 5 environment "kgate: is not on this runner's PATH; install it there, or give the inputs bundle and bundle-sha256"
    return
  fi
  local sum
  sum=$(printf '%s' "$KGATE_ACTION_BUNDLE_SHA256" | tr 'A-F' 'a-f')
  [[ $sum =~ ^[0-9a-f]{64}$ ]] || usage "input bundle-sha256: is not 64 hex digits; give what sha256sum printed for the bundle"
  local place
  place=$(mktemp -d "$RUNNER_TEMP/kgate.XXXXXX") || stop 5 environment "$RUNNER_TEMP: no folder can be made there; free some space"
  local archive=$place/bundle.tar.gz
  case $KGATE_ACTION_BUNDLE in
    http://* | https://*)
      curl -gfsSL --proto '=http,https' --retry 3 --max-time 600 -o "$archive" --url "$KGATE_ACTION_BUNDLE" ||
        stop 5 environment "bundle $KGATE_ACTION_BUNDLE: cannot be fetched; see the step's log"
      ;;
    *)
      cp -- "$KGATE_ACTION_BUNDLE" "$archive" || usage "bundle $KGATE_ACTION_BUNDLE: cannot be read; name the file, from the workspace"
      ;;
  esac
  # Of our own copy, which nothing has opened yet.
  local found
  found=$(sha256sum < "$archive")
  found=${found%% *}
  [ "$found" = "$sum" ] ||
    stop 4 untrusted "bundle $KGATE_ACTION_BUNDLE: its SHA-256 is $found, not $sum; take the sum from the release's own page, and do not use this file"
  tar -xzf "$archive" -C "$place" --strip-components=1 --no-same-owner || usage "bundle $KGATE_ACTION_BUNDLE: is no archive of kgate; see the step's log"
  rm -f -- "$archive"
  [ -x "$place/bin/kgate" ] || usage "bundle $KGATE_ACTION_BUNDLE: has no bin/kgate; give one that scripts/bundle.sh made"
  kgate=$place/bin/kgate
  printf '%s\n' "$place/bin" >> "$GITHUB_PATH"
}

# Sets arguments to all words of the command.
assemble() {
  arguments=("$verb" --no-color "--out=$KGATE_ACTION_OUT" "--backend=$KGATE_ACTION_BACKEND")
  # A night is text on stdout; of the others the annotations follow the text.
  [ "$verb" = drift ] || arguments+=(--format=github)
  [ -z "$KGATE_ACTION_PROFILE" ] || arguments+=("--profile=$KGATE_ACTION_PROFILE")
  [ -z "$KGATE_ACTION_DEVICE" ] || arguments+=("--device=$KGATE_ACTION_DEVICE")
  local line
  while IFS= read -r line; do
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    case $line in
      '') ;;
      --out | --out=* | --format | --format=* | --backend | --backend=* | --profile | --profile=* | --device | --device=* | --key | --key=*)
        usage "input options: $line has an input of its own; give it there"
        ;;
      --?*) arguments+=("$line") ;;
      *) usage "input options: $(printf '%q' "$line") is no option; give one a line, with its value as --NAME=VALUE" ;;
    esac
  done <<< "$KGATE_ACTION_OPTIONS"
  local kernels
  # As above; none means all.
  read -r -d '' -a kernels <<< "$KGATE_ACTION_KERNELS" || true
  # After --, so that no name is an option.
  [ "${#kernels[@]}" -eq 0 ] || arguments+=(-- "${kernels[@]}")
}

# A plain file in the folder of the reports, by its full path; nothing where it is none, or a link.
report() {
  if [ ! -L "$out" ] && [ -f "$out/$1" ] && [ ! -L "$out/$1" ]; then printf '%s' "$out/$1"; fi
}

# kgate writes sorted keys, result.json one a line and drift.json on one line: so only the run's own verdict stands there.
verdict_of() {
  case $1 in
    */drift.json) sed -n 's/.*"verdict":"\([a-z]*\)"}$/\1/p' < "$1" ;;
    *) sed -n 's/^  "verdict": "\([a-z]*\)",\{0,1\}$/\1/p' < "$1" ;;
  esac
}

# Whether the run or a kernel of it has this verdict.
has_verdict() { grep -Eq "^( {2}| {6})\"verdict\": \"$2\",?\$" < "$1"; }

code_of() {
  case $1 in regressed) echo 1 ;; inconclusive) echo 3 ;; environment) echo 5 ;; missing | new) echo 6 ;; esac
}

main() {
  read_inputs
  find_kgate
  output kgate "$kgate"
  local key=$KGATE_ACTION_KEY
  unset KGATE_ACTION_KEY
  if [ "$verb" = install ]; then exit 0; fi

  case $KGATE_ACTION_WORKING_DIRECTORY in
    /*) folder=$KGATE_ACTION_WORKING_DIRECTORY ;;
    *) folder=./$KGATE_ACTION_WORKING_DIRECTORY ;;
  esac
  cd "$folder" 2> /dev/null || usage "input working-directory: $KGATE_ACTION_WORKING_DIRECTORY is no folder; name one, from the workspace"
  assemble
  case $KGATE_ACTION_OUT in
    /*) out=$KGATE_ACTION_OUT ;;
    *) out=$PWD/$KGATE_ACTION_OUT ;;
  esac

  # A job that is cancelled gets a signal; kgate then writes what it has found and frees the GPU.
  local answer child code=0
  answer=$(mktemp "$RUNNER_TEMP/kgate-answer.XXXXXX") || stop 5 environment "$RUNNER_TEMP: no file can be made there; free some space"
  if [ "$verb" = drift ] && [ -n "$key" ]; then
    KGATE_KEY=$key "$kgate" "${arguments[@]}" > "$answer" &
  else
    env -u KGATE_KEY "$kgate" "${arguments[@]}" > "$answer" &
  fi
  child=$!
  trap 'kill -TERM "$child" 2> /dev/null' INT TERM
  # A signal ends wait, not the child: then again, until it has ended.
  while true; do
    code=0
    wait "$child" || code=$?
    kill -0 "$child" 2> /dev/null || break
  done
  trap - INT TERM
  cat -- "$answer"
  finish "$code" "$answer"
}

# finish CODE ANSWER: outputs, summary and the step's own exit code.
finish() {
  local code=$1 answer=$2 result summary verdict=error
  output out "$out"
  output exit-code "$code"
  # 64 and over: there may be a result, but not of this run.
  if [ "$code" -ge 64 ]; then
    output verdict error
    printf '::error title=kgate::%s\n' "kgate $verb: ended with exit code $code and without a verdict; see the step's log"
    printf '### kgate: no verdict (exit code %s)\n\nThe log of the step says why.\n' "$code" >> "$GITHUB_STEP_SUMMARY"
    rm -f -- "$answer"
    exit "$code"
  fi
  if [ "$verb" = drift ]; then result=$(report drift.json); else result=$(report result.json); fi
  [ -z "$result" ] || verdict=$(verdict_of "$result")
  output verdict "${verdict:-error}"
  output result "$result"
  if [ "$verb" = drift ]; then output report "$(report drift.html)"; else output report "$(report report.html)"; fi
  summary=$(report summary.md)
  output summary "$summary"
  output junit "$(report junit.xml)"
  if [ -n "$summary" ] && [ "$verb" != drift ]; then
    cat < "$summary" >> "$GITHUB_STEP_SUMMARY"
  else
    # Four blanks make it text, whatever it holds; a summary has room for 1 MiB.
    { printf '### kgate %s: %s (exit code %s)\n\n' "$verb" "$verdict" "$code"; head -c 400000 < "$answer" | sed 's/^/    /'; } >> "$GITHUB_STEP_SUMMARY"
  fi
  rm -f -- "$answer"
  # A run that passed has a result that says so: somebody took it away, or put a link in its place.
  if [ "$code" -eq 0 ] && [ "$verb" != drift ] && [ "${verdict:-error}" = error ]; then
    printf '::error title=kgate::%s\n' "kgate $verb: ended with exit code 0, and its result.json is not there or has no verdict; see what else writes to that folder"
    exit 70
  fi
  [ "${fail_on[0]}" != never ] || exit 0
  [ "$code" -eq 0 ] || exit "$code"
  local word
  for word in "${fail_on[@]}"; do
    [ "$word" != policy ] || continue
    if [ -n "$result" ] && { [ "$verdict" = "$word" ] || has_verdict "$result" "$word"; }; then
      printf '::error title=kgate::%s\n' "$word: the policy lets it through, the input fail-on does not"
      exit "$(code_of "$word")"
    fi
  done
  exit 0
}

main
