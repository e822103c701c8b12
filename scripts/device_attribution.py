#!/usr/bin/env python3
"""Plants slowdowns of each kind in the example kernels and looks where kgate puts them.

    device_attribution.py --kgate BIN/kgate --work DIR

source     the pull request is slower than base and accepted version
merged     the base is slower than the accepted version, the pull request is not slower than the base
toolkit    the record's machine code is that of the faster sources: today's toolkit makes slower code of the same source
options    the record's machine code was compiled with --ptxas-options=-O1, which stands in for another compiler
figures    the record's times are 5 % shorter than they were: the machine has become slower since
load       another process loads the GPU

What was planted is measured by kgate itself, as a change, in runs of their own. Parts must be within 0.3 percentage points of
it (change, merged, toolkit), the machine's within the error that kgate states. Records are made by editing what
`kgate accept --prepare` wrote before it is signed. On the host backend there is no recorded code, so toolkit and machine are
not known; a GPU is needed for this. Exits with 1 where a part is elsewhere.
"""

import argparse
import hashlib
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from device_experiments import Bench, MARKER, interpolate, percent, worst_ratio

KERNELS = ["saxpy", "softmax", "row_norm", "reduce", "sgemm"]
POLICY = '''
[compile]
allow_options = ["--use_fast_math", "--ptxas-options=*"]
[[key]]
file = "keys/approver.pub.pem"
roles = ["accept"]
'''
NAMES = ("change", "merged", "toolkit", "machine")


