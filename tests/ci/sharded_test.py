"""A run in shards as CI systems start it: what `kgate plan` writes, run to its merged end."""

import json
import os
import re
import shutil
import subprocess

import sentences
from composite import load_yaml
from gitlab_test import ended, pipeline
from scene import SOURCE, FakeKgate, Scene, kgate_folder
from sentences import check, equal, sentence

GITHUB = SOURCE / "github-action" / "examples" / "sharded.yml"
GITLAB = SOURCE / "gitlab-ci" / "examples"
KERNELS = ["saxpy", "scan", "softmax"]


def three_kernels(variant=None):
    scene = Scene()
    for folder in (scene.origin / "kernels").iterdir():
        if folder.name not in KERNELS:
            shutil.rmtree(folder)
    scene.begin()
    if variant:
        scene.variant(variant)
    return scene.commit()


def kgate(scene, *arguments, environment=None):
    return subprocess.run([os.path.join(kgate_folder(), "kgate"), *arguments], cwd=scene.work, env=environment or scene.environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


def planned(scene, *arguments):
    done = kgate(scene, "plan", "--policy-ref=origin/main", *arguments)
    equal(done.returncode, 0, done.stderr)
    return done.stdout


# GitHub: the steps' scripts of the example, in the order of its jobs, with folders in the place of artifacts.

def github(scene):
    """(exit code of the gate, its text, the matrix) of sharded.yml on a pull request."""
    jobs = load_yaml(GITHUB)["jobs"]
    script = {name: [step["run"] for step in jobs[name]["steps"] if "run" in step] for name in ("plan", "gate")}
    equal([len(one) for one in script.values()], [1, 1])
    output = scene.folder / "output"
    environment = {**scene.pull_request(), "PATH": f"{kgate_folder()}{os.pathsep}{os.environ['PATH']}", "GITHUB_OUTPUT": str(output)}
    plan = script["plan"][0].replace("--seconds-per-shard 120", "--seconds-per-shard 0.5")
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", plan], cwd=scene.work, env=environment, capture_output=True, text=True)
    equal(done.returncode, 0, done.stderr)
    name, value = output.read_text().split("=", 1)
    equal(name, "matrix")
    matrix = json.loads(value)["include"]
    inputs = next(step["with"] for step in jobs["shards"]["steps"] if step.get("id") == "kgate")
    for shard in matrix:
        option = inputs["options"].replace("${{ matrix.shard.shard }}", shard["shard"])
        kgate(scene, "run", "--no-fetch", "--backend=host", f"--out=shards/kgate-h200-{shard['index']}", option, environment=environment)
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script["gate"][0]], cwd=scene.work, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr, matrix


@sentence("the matrix of the GitHub example runs shard by shard, and its gate is the merged run's: green, and red with kgate's code")
def _():
    for variant, wanted in ((None, 0), ("wrong", 2)):
        scene = three_kernels(variant)
        code, text, matrix = github(scene)
        equal(code, wanted, text)
        check(len(matrix) > (1 if variant else 0), matrix)
        equal(sorted(" ".join(shard["kernels"] for shard in matrix).split()), KERNELS)
        result = json.loads((scene.work / "kgate-out/result.json").read_text())
        equal(sorted(kernel["name"] for kernel in result["kernels"]), KERNELS)


@sentence("in the GitHub example shards do not decide, the gate runs whatever became of them, and its classes are the shards'")
def _():
    jobs = load_yaml(GITHUB)["jobs"]
    action = next(step for step in jobs["shards"]["steps"] if step.get("id") == "kgate")
    equal(action["with"]["fail-on"], "never")
    equal(jobs["shards"]["strategy"]["fail-fast"], False)
    equal(jobs["gate"]["if"], "${{ always() }}")
    equal(jobs["gate"]["strategy"]["matrix"]["class"], jobs["shards"]["strategy"]["matrix"]["class"])
    upload = next(step["with"] for step in jobs["shards"]["steps"] if "upload-artifact" in step.get("uses", ""))
    download = next(step["with"] for step in jobs["gate"]["steps"] if "download-artifact" in step.get("uses", ""))
    equal(upload["name"], "kgate-${{ matrix.class }}-${{ matrix.shard.index }}")
    equal(download["pattern"], "kgate-${{ matrix.class }}-*")
    text = GITHUB.read_text()
    check("secrets." not in text and "matrix.shard.kernels" not in text and "matrix.shard.name" not in text)


