"""Where the CI files are tried: the example kernels as a repository with a remote and a change on top, beside the programs of this build."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from sentences import Skip

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ACTION = SOURCE / "github-action" / "action.yml"
COMMENT = SOURCE / "github-action" / "comment" / "action.yml"
COMPONENT = SOURCE / "gitlab-ci" / "templates" / "kgate.yml"


def kgate_folder():
    folder = os.environ.get("KGATE_BIN", "")
    if not folder or not os.access(os.path.join(folder, "kgate"), os.X_OK):
        raise Skip("KGATE_BIN names no folder with kgate")
    return folder


def tool(name):
    """A program of tests/ci/package.json, where scripts/ci-tools.sh has put it, or on the PATH."""
    place = tools() / "node_modules" / ".bin" / name
    found = str(place) if place.exists() else shutil.which(name)
    if not found or not shutil.which("node"):
        raise Skip(f"{name} is not installed: scripts/ci-tools.sh FOLDER installs it, KGATE_CI_TOOLS names the folder")
    return found


def tools():
    return pathlib.Path(os.environ.get("KGATE_CI_TOOLS") or "/nowhere")


def clean_environment(home):
    """Nothing of the job or the person that runs the tests."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_AUTHOR_NAME": "author", "GIT_AUTHOR_EMAIL": "author@example.com", "GIT_COMMITTER_NAME": "author",
            "GIT_COMMITTER_EMAIL": "author@example.com", "XDG_CACHE_HOME": os.environ.get("KGATE_CI_CACHE", str(home))}


class Scene:
    """A folder with origin/ (the base, branch main) and work/ (a clone of it, on the branch change)."""

    def __init__(self):
        self.kept = tempfile.TemporaryDirectory(prefix="kgate-ci-")
        self.folder = pathlib.Path(self.kept.name)
        self.work = self.folder / "work"
        self.origin = self.folder / "origin"
        self.environment = clean_environment(self.folder)
        self.call([str(SOURCE / "scripts" / "make_demo_repo.sh"), str(self.origin)], self.folder)

    def call(self, command, folder=None):
        return subprocess.run(command, cwd=folder or self.work, env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def base_file(self, path, text):
        """A file of the base commit beside the examples'."""
        (self.origin / path).parent.mkdir(parents=True, exist_ok=True)
        (self.origin / path).write_text(text)
        return self

    def begin(self):
        self.call(["git", "add", "-A"], self.origin)
        self.call(["git", "commit", "-q", "--allow-empty", "-m", "base"], self.origin)
        self.call(["git", "clone", "-q", str(self.origin), str(self.work)], self.folder)
        self.call(["git", "checkout", "-q", "-b", "change"])
        return self

    def variant(self, name):
        shutil.copy(SOURCE / "examples" / "variants" / name / "softmax.cu", self.work / "kernels/softmax/softmax.cu")
        return self

    def commit(self):
        self.call(["git", "add", "-A"])
        self.call(["git", "commit", "-q", "--allow-empty", "-m", "change"])
        return self

    def pull_request(self):
        """The variables of GitHub's job for the change."""
        base, head = self.call(["git", "rev-parse", "origin/main"]), self.call(["git", "rev-parse", "HEAD"])
        event = self.folder / "event.json"
        event.write_text(json.dumps({"number": 7, "pull_request": {"base": {"sha": base, "ref": "main"}, "head": {"sha": head, "ref": "change"}}}))
        temporary = self.folder / "temp"
        temporary.mkdir(exist_ok=True)
        return {**self.environment, "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event),
                "GITHUB_REF": "refs/heads/change", "GITHUB_SHA": head, "GITHUB_WORKSPACE": str(self.work), "RUNNER_TEMP": str(temporary)}


# A kgate that records its words and the variables with KGATE_KEY, and answers as the file "answer" beside it says: its exit code, then result.json.
FAKE = """#!/usr/bin/env bash
here=$(dirname "$0")
printf '%s\\0' "$@" > "$here/words"
printf '%s' "${KGATE_KEY-unset}" > "$here/key"
for word in "$@"; do case $word in --out=*) out=${word#--out=} ;; esac; done
mkdir -p -- "$out"
printf '%s\\n' 'what kgate says'
code=$(head -n 1 "$here/answer")
tail -n +2 "$here/answer" > "$out/${FAKE_NAME:-result.json}"
exit "$code"
"""


class FakeKgate:
    def __init__(self, folder, code=0, result='{\n  "verdict": "pass"\n}\n', script=FAKE):
        self.folder = pathlib.Path(folder) / "bin"
        self.folder.mkdir(parents=True)
        (self.folder / "answer").write_text(f"{code}\n{result}")
        (self.folder / "kgate").write_text(script)
        (self.folder / "kgate").chmod(0o755)

    def words(self):
        path = self.folder / "words"
        return path.read_text().split("\0")[:-1] if path.exists() else None

    def key(self):
        return (self.folder / "key").read_text()

    def before(self, environment):
        return {**environment, "PATH": f"{self.folder}{os.pathsep}{environment['PATH']}"}