class Repository:
    """A copy of the base repository with a ledger of its own."""

    def __init__(self, bench, name, kernels):
        self.bench, self.kernels = bench, kernels
        self.path = bench.work / f"repository-{name}"
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(bench.repository, self.path)

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.path), "-c", "user.name=experiment", "-c", "user.email=experiment@localhost", *words],
                       check=True, stdout=subprocess.DEVNULL)

    def kgate(self, *words):
        done = subprocess.run([self.bench.kgate, *words, "--repo", str(self.path), *self.bench.extra], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout + done.stderr

    def source(self, kernel):
        return self.path / self.bench.sources[kernel].relative_to(self.bench.repository)

    def write(self, sources):
        for kernel, text in sources.items():
            self.source(kernel).write_text(text)

    def commit(self, message):
        self.git("commit", "-qam", message)

    def prepare(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        code, text = self.kgate("accept", *self.kernels, "--policy-ref", "main", "--slower", "planted", "--prepare", str(folder),
                                "--cache", str(self.bench.work / "cache"))
        if code != 0:
            sys.exit(f"{folder.name}: kgate accept --prepare ended with {code}: {text}")

    def sign(self, folder):
        code, text = self.kgate("accept", "--sign", str(folder), "--policy-ref", "main", "--key", str(self.bench.work / "approver.key.pem"))
        if code != 0:
            sys.exit(f"{folder.name}: kgate accept --sign ended with {code}: {text}")

    def run(self, label, *options):
        out = self.bench.work / "out" / label
        code, text = self.kgate("run", *self.kernels, "--policy-ref", "main", "--out", str(out), "--quiet", "--cache",
                                str(self.bench.work / "cache"), *options)
        if not (out / "result.json").exists():
            sys.exit(f"{label}: no result (exit code {code}): {text}")
        return json.loads((out / "result.json").read_text())


class Draft:
    """One kernel's draft of a record, to be edited."""

    def __init__(self, folder, kernel):
        self.file = next((folder / kernel).glob("*/statement.json"))
        self.statement = json.loads(self.file.read_text())
        self.measurement = self.statement["predicate"]["measurements"][0]

    def object(self, digest):
        return (self.file.parent / "objects" / digest.removeprefix("sha256:")).read_bytes()

    def replace(self, old, content):
        """Another object in the place of one; its digest."""
        new = hashlib.sha256(content).hexdigest()
        (self.file.parent / "objects" / new).write_bytes(content)
        digest = old.removeprefix("sha256:")
        for subject in self.statement["subject"]:
            if subject["digest"]["sha256"] == digest:
                subject["digest"]["sha256"] = new
                subject["name"] = f"objects/sha256/{new[:2]}/{new[2:]}"
        # Each object once, in the order of the digests.
        by_name = {subject["name"]: subject for subject in self.statement["subject"]}
        self.statement["subject"] = [by_name[name] for name in sorted(by_name)]
        return "sha256:" + new

    def take_measurement(self, other):
        """Machine code and figures of another draft of the same kernel."""
        mine, theirs = self.measurement, other.measurement
        mine["code"] = self.replace(mine["code"], other.object(theirs["code"]))
        mine["symbols"] = theirs["symbols"]
        for name, case in theirs["cases"].items():
            samples = self.replace(mine["cases"][name]["samples"], other.object(case["samples"]))
            mine["cases"][name] = {**case, "samples": samples}
        mine["toolkit"] = "another"

    def scale_times(self, factor):
        for case in self.measurement["cases"].values():
            samples = json.loads(self.object(case["samples"]))
            samples["us"] = [[us * factor for us in block] for block in samples["us"]]
            case["us"] *= factor
            case["samples"] = self.replace(case["samples"], json.dumps(samples).encode())

    def save(self):
        self.file.write_text(json.dumps(self.statement))


def parts(result):
    return {kernel["name"]: kernel.get("attribution", {}) for kernel in result["kernels"]}


def told(part):
    if not part or "unknown" in part:
        return f"unknown ({(part or {}).get('unknown', 'not timed')})"
    return f"{percent(part['ratio']):+.2f} [{percent(part['low']):+.2f}, {percent(part['high']):+.2f}]"


class Table:
    def __init__(self):
        self.good = True

    def check(self, scenario, result, planted, unknown=""):
        """planted: kernel -> part -> percent; parts that are not named must be nothing. `unknown`: a part that is not asked for."""
        verdicts = {kernel["name"]: (kernel["verdict"], kernel.get("causes", [])) for kernel in result["kernels"]}
        for kernel, found in parts(result).items():
            if kernel not in planted:
                continue
            problems = []
            for name in NAMES:
                part, wanted = found.get(name, {}), planted[kernel].get(name, 0.0)
                if name == unknown:
                    continue
                if "ratio" not in part:
                    # The machine is asked only of what is slower than the zone allows.
                    if name != "machine" or (name in planted[kernel] and verdicts[kernel][0] == "regressed"):
                        problems.append(f"{name} is not known")
                elif name == "machine":
                    if not percent(part["low"]) <= wanted <= percent(part["high"]):
                        problems.append(f"machine is not {wanted:+.2f}")
                elif abs(percent(part["ratio"]) - wanted) > 0.3:
                    problems.append(f"{name} is not {wanted:+.2f}")
            self.good = self.good and not problems
            wanted = ", ".join(f"{name} {value:+.2f}" for name, value in planted[kernel].items()) or "nothing"
            verdict, causes = verdicts[kernel]
            print(f"{scenario:8} {kernel:9} planted {wanted:16} | " + " | ".join(f"{name} {told(found.get(name))}" for name in NAMES)
                  + f" | {verdict} {','.join(causes)}" + (" | WRONG: " + "; ".join(problems) if problems else ""), flush=True)


def calibrate(bench, kernels, wanted):
    """Iterations that slow each kernel down by about `wanted` percent."""
    samples = {kernel: [(0, 1.0)] for kernel in kernels}
    pending = {kernel: 32 for kernel in kernels}
    for step in range(8):
        bench.plant(pending)
        result = bench.run(f"calibrate{step}", kernels=list(pending))
        bench.restore()
        following = {}
        for kernel in result["kernels"]:
            name, ratio = kernel["name"], worst_ratio(kernel)
            samples[name].append((pending[name], ratio))
            if percent(ratio) < wanted:
                following[name] = pending[name] * (4 if percent(ratio) < 0.5 else 2)
        pending = following
        if not pending:
            break
    # Once more where the first guess is far off: a kernel that waits for memory hides much work before it shows any.
    for _ in range(2):
        counts = {name: count for name, count in ((name, interpolate(points, wanted)) for name, points in samples.items()) if count}
        bench.plant(counts)
        result = bench.run("calibrated", kernels=list(counts))
        bench.restore()
        for kernel in result["kernels"]:
            samples[kernel["name"]].append((counts[kernel["name"]], worst_ratio(kernel)))
    return {name: count for name, count in ((name, interpolate(points, wanted)) for name, points in samples.items()) if count}


def measured_change(repository, label, runs):
    """What kgate says of a change, kernel by kernel: the geometric mean over fresh runs, in percent."""
    ratios = {}
    for run in range(runs):
        result = repository.run(f"{label}{run}")
        for kernel in result["kernels"]:
            for comparison in kernel["comparisons"]:
                if comparison["against"] == "base":
                    ratios.setdefault(kernel["name"], []).append(comparison["ratio"])
    return {kernel: percent(statistics.geometric_mean(values)) for kernel, values in ratios.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kgate", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--extra", nargs="*", default=[], help="further options of kgate")
    parser.add_argument("--percent", type=float, default=4.0)
    parser.add_argument("--runs", type=int, default=2, help="by which what was planted is measured")
    parser.add_argument("--kernels", nargs="*", default=KERNELS)
    arguments = parser.parse_args()
    arguments.device = arguments.threads = None
    arguments.timed_only = True
    bench = Bench(arguments)
    subprocess.run([bench.kgate, "keygen", "approver"], cwd=bench.work, check=True, stdout=subprocess.DEVNULL)
    (bench.repository / ".kgate/keys").mkdir(exist_ok=True)
    shutil.move(bench.work / "approver.pub.pem", bench.repository / ".kgate/keys/approver.pub.pem")
    policy = bench.repository / ".kgate/policy.toml"
    policy.write_text(policy.read_text() + POLICY)
    subprocess.run(["git", "-C", str(bench.repository), "add", "-A"], check=True)
    bench.commit("An approver's key")

    counts = calibrate(bench, arguments.kernels, arguments.percent)
    kernels = list(counts)
    fast = {kernel: bench.originals[kernel] for kernel in kernels}
    bench.plant(counts)
    slow = {kernel: bench.sources[kernel].read_text() for kernel in kernels}
    bench.restore()
    table = Table()

    first = Repository(bench, "source", kernels)
    first.prepare(bench.work / "draft-fast")
    shutil.copytree(bench.work / "draft-fast", bench.work / "draft-fast-again")
    first.write(slow)
    planted = measured_change(first, "planted", arguments.runs)
    print("planted, as a change: " + ", ".join(f"{kernel} {value:+.2f} %" for kernel, value in planted.items()))

    # The pull request.
    first.git("stash", "-q")
    first.sign(bench.work / "draft-fast")
    first.git("stash", "pop", "-q")
    table.check("source", first.run("source"), {kernel: {"change": planted[kernel]} for kernel in kernels})

    # Merged before it.
    first.commit("Slower")
    first.write({kernel: slow[kernel] + MARKER.format(n=1) for kernel in kernels})
    table.check("merged", first.run("merged"), {kernel: {"merged": planted[kernel]} for kernel in kernels})

    # The same source, other machine code on record.
    second = Repository(bench, "toolkit", kernels)
    second.write(slow)
    second.commit("Slower")
    folder = bench.work / "draft-slow"
    second.prepare(folder)
    for kernel in kernels:
        draft = Draft(folder, kernel)
        draft.take_measurement(Draft(bench.work / "draft-fast-again", kernel))
        draft.save()
    second.sign(folder)
    wanted = {kernel: {"toolkit": planted[kernel]} for kernel in kernels}
    table.check("toolkit", second.run("toolkit", "--profile", "release"), wanted, unknown="change")
    second.write({kernel: slow[kernel] + MARKER.format(n=2) for kernel in kernels})
    table.check("toolkit", second.run("toolkit-pr"), wanted)

    # Other options.
    third = Repository(bench, "options", kernels)
    folder = bench.work / "draft-options"
    third.prepare(folder)
    for kernel in kernels:
        toml = third.source(kernel).parent / "kernel.toml"
        text = toml.read_text()
        option = 'options = ["--ptxas-options=-O1"]\n'
        toml.write_text(text.replace("[[launch]]", option + "[[launch]]", 1) if "\noptions" not in text else text)
    with_options = measured_change(third, "options-planted", arguments.runs)
    third.commit("Less optimised")
    third.prepare(bench.work / "draft-O1")
    third.git("reset", "-q", "--hard", "HEAD~1")
    for kernel in kernels:
        draft = Draft(folder, kernel)
        draft.take_measurement(Draft(bench.work / "draft-O1", kernel))
        draft.save()
    third.sign(folder)
    third.write({kernel: fast[kernel] + MARKER.format(n=3) for kernel in kernels})
    print("other options, as a change: " + ", ".join(f"{kernel} {value:+.2f} %" for kernel, value in with_options.items()))
    table.check("options", third.run("options"),
                {kernel: {"toolkit": percent(100 / (100 + with_options[kernel]))} for kernel in kernels if kernel in with_options})

    # The machine: what is on record was faster by 5 %.
    fourth = Repository(bench, "figures", kernels)
    folder = bench.work / "draft-figures"
    shutil.copytree(bench.work / "draft-fast-again", folder)
    for kernel in kernels:
        draft = Draft(folder, kernel)
        draft.scale_times(1 / 1.05)
        draft.save()
    fourth.sign(folder)
    fourth.write(slow)
    table.check("figures", fourth.run("figures"), {kernel: {"change": planted[kernel], "machine": 5.0} for kernel in kernels})

    # The machine: another process beside it.
    load = subprocess.Popen(["sh", "-c", f"while :; do '{bench.kgate}' doctor --noise --repo '{bench.repository}' --cache '{bench.work}/cache' "
                             f"{' '.join(bench.extra)} sgemm hgemm reduce; done"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)
    time.sleep(4)
    try:
        loaded = first.run("load")
    finally:
        subprocess.run(["kill", "-KILL", "--", f"-{load.pid}"])
        load.wait()
    for kernel in loaded["kernels"]:
        found = kernel.get("attribution", {})
        print(f"load     {kernel['name']:9} " + " | ".join(f"{name} {told(found.get(name))}" for name in NAMES) + f" | {kernel['verdict']}: {kernel['reason']}")
    print("attribution: " + ("every part is where it was planted" if table.good else "WRONG"))
    return 0 if table.good else 1


if __name__ == "__main__":
    sys.exit(main())