@sentence("a gate on GitHub that finds no shard's result is red")
def _():
    scene = three_kernels()
    script = [step["run"] for step in load_yaml(GITHUB)["jobs"]["gate"]["steps"] if "run" in step][0]
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=scene.work,
                          env={**scene.environment, "PATH": f"{kgate_folder()}{os.pathsep}{os.environ['PATH']}"}, capture_output=True, text=True)
    equal(done.returncode, 64, done.stdout, done.stderr)


# GitLab: the child pipeline as the trigger includes it, the generated file and then the team's own.

def child(scene, plan, more=".kgate-shard: { tags: [shell] }\n.kgate-merge: { tags: [shell] }\n"):
    (scene.work / "kgate-plan.yml").write_text(plan)
    (scene.work / "kgate-shards.yml").write_text(more)
    (scene.work / ".gitlab-ci.yml").write_text("include:\n  - local: /kgate-plan.yml\n  - local: /kgate-shards.yml\n")
    scene.commit()
    scene.call(["git", "remote", "set-url", "origin", "git@gitlab.example:group/kernels.git"])
    return scene


@sentence("the child pipeline that kgate plan writes for GitLab runs its shards, and its job kgate is the gate")
def _():
    for variant, wanted in ((None, "PASS"), ("wrong", "FAIL")):
        scene = three_kernels(variant)
        child(scene, planned(scene, "--shards=2", "--check", "--backend=host", "--no-fetch", "--format=gitlab"))
        text = pipeline(scene)[1]
        check(ended(text, wanted, "kgate"), text)
        equal(len(re.findall(r"^\s*(?:PASS|WARN)\s+kgate [12]/2: ", text, re.M)), 2, text)
        equal(len(re.findall(r"^\s*WARN\s+kgate [12]/2: ", text, re.M)), 1 if variant else 0, text)
        if variant:
            check(re.search(r"^kgate +finished in .*\bFAIL 2\b", text, re.M), text)


@sentence("words that were typed reach a shard in GitLab as they were typed, and nothing of them is run")
def _():
    scene = three_kernels()
    fake = FakeKgate(scene.folder)
    child(scene, (SOURCE / "tests/report/golden-plans/hostile.yml").read_text())
    text = pipeline(scene, "kgate 1/4: gemm", folder=fake.folder)[1]
    equal(fake.words(), ["check", "--shard=1/4", "--out=kgate-shards/1", "--profile=pr", "--policy-ref='; touch planted; '", "--", "'; touch planted; '",
                         '"; touch planted; "', "$(touch planted)", "`touch planted`", "${{ secrets.KEY }}", "$[[ inputs.key ]]", "@SHARDS@ @GPU@", "*",
                         "a: {b: [c, # d", "\\", "!!python/object:os.x"], text)
    equal(list(scene.folder.rglob("planted")), [], text)


@sentence("the GitLab example plans without a GPU, and triggers what was planned with the team's own file last")
def _():
    example = load_yaml(GITLAB / "sharded.gitlab-ci.yml")
    trigger = example["kgate-shards"]["trigger"]
    equal(trigger["strategy"], "depend")
    equal([one.get("artifact") or one.get("local") for one in trigger["include"]], ["kgate-plan.yml", ".gitlab/kgate-shards.yml"])
    equal(example["kgate-plan"]["artifacts"]["paths"], ["kgate-plan.yml"])
    own = load_yaml(GITLAB / "kgate-shards.yml")
    scene = three_kernels()
    script = [line for line in example["kgate-plan"]["script"] if line.startswith("kgate plan")]
    equal(len(script), 1)
    environment = {**scene.environment, "PATH": f"{kgate_folder()}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", script[0]], cwd=scene.work, env=environment, capture_output=True, text=True)
    equal(done.returncode, 0, done.stderr)
    plan = load_yaml(scene.work / "kgate-plan.yml")
    for key in own:
        check(key in plan, plan)
    equal(plan["kgate"], {"extends": ".kgate-merge"})
    equal(plan[".kgate-merge"]["when"], "always")


if __name__ == "__main__":
    sentences.main()
