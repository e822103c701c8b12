#!/bin/sh
# Makes a git repository of examples/ in a new folder: one commit on the branch main, the base that a demo or a test compares with.
#
#   scripts/make_demo_repo.sh FOLDER
#
# Author, date and message are fixed, so that equal examples make an equal commit. Prints the commit.
set -eu

if [ $# -ne 1 ]; then
  echo "usage: $0 FOLDER" >&2
  exit 64
fi
examples=$(cd "$(dirname "$0")/../examples" && pwd)
folder=$1
if [ -e "$folder" ] && [ -n "$(ls -A "$folder" 2>&1)" ]; then
  echo "$0: $folder is there and not empty; name a new folder" >&2
  exit 64
fi
mkdir -p "$folder"
cp -R "$examples/." "$folder"
cd "$folder"

# Nothing of the user's own git configuration (signing, hooks, templates) may change the commit.
GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_SYSTEM=/dev/null
GIT_AUTHOR_NAME='kgate demo'
GIT_AUTHOR_EMAIL='demo@kgate.dev'
GIT_AUTHOR_DATE='2025-01-01T00:00:00Z'
GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME
GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY

git init -q --template= -b main
printf 'kgate-out/\n__pycache__/\n' > .gitignore
git add -A
git commit -q -m 'The example kernels'
git rev-parse HEAD
