"""Shards on a real Slurm: examples/slurm and what `kgate plan --format slurm` writes, on the host backend."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
sys.dont_write_bytecode = True

import sentences
from cluster import Cluster
from scene import SOURCE, Scene, kgate_folder
from sentences import check, equal, sentence

EXAMPLE = SOURCE / "examples" / "slurm"
KERNELS = ["saxpy", "scan", "softmax", "transpose"]
WAIT_S = 400


class Bench:
    """The example kernels as a repository with a change, and a cluster that runs kgate on it."""

    def __init__(self, variant=None):
        self.scene = Scene().begin()
        if variant:
            self.scene.variant(variant)
        self.scene.commit()
        self.kept = tempfile.TemporaryDirectory(prefix="kgate-slurm-")
        self.cluster = Cluster(self.kept.name)
        self.path = kgate_folder()

    def __enter__(self):
        self.cluster.__enter__()
        return self

    def __exit__(self, *failure):
        self.cluster.__exit__(*failure)
        self.kept.cleanup()

    @property
    def environment(self):
        # The cluster's nodes have 16 CPUs each, and this machine has fewer.
        return {**self.scene.environment, **self.cluster.environment, "KGATE_SBATCH": "--constraint=pretended --cpus-per-task=2",
                "PATH": f"{self.path}{os.pathsep}{os.environ['PATH']}"}

    def start(self, *command):
        return subprocess.Popen(command, cwd=self.scene.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)

    def submit(self, *arguments):
        """(exit code, text) of submit.sh --wait."""
        return self.end(self.start("bash", str(EXAMPLE / "submit.sh"), "--wait", *arguments))

    def end(self, process):
        try:
            text = process.communicate(timeout=WAIT_S)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, text

    def folder(self):
        found = list(self.scene.work.glob("kgate-out/slurm.*"))
        equal(len(found), 1)
        return found[0]

    def result(self, name):
        return json.loads((self.folder() / name / "result.json").read_text())

    def logs(self):
        return "".join(f"--- {path.name}\n{path.read_text(errors='replace')}" for path in sorted(self.folder().glob("*.log")))

    def replace_kgate(self, script):
        """A kgate before the real one; "$real" is that."""
        place = pathlib.Path(self.kept.name) / "bin"
        place.mkdir()
        (place / "kgate").write_text(f"#!/bin/bash\nreal={kgate_folder()}/kgate\n{script}\nexec \"$real\" \"$@\"\n")
        (place / "kgate").chmod(0o755)
        self.path = place


def as_in_the_docs(text):
    """What submit.sh says up to the machine and the times, without what differs from run to run."""
    text = text.split("\nmachine: ")[0]
    text = re.sub(r"/\S*/kgate-out/slurm\.\w+", "/home/ana/kernels/kgate-out/slurm.XXXXXX", text)
    text = re.sub(r"\b[0-9a-f]{40}\b", "8af64159d8eb9a9e1dedb2f3efe481d58bf7eb1b", text)
    return re.sub(r"\b[0-9a-f]{10}\b", "8af64159d8", text).strip()


def names(result):
    return sorted(kernel["name"] for kernel in result["kernels"])


@sentence("an array of three shards on two nodes, merged, is as green as the run, and nothing of it is left running")
def _():
    with Bench("unchanged") as bench:
        code, text = bench.submit("3", "origin/main", "--backend=host", *KERNELS)
        equal(code, 0, text, bench.logs())
        equal(bench.result("whole")["verdict"], "pass")
        equal(names(bench.result("whole")), KERNELS)
        equal(sorted(name for shard in "123" for name in names(bench.result(shard))), KERNELS)
        print(text)
    equal(bench.cluster.left(), [])


@sentence("a wrong kernel makes its shard red, and the merge job ends with kgate's exit code")
def _():
    with Bench("wrong") as bench:
        code, text = bench.submit("2", "origin/main", "--backend=host", *KERNELS)
        equal(code, 2, text, bench.logs())
        equal(bench.result("whole")["verdict"], "wrong")
        equal(sorted(bench.result(shard)["exit_code"] for shard in "12"), [0, 2])
        check("softmax" in text, text)


@sentence("a task that is killed leaves its kernels missing, and the merge job is told of it nevertheless")
def _():
    with Bench() as bench:
        bench.replace_kgate('case " $* " in *" --shard=2/2 "*) : > "$KGATE_FOLDER/hangs"; exec sleep 1000 ;; esac')
        process = bench.start("bash", str(EXAMPLE / "submit.sh"), "--wait", "2", "origin/main", "--backend=host", *KERNELS)
        end = time.monotonic() + WAIT_S
        while not list(bench.scene.work.glob("kgate-out/slurm.*/hangs")):
            check(time.monotonic() < end, "the second shard has not begun")
            time.sleep(0.1)
        array = bench.cluster.call("squeue", "-h", "-r", "-o", "%F_%K", "--name=kgate", "--states=running").split()
        bench.cluster.call("scancel", "--signal=KILL", "--full", *[one for one in array if one.endswith("_2")])
        code, text = bench.end(process)
        equal(code, 6, text, bench.logs())
        whole = bench.result("whole")
        equal(whole["verdict"], "missing")
        missing = [kernel["name"] for kernel in whole["kernels"] if kernel["verdict"] == "missing"]
        check(missing and len(missing) < len(KERNELS), whole)
        equal(whole["kernels"][[kernel["name"] for kernel in whole["kernels"]].index(missing[0])]["reason"],
              "it was planned, and no shard has it; of 2 shards there is no result of 2")
        told = as_in_the_docs(text)
        check(told in (SOURCE / "docs" / "scale.md").read_text(), "docs/scale.md shows another answer than this run's:", told)


@sentence("a task that cannot even begin leaves no result, and a merge job without any is missing")
def _():
    with Bench() as bench:
        bench.replace_kgate('[ "$1" = report ] || exit 1')
        code, text = bench.submit("2", "origin/main")
        equal(code, 6, text)
        check("kgate: missing: no shard has left a result in" in text, text)


@sentence("what kgate plan writes for Slurm submits itself and ends with the verdict of the whole")
def _():
    for variant, wanted in (("unchanged", 0), ("wrong", 2)):
        with Bench(variant) as bench:
            script = bench.scene.folder / "plan.sh"
            done = subprocess.run([os.path.join(kgate_folder(), "kgate"), "plan", "--shards", "2", "--policy-ref", "origin/main", "--backend", "host", "--format", "slurm",
                                   "--gres", "gpu:pretended:1", "--constraint", "pretended", *KERNELS], cwd=bench.scene.work, env=bench.environment,
                                  capture_output=True, text=True)
            equal((done.returncode, done.stderr), (0, ""))
            script.write_text(done.stdout.replace("--cpus-per-task=16", "--cpus-per-task=2"))
            code, text = bench.end(bench.start("bash", str(script), "--wait"))
            equal(code, wanted, text, bench.logs())
            equal(names(bench.result("whole")), KERNELS)


if __name__ == "__main__":
    sentences.main()
