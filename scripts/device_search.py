#!/usr/bin/env python3
"""Searches on a real device, over examples/search. Needs kgate's binaries, git and python3, nothing else.

    device_search.py --kgate BIN/kgate --work DIR sweep [KERNEL ...]    every setting of a kernel's tunables
    device_search.py --kgate BIN/kgate --work DIR tuner [KERNEL ...]    the tuner, with a quarter of as many steps
    device_search.py --kgate BIN/kgate --work DIR busy                  what the GPU does meanwhile

sweep  a search that is given as many steps as there are settings, and does not tire: its journal is the table of all
tuner  from the bad setting of kernel.toml, in a quarter of the sweep's evaluations: its best must take at most 3 % more time than the sweep's
       best, both timed beside each other by the gate; and the setting to begin with at least 1.3 times as much
busy   a search of 50 steps: the share of its time in which a version is judged on the GPU, and what nvidia-smi says of the GPU

Each prints a table and exits with 1 where it did not find what it must. Folders of searches stay in DIR.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
POLICY = 'schema = "kgate.policy/1"\n[trust]\nunsigned = "warn"\n'
KERNELS = ["tiled_gemm", "conv2d", "column_sums"]


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=experiment", "-c", "user.email=experiment@localhost", *words], check=True)


def repository(folder):
    if folder.exists():
        return folder
    (folder / ".kgate").mkdir(parents=True)
    (folder / ".kgate/policy.toml").write_text(POLICY)
    subprocess.run(["cp", "-R", str(ROOT / "examples/search/kernels"), str(folder)], check=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "The examples, in bad settings")
    return folder


class Bench:
    def __init__(self, arguments):
        self.kgate = str(pathlib.Path(arguments.kgate).resolve())
        self.work = pathlib.Path(arguments.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.repository = repository(self.work / "repository")
        self.seconds = arguments.seconds
        self.backend = ["--backend", arguments.backend]

    def search(self, kernel, out, steps, seed, patience=0):
        command = [self.kgate, "search", kernel, "--repo", str(self.repository), "--policy-ref", "HEAD", "--seed", f"{seed:x}", "--out", str(out),
                   "--iterations", str(steps), "--patience", str(patience), "--seconds", str(self.seconds), "--gpu-seconds", str(self.seconds),
                   *self.backend]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads((out / "search/summary.json").read_text())

    def best_files(self, out, kernel):
        """The winner's kernel.toml; the settings that were searched change nothing else."""
        best = out / "search/best.kernel.toml"
        return best.read_text() if best.exists() else (self.repository / f"kernels/{kernel}/kernel.toml").read_text()

    def beside(self, kernel, base, candidate):
        """How much time the candidate's setting takes of the base's, by the gate."""
        folder = self.work / "beside"
        subprocess.run(["rm", "-rf", str(folder)], check=True)
        repository(folder)
        file = folder / f"kernels/{kernel}/kernel.toml"
        file.write_text(base)
        git(folder, "commit", "-qam", "base", "--allow-empty")
        file.write_text(candidate)
        done = subprocess.run([self.kgate, "run", kernel, "--repo", str(folder), "--policy-ref", "HEAD", "--out", str(folder / "out"), "--time-unchanged", "--quiet",
                               *self.backend],
                              capture_output=True, text=True)
        result = json.loads((folder / "out/result.json").read_text())
        comparison = result["kernels"][0]["comparisons"][0]
        if "ratio" not in comparison:
            sys.exit(f"{kernel}: not timed: {done.stdout}{done.stderr}")
        return comparison["ratio"], comparison["low"], comparison["high"]


def evaluations(summary):
    return [row for row in summary["tried"] if row["number"] != 0]


def counts(summary):
    found = {}
    for row in evaluations(summary):
        found[row["outcome"]] = found.get(row["outcome"], 0) + 1
    return ", ".join(f"{count} {name}" for name, count in sorted(found.items()))


