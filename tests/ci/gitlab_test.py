"""The GitLab component: included with inputs, its jobs run by gitlab-ci-local on the examples."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile

import sentences
from scene import COMPONENT, SOURCE, FakeKgate, Scene, kgate_folder, tool
from sentences import Skip, check, equal, sentence

EXAMPLES = SOURCE / "gitlab-ci" / "examples"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def project(scene, *includes, more=""):
    """The component and an including file in the change's working tree; each include is a table of inputs."""
    (scene.work / "templates").mkdir()
    shutil.copy(COMPONENT, scene.work / "templates/kgate.yml")
    entries = [{"local": "/templates/kgate.yml", "inputs": {"tags": ["shell"], "backend": "host", "rules": [{"when": "on_success"}], **one}} for one in includes]
    (scene.work / ".gitlab-ci.yml").write_text(json.dumps({"include": entries}) + "\n" + more)  # JSON is YAML
    scene.commit()
    # It wants an origin with a name as GitLab has them; nothing is there to fetch from.
    scene.call(["git", "remote", "set-url", "origin", "git@gitlab.example:group/kernels.git"])
    return scene


def pipeline(scene, *arguments, folder=None, variables=()):
    """(exit code, text) of gitlab-ci-local."""
    if shutil.which("rsync") is None:
        raise Skip("rsync is not installed")
    program = tool("gitlab-ci-local")
    environment = {**scene.environment, "PATH": f"{folder or kgate_folder()}{os.pathsep}{scene.environment['PATH']}", "NO_COLOR": "1"}
    command = [program, "--no-color", *arguments]
    # What gitlab-ci-local leaves out of the variables of a merge request's job.
    base = scene.call(["git", "merge-base", "refs/remotes/origin/main", "HEAD"])
    merge_request = [("GITLAB_CI", "true"), ("CI_MERGE_REQUEST_IID", "7"), ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base)]
    for name, value in [*merge_request, *variables]:
        command += ["--variable", f"{name}={value}"]
    done = subprocess.run(command, cwd=scene.work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, ESCAPE.sub("", done.stdout)


def ended(text, word, job):
    """Whether its last lines say PASS, WARN or FAIL of the job: its own exit code is 0 also where jobs failed."""
    return re.search(rf"^\s*{word}\s+{re.escape(job)}\b", text, re.M) is not None


def exit_code(text, word, job):
    found = re.search(rf"^{re.escape(job)} finished in .*\b{word} (\d+)", text, re.M)
    return int(found.group(1)) if found else None


@sentence("a check of the examples passes in a pipeline, and leaves its reports as artifacts")
def _():
    scene = project(Scene().begin(), {"verb": "check", "kernels": "saxpy", "options": "--no-fetch"})
    text = pipeline(scene)[1]
    check(ended(text, "PASS", "kgate"), text)
    left = [path.name for path in (scene.work / ".gitlab-ci-local/artifacts").rglob("*")]
    for name in ("result.json", "junit.xml", "codequality.json", "metrics.prom"):
        check(name in left, left, text)


@sentence("a wrong kernel fails the pipeline with kgate's exit code")
def _():
    scene = project(Scene().begin().variant("wrong"), {"kernels": "softmax", "options": "--no-fetch"})
    text = pipeline(scene)[1]
    check(ended(text, "FAIL", "kgate") and exit_code(text, "FAIL", "kgate") == 2, text)


# A budget in which nothing can be told, and a profile that blocks on that.
UNTOLD = """schema = "kgate.policy/1"
[trust]
unsigned = "warn"
[budget]
seconds_per_suite = 1e-9
[profile.pr]
block_on = ["change", "creep", "inconclusive"]
"""


@sentence("inconclusive, where the profile blocks on it, warns or fails as the input says")
def _():
    scene = Scene().base_file(".kgate/policy.toml", UNTOLD).begin().variant("faster")
    common = {"kernels": "softmax", "options": "--no-fetch"}
    project(scene, {**common, "job-name": "warns"}, {**common, "job-name": "fails", "inconclusive": "fail"})
    text = pipeline(scene, "warns")[1]
    check(ended(text, "WARN", "warns") and exit_code(text, "WARN", "warns") == 3, text)
    text = pipeline(scene, "fails")[1]
    check(ended(text, "FAIL", "fails") and exit_code(text, "FAIL", "fails") == 3, text)


# A pretended kgate shows the words that the job gives it.

def words(scene, **inputs):
    fake = FakeKgate(scene.folder, result='{\n  "verdict": "pass"\n}\n')
    project(scene, inputs)
    return pipeline(scene, folder=fake.folder)[1], fake


@sentence("inputs of the component become words of the command, and hostile ones are not run")
def _():
    hostile = '"; touch planted; `touch planted` \'; touch planted #'
    scene = Scene().begin()
    text, fake = words(scene, kernels=hostile + " -x scan*", device=hostile, out="kgate-out", profile="release", options="--sanitize --x='y")
    check(ended(text, "PASS", "kgate"), text)
    equal(fake.words(), ["run", "--format=gitlab", "--out=kgate-out", "--profile=release", "--backend=host", "--device=" + hostile, "--sanitize", "--x='y", "--",
                         *hostile.split(), "-x", "scan*"])
    equal(list(fake.folder.parent.rglob("planted")), [], text)


@sentence("the measuring job's kgate has no key, and the nightly one has that of the protected file")
def _():
    scene = Scene().begin()
    text, fake = words(scene, verb="check")
    equal(fake.key(), "unset", text)
    scene = Scene().begin()
    key = scene.folder / "key.pem"
    key.write_text("a private key")
    key.chmod(0o666)  # as GitLab's runner leaves it in a container
    script = ("#!/usr/bin/env bash\nhere=$(dirname \"$0\")\nprintf '%s\\0' \"$@\" > \"$here/words\"\n"
              "stat -c %a \"$KGATE_KEY_FILE\" > \"$here/key\"\ncat \"$KGATE_KEY_FILE\" >> \"$here/key\"\nmkdir -p kgate-out; touch kgate-out/drift.json\n")
    fake = FakeKgate(scene.folder, script=script)
    project(scene, {"verb": "drift", "profile": "nightly"})
    text = pipeline(scene, folder=fake.folder, variables=[("KGATE_KEY_FILE", str(key))])[1]
    check(ended(text, "PASS", "kgate"), text)
    equal(fake.key(), "600\na private key")
    equal(fake.words()[:2], ["drift", "--format=text"])
    check("a private key" not in text)


@sentence("a runner without kgate fails the job and says what to do")
def _():
    scene = Scene().begin()
    project(scene, {})
    empty = scene.folder / "empty"
    empty.mkdir()
    if shutil.which("kgate", path=scene.environment["PATH"]):
        raise Skip("a kgate is on the PATH")
    text = pipeline(scene, folder=empty)[1]
    check(ended(text, "FAIL", "kgate") and exit_code(text, "FAIL", "kgate") == 5, text)
    check("kgate: kgate is not on this runner's PATH; install it there, or give the inputs bundle and bundle-sha256" in text, text)


@sentence("a job takes kgate from a bundle with the right checksum, and from no other")
def _():
    scene = Scene().begin()
    fake = FakeKgate(scene.folder, 0, '{\n  "verdict": "pass"\n}\n')
    bundle = scene.folder / "bundle.tar.gz"
    with tarfile.open(bundle, "w:gz") as archive:
        archive.add(fake.folder, "kgate-9.9.9-linux-x86_64/bin")
    right = hashlib.sha256(bundle.read_bytes()).hexdigest()
    common = {"bundle": str(bundle)}
    project(scene, {**common, "job-name": "right", "bundle-sha256": right}, {**common, "job-name": "wrong", "bundle-sha256": "0" * 64})
    empty = scene.folder / "empty"
    empty.mkdir()
    text = pipeline(scene, "right", folder=empty)[1]
    check(ended(text, "PASS", "right"), text)
    check("what kgate says" in text, text)
    text = pipeline(scene, "wrong", folder=empty)[1]
    check(ended(text, "FAIL", "wrong") and exit_code(text, "FAIL", "wrong") == 4, text)
    check(f"its SHA-256 is {right}, not {'0' * 64}" in text, text)


@sentence("the component takes the words of its inputs and no others")
def _():
    for name in ("verb", "profile", "backend", "inconclusive"):
        scene = project(Scene().begin(), {name: "fast"})
        code, text = pipeline(scene, "--list", folder=scene.folder)
        check(code != 0 and name in text, text)


@sentence("each example of a GitLab pipeline has the job that its head promises")
def _():
    wanted = {"merge-request": ("kgate", {"allow_failure": {"exit_codes": [3]}, "resource_group": "kgate-gpu", "interruptible": True}),
              "release": ("kgate-release", {"allow_failure": False, "interruptible": False}),
              "nightly": ("kgate-nightly", {"allow_failure": False, "tags": ["gpu-trusted"]}),
              "accept": ("kgate-accept", {"resource_group": "kgate-ledger", "environment": {"name": "kgate-accept"}})}
    equal(sorted(path.name.removesuffix(".gitlab-ci.yml") for path in EXAMPLES.glob("*.yml")),
          sorted([*wanted, "sharded", "kgate-shards.yml"]))  # those: sharded_test.py
    for name, (job, keys) in wanted.items():
        scene = project(Scene().begin())
        text = (EXAMPLES / f"{name}.gitlab-ci.yml").read_text()
        text = re.sub(r"component: \S+", "local: /templates/kgate.yml", text)
        (scene.work / ".gitlab-ci.yml").write_text(text)
        code, text = pipeline(scene, "--preview", folder=scene.folder)
        equal(code, 0, text)
        import yaml
        preview = yaml.safe_load(text[text.index("---\n"):].split("\nparsing and")[0].split("\njson schema")[0])
        for key, value in keys.items():
            equal(preview[job].get(key), value, name, text)
        if job != "kgate-accept":
            equal(sorted(preview[job]["artifacts"]["reports"]), ["codequality", "junit", "metrics"])


@sentence("the scripts of the GitLab files pass shellcheck, and no input is pasted into them")
def _():
    if shutil.which("shellcheck") is None:
        raise Skip("shellcheck is not installed")
    import yaml
    for path in [COMPONENT, *EXAMPLES.glob("*.yml")]:
        for document in yaml.safe_load_all(path.read_text()):
            for name, job in document.items():
                if not isinstance(job, dict):
                    continue
                for script in job.get("script", []):
                    check("$[[" not in script, path, name)
                    done = subprocess.run(["shellcheck", "-s", "sh", "-"], input=script, capture_output=True, text=True)
                    equal(done.stdout, "", path)


if __name__ == "__main__":
    sentences.main()