def describe(kernel, what, summary):
    costs, confirmed = summary["costs"], summary.get("confirmation") or {}
    gain = f"{confirmed['ratio']:.4f} [{confirmed['low']:.4f}, {confirmed['high']:.4f}]" if confirmed else "nothing better"
    print(f"{kernel:12} {what:10} {len(evaluations(summary)):5} steps: {counts(summary)}; {costs['wall_s']:.0f} s, "
          f"{costs['gpu_s']:.0f} s judging on the GPU, {costs['compile_s']:.0f} s of compiling; ended by {summary['stopped']['why']}; "
          f"of the baseline's time, confirmed: {gain}", flush=True)


def sweep(bench, kernels):
    for kernel in kernels:
        describe(kernel, "sweep", bench.search(kernel, bench.work / f"sweep-{kernel}", 100000, 1))
    return True


def tuner(bench, kernels, seeds):
    good = True
    for kernel in kernels:
        swept = bench.work / f"sweep-{kernel}"
        whole = json.loads((swept / "search/summary.json").read_text())
        if whole["stopped"]["why"] != "proposers":
            print(f"{kernel}: the sweep did not try all settings: {whole['stopped']}")
            good = False
        steps = len(evaluations(whole)) // 4
        start = (bench.repository / f"kernels/{kernel}/kernel.toml").read_text()
        best = bench.best_files(swept, kernel)
        worse = bench.beside(kernel, best, start)
        print(f"{kernel:12} the setting to begin with takes {worse[0]:.2f} times as long as the sweep's best [{worse[1]:.2f}, {worse[2]:.2f}]", flush=True)
        good = good and worse[1] >= 1.3
        for seed in seeds:
            out = bench.work / f"tuner-{kernel}-{seed}"
            summary = bench.search(kernel, out, steps, seed)
            describe(kernel, f"seed {seed}", summary)
            ratio, low, high = bench.beside(kernel, best, bench.best_files(out, kernel))
            row = summary["tried"][summary["best"]]
            print(f"{kernel:12} seed {seed}: its best, at step {row['iteration']} of {steps} ({len(evaluations(whole))} settings), takes "
                  f"{100 * (ratio - 1):+.2f} % [{100 * (low - 1):+.2f}, {100 * (high - 1):+.2f}] beside the sweep's best", flush=True)
            good = good and ratio <= 1.03
    return good


def busy(bench, kernels):
    good = True
    for kernel in kernels:
        watch = subprocess.Popen(["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "100"], stdout=subprocess.PIPE, text=True)
        out = bench.work / f"busy-{kernel}"
        summary = bench.search(kernel, out, 50, 5)
        watch.terminate()
        looks = [float(line) for line in watch.communicate()[0].split() if line.strip().isdigit()]
        lines = [json.loads(line) for line in (out / "search/journal.jsonl").read_text().splitlines()]
        judged = [line for line in lines if line["kind"] == "judged"]
        # Once the queue is full: from the first candidate's judgement on.
        phase = judged[-1]["wall_s"] - judged[0]["wall_s"]
        share = sum(line["gpu_s"] for line in judged[1:]) / phase
        describe(kernel, "busy", summary)
        print(f"{kernel:12} a version is judged on the GPU in {100 * share:.0f} % of the {phase:.1f} s; nvidia-smi: {len(looks)} looks, mean utilisation "
              f"{statistics.mean(looks) if looks else float('nan'):.0f} %", flush=True)
        good = good and share >= 0.6
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kgate", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--seconds", type=float, default=3600, help="the most that one search takes")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("experiment", choices=["sweep", "tuner", "busy", "all"])
    parser.add_argument("kernels", nargs="*", default=KERNELS)
    arguments = parser.parse_args()
    bench = Bench(arguments)
    kernels = arguments.kernels or KERNELS
    good = True
    if arguments.experiment in ("sweep", "all"):
        good = sweep(bench, kernels) and good
    if arguments.experiment in ("tuner", "all"):
        good = tuner(bench, kernels, arguments.seeds) and good
    if arguments.experiment in ("busy", "all"):
        good = busy(bench, kernels) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
