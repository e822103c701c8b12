#!/usr/bin/env python3
"""Experiments with the gate on a real device, over the example kernels. Needs kgate's binaries and python3, nothing else.

    device_experiments.py --kgate BIN/kgate --work DIR aa --runs 20
    device_experiments.py --kgate BIN/kgate --work DIR slowdowns --percent 3 6
    device_experiments.py --kgate BIN/kgate --work DIR small --runs 10
    device_experiments.py --kgate BIN/kgate --work DIR processes --runs 12
    device_experiments.py --kgate BIN/kgate --work DIR neighbour --runs 3
    device_experiments.py --kgate BIN/kgate --work DIR noise
    device_experiments.py --kgate BIN/kgate --work DIR speed
    device_experiments.py --kgate BIN/kgate --work DIR keys

aa         every example against a version of itself whose machine code differs and whose work does not: nothing may be found
slowdowns  every example with extra work planted, calibrated to cost that many percent: all must be found
small      1 % planted in ten examples, with the zone 0.2 to 0.8 %: must be found in 99 of 100
processes  two versions of a kernel whose data lives in the L2, in fresh processes of kgate: the intervals must have a ratio in common
neighbour  A/A while another process loads the GPU: nothing may be found; what is not decided must name the neighbour
noise      doctor --noise
speed      the time of a whole run, with a cold and a warm compile cache: of all examples, changed, and of a suite of 30 cases of ten
           changed kernels, which must take less than 15 s and 10 s (8 s before launches were checked; docs/measurements.md)
keys       the keys of result.json against the list in docs/result-json.md

Each prints a table and exits with 1 where it did not find what it must.
"""

import argparse
import json
import pathlib
import statistics
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = '\n// A kernel that nobody launches: other machine code, the same work.\nextern "C" __global__ void kgate_marker_{n}(int* p) {{ *p = {n}; }}\n'


class Bench:
    def __init__(self, arguments):
        self.kgate = str(pathlib.Path(arguments.kgate).resolve())
        self.work = pathlib.Path(arguments.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.repository = self.work / "repository"
        self.extra = [*arguments.extra, *(["--device", arguments.device] if arguments.device else []),
                      *(["--threads", arguments.threads] if arguments.threads else [])]
        if not self.repository.exists():
            subprocess.run([ROOT / "scripts/make_demo_repo.sh", self.repository], check=True, stdout=subprocess.DEVNULL)
            if arguments.timed_only:
                self.keep_timed_cases()
        self.sources = {path.parent.name: path for path in sorted(self.repository.glob("kernels/*/*.cu"))
                        if path.name != "reference.cu"}
        self.originals = {name: path.read_text() for name, path in self.sources.items()}

    def commit(self, message):
        git = ["git", "-C", str(self.repository), "-c", "user.name=experiment", "-c", "user.email=experiment@localhost"]
        subprocess.run([*git, "commit", "-qam", message], check=True)

    def keep_timed_cases(self):
        """Cases that are only checked take half of a run's time and nothing of an experiment on timing."""
        for file in self.repository.glob("kernels/*/cases.toml"):
            head, *cases = file.read_text().split("[[case]]")
            file.write_text(head + "".join("[[case]]" + case for case in cases if '"performance"' in case))
        self.commit("The timed cases alone")

    def keep_cases(self, kernels, count):
        """The first cases of each, those that are timed before the others."""
        for kernel in kernels:
            file = self.repository / "kernels" / kernel / "cases.toml"
            head, *cases = file.read_text().split("[[case]]")
            cases.sort(key=lambda case: '"performance"' not in case)
            file.write_text(head + "".join("[[case]]" + case for case in cases[:count]))
        self.commit(f"{count} cases a kernel")

    def policy(self, old, new):
        """Another policy on the base branch: the one change of it that an experiment makes."""
        file = self.repository / ".kgate/policy.toml"
        text = file.read_text()
        if old not in text:
            sys.exit(f"{file}: no \"{old}\" to replace")
        file.write_text(text.replace(old, new))
        self.commit(new)

    def run(self, label, kernels=(), cache=None):
        """One run of the gate; result.json as a dictionary."""
        out = self.work / "out" / label
        command = [self.kgate, "run", *kernels, "--repo", str(self.repository), "--policy-ref", "main", "--out", str(out), "--quiet",
                   "--cache", str(cache or self.work / "cache"), *self.extra]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        path = out / "result.json"
        if not path.exists():
            sys.exit(f"{label}: no result (exit code {done.returncode}): {done.stdout}")
        return json.loads(path.read_text())

    def restore(self):
        for name, path in self.sources.items():
            path.write_text(self.originals[name])

    def mark(self, number):
        for name, path in self.sources.items():
            path.write_text(self.originals[name] + MARKER.format(n=number))

    def plant(self, iterations):
        """Plants iterations[kernel] in each named kernel's source; the others are left as they are."""
        for name, count in iterations.items():
            source = self.sources[name]
            source.write_text(self.originals[name])
            subprocess.run([sys.executable, str(ROOT / "examples/tools/plant.py"), str(source), "--iterations", str(count), "-o",
                            str(source)], check=True)


def timed_cases(result):
    for kernel in result["kernels"]:
        for case in kernel["cases"]:
            if case.get("time"):
                yield kernel, case


def percent(ratio):
    return 100 * (ratio - 1)


def experiment_aa(bench, arguments):
    found, ratios, seconds = {}, {}, []
    bad = []
    deadline = time.monotonic() + arguments.seconds
    for run in range(arguments.runs):
        if time.monotonic() > deadline:
            arguments.runs = run
            break
        # Two versions by turns: their code is compiled once.
        bench.mark(run % 2)
        result = bench.run(f"aa{run}")
        seconds.append(result["seconds"])
        # At once: what is cut short has still been seen.
        counts = {}
        for kernel in result["kernels"]:
            counts[kernel["verdict"]] = counts.get(kernel["verdict"], 0) + 1
        print(f"run {run}: {result['seconds']:.1f} s, {sum(1 for _ in timed_cases(result))} timed, "
              + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())), flush=True)
        for kernel in result["kernels"]:
            found.setdefault(kernel["name"], []).append(kernel["verdict"])
            if kernel["verdict"] in ("regressed", "wrong", "suspect", "untrusted", "missing", "environment"):
                bad.append(f"run {run}: {kernel['name']}: {kernel['verdict']}: {kernel['reason']}")
        for kernel, case in timed_cases(result):
            key = (kernel["name"], case["name"])
            ratios.setdefault(key, []).append(case["time"])
    bench.restore()
    print(f"A/A: {arguments.runs} runs of {len(found)} kernels, {statistics.median(seconds):.1f} s a run (median)")
    print(f"{'kernel':12} {'case':16} {'us':>9} {'regime':>7} {'mean ratio':>11} {'spread':>8} {'half width':>10} {'blocks':>7} {'max':>6}  verdicts")
    for (kernel, case), times in ratios.items():
        values = [percent(t["ratio"]) for t in times]
        half = statistics.median(percent(t["high"]) - percent(t["low"]) for t in times) / 2
        blocks = [t["blocks"] for t in times]
        verdicts = ", ".join(f"{v} {found[kernel].count(v)}" for v in sorted(set(found[kernel])))
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        print(f"{kernel:12} {case:16} {statistics.median(t['base_us'] for t in times):9.2f} {times[0]['regime']:>7} "
              f"{statistics.mean(values):+10.3f}% {spread:7.3f}% {half:9.3f}% {statistics.median(blocks):7.0f} {max(blocks):6}  {verdicts}")
    for line in bad:
        print(line)
    print("A/A: " + ("no false alarm" if not bad else f"{len(bad)} FALSE ALARMS"))
    return not bad


def worst_ratio(kernel):
    """The ratio of the kernel's timed cases that slowed down most."""
    return max((case["time"]["ratio"] for case in kernel["cases"] if case.get("time")), default=None)


def experiment_slowdowns(bench, arguments):
    good = True
    first = {name: 32 for name in bench.sources}
    samples = {name: [(0, 1.0)] for name in bench.sources}
    # Double until it shows, so that each kernel has a point on either side of what is wanted.
    pending = dict(first)
    for step in range(arguments.calibrations):
        bench.plant(pending)
        result = bench.run(f"calibrate{step}", kernels=list(pending))
        bench.restore()
        following = {}
        for kernel in result["kernels"]:
            name, ratio = kernel["name"], worst_ratio(kernel)
            if ratio is None:
                print(f"{name}: {kernel['verdict']}: {kernel['reason']}")
                continue
            samples[name].append((pending[name], ratio))
            if percent(ratio) < max(arguments.percent):
                following[name] = pending[name] * (4 if percent(ratio) < 0.5 else 2)
        pending = following
        if not pending:
            break
    for wanted in arguments.percent:
        iterations = {name: interpolate(points, wanted) for name, points in samples.items()}
        iterations = {name: count for name, count in iterations.items() if count}
        for attempt in range(2):
            bench.plant(iterations)
            result = bench.run(f"slow{wanted}", kernels=list(iterations))
            bench.restore()
            if attempt == 0:
                # The second run is the experiment, on iterations that the first has corrected.
                for kernel in result["kernels"]:
                    ratio = worst_ratio(kernel)
                    if ratio is not None:
                        samples[kernel["name"]].append((iterations[kernel["name"]], ratio))
                iterations = {name: interpolate(samples[name], wanted) or count for name, count in iterations.items()}
        print(f"planted {wanted} %")
        print(f"{'kernel':12} {'case':16} {'iterations':>10} {'us':>9} {'ratio':>9} {'interval':>20} {'blocks':>7} {'rounds':>6}  verdict")
        for kernel in result["kernels"]:
            for case in kernel["cases"]:
                if not case.get("time"):
                    continue
                t = case["time"]
                print(f"{kernel['name']:12} {case['name']:16} {iterations[kernel['name']]:10} {t['base_us']:9.2f} {percent(t['ratio']):+8.2f}% "
                      f"[{percent(t['low']):+8.2f}, {percent(t['high']):+8.2f}] {t['blocks']:7} {t['rounds']:6}  {case['verdict']}")
            if kernel["verdict"] != "regressed":
                good = False
                print(f"NOT FOUND: {kernel['name']}: {kernel['verdict']}: {kernel['reason']}")
    return good


def experiment_small(bench, arguments):
    wanted = arguments.percent[0] if arguments.percent != [3.0, 6.0] else 1.0
    samples = {name: [(0, 1.0)] for name in bench.sources}
    pending = {name: 8 for name in bench.sources}
    for step in range(arguments.calibrations):
        bench.plant(pending)
        result = bench.run(f"small-calibrate{step}", kernels=list(pending))
        bench.restore()
        for kernel in result["kernels"]:
            ratio = worst_ratio(kernel)
            if ratio is not None:
                samples[kernel["name"]].append((pending[kernel["name"]], ratio))
        following = {}
        for name in pending:
            points = sorted(samples[name])
            if percent(points[-1][1]) < wanted:
                following[name] = points[-1][0] * (4 if percent(points[-1][1]) < wanted / 4 else 2)
            elif step < arguments.calibrations - 1:
                following[name] = interpolate(points, wanted) or points[-1][0]
        pending = following
    iterations, measured = {}, {}
    for name, points in samples.items():
        count, ratio = min(points[1:], key=lambda point: abs(percent(point[1]) - wanted), default=(None, 0))
        if count and abs(percent(ratio) - wanted) < 0.1 * wanted:
            iterations[name], measured[name] = count, percent(ratio)
    iterations = dict(list(iterations.items())[:10])
    bench.policy("[trust]", "[zone]\ntolerate = 0.002\nblock = 0.008\n[trust]")
    found = {name: [] for name in iterations}
    for run in range(arguments.runs):
        bench.plant(iterations)
        result = bench.run(f"small{run}", kernels=list(iterations))
        bench.restore()
        for kernel in result["kernels"]:
            worst = max((case for case in kernel["cases"] if case.get("time")), key=lambda case: case["time"]["ratio"])
            found[kernel["name"]].append((kernel["verdict"], worst["time"]))
    print(f"planted {wanted} % under the zone 0.2 to 0.8 %, {arguments.runs} runs")
    total = regressed = 0
    for name, outcomes in found.items():
        times = [time for _, time in outcomes]
        hits = sum(verdict == "regressed" for verdict, _ in outcomes)
        total, regressed = total + len(outcomes), regressed + hits
        blocks = sorted(time["blocks"] for time in times)
        print(f"{name:12} {iterations[name]:8} iterations  {times[0]['base_us']:9.2f} us  calibrated {measured[name]:.2f} %  found "
              f"{percent(min(t['ratio'] for t in times)):+.2f} to {percent(max(t['ratio'] for t in times)):+.2f} %  blocks {statistics.median(blocks):.0f} "
              f"(max {blocks[-1]})  regressed {hits} of {len(outcomes)}")
        for verdict, time in outcomes:
            if verdict != "regressed":
                print(f"  {verdict}: {percent(time['ratio']):+.2f} % [{percent(time['low']):+.2f}, {percent(time['high']):+.2f}]")
    print(f"small: {regressed} of {total} found")
    return total > 0 and regressed >= 0.99 * total


def experiment_processes(bench, arguments):
    variant = ROOT / "examples/variants/faster/softmax.cu"
    ratios = []
    for run in range(arguments.runs):
        bench.sources["softmax"].write_text(variant.read_text())
        result = bench.run(f"process{run}", kernels=["softmax"])
        bench.restore()
        ratios += [case["time"] for _, case in timed_cases(result)]
    for time in ratios:
        print(f"{percent(time['ratio']):+.2f} % [{percent(time['low']):+.2f}, {percent(time['high']):+.2f}] in {time['blocks']} blocks")
    low, high = max(t["low"] for t in ratios), min(t["high"] for t in ratios)
    values = [percent(t["ratio"]) for t in ratios]
    print(f"processes: {len(ratios)} processes, {min(values):+.2f} to {max(values):+.2f} %, standard deviation {statistics.stdev(values):.2f} %; "
          + ("all intervals hold one ratio" if low <= high else "THE INTERVALS DO NOT AGREE"))
    return low <= high


def experiment_neighbour(bench, arguments):
    bench.mark(1)
    good, dropped = True, 0
    for run in range(arguments.runs):
        # Another program's work: kgate's own noise measurement, over and over.
        load = subprocess.Popen(["sh", "-c", f"while :; do '{bench.kgate}' doctor --noise --repo '{bench.repository}' --cache '{bench.work}/cache' "
                                 f"{' '.join(bench.extra)} sgemm hgemm reduce; done"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(4)
        try:
            result = bench.run(f"neighbour{run}", kernels=["softmax", "scan", "sgemm", "row_norm", "saxpy"])
        finally:
            subprocess.run(["kill", "-KILL", "--", f"-{load.pid}"])
            load.wait()
        environment = result["environment"]
        print(f"run {run}: {result['seconds']:.1f} s, other processes {environment['other_processes']}, windows dropped {environment['dropped']}, "
              f"cause: {environment['cause']}")
        for kernel, case in timed_cases(result):
            t = case["time"]
            print(f"  {kernel['name']:10} {case['name']:14} {case['verdict']:12} {percent(t['ratio']):+.2f} % [{percent(t['low']):+.2f}, "
                  f"{percent(t['high']):+.2f}] blocks {t['blocks']} dropped {t['dropped']} {case['reason']}")
            dropped += t["dropped"]
            if case["verdict"] not in ("pass", "faster", "inconclusive"):
                good = False
            if case["verdict"] == "inconclusive" and "process" not in case["reason"]:
                good = False
    bench.restore()
    print("neighbour: " + ("no false alarm" if good else "WRONG"))
    return good


def experiment_noise(bench, arguments):
    done = subprocess.run([bench.kgate, "doctor", "--noise", "--repo", str(bench.repository), "--cache", str(bench.work / "cache"), *bench.extra],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    return done.returncode == 0


def interpolate(points, wanted):
    """Iterations that cost `wanted` percent, from what was measured: linear between the neighbours."""
    points = sorted(points)
    target = 1 + wanted / 100
    for (left, low), (right, high) in zip(points, points[1:]):
        if low <= target <= high and high > low:
            return max(1, round(left + (right - left) * (target - low) / (high - low)))
    return None


def experiment_speed(bench, arguments):
    run_cold_and_warm(bench, "examples", list(bench.sources))
    arguments.work = str(bench.work / "suite")
    suite = Bench(arguments)
    kernels = list(suite.sources)[:10]
    suite.keep_cases(kernels, 3)
    cold, warm = run_cold_and_warm(suite, "suite", kernels)
    return cold < 15 and warm < 10


def experiment_several(bench, arguments):
    """60 cases of 20 changed kernels on one GPU and on all of this host: the same verdicts, in how much of the time."""
    arguments.work = str(bench.work / "several")
    suite = Bench(arguments)
    chosen = list(suite.sources)[:10]
    suite.keep_cases(chosen, 3)
    for name in chosen:
        folder = suite.repository / "kernels" / name
        twin = folder.with_name(name + "_twin")
        shutil.copytree(folder, twin)
        cases = twin / "cases.toml"
        cases.write_text(cases.read_text().replace(f'kernel = "{name}"', f'kernel = "{name}_twin"'))
    subprocess.run(["git", "-C", str(suite.repository), "add", "-A"], check=True)
    suite.commit("20 kernels")
    suite = Bench(arguments)
    kernels = [name for name in suite.sources if name in chosen or name.removesuffix("_twin") in chosen]
    suite.mark(9002)
    gpus = subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip().splitlines()
    gpus = [line for line in gpus if line.startswith("GPU ")]
    found = {}
    suite.run("several-warm-up", kernels=kernels)
    for label, device in (("one", "0"), ("all", "all")):
        suite.extra = ["--device", device]
        start = time.monotonic()
        result = suite.run(f"several-{label}", kernels=kernels)
        seconds = time.monotonic() - start
        cases = sum(len(kernel["cases"]) for kernel in result["kernels"])
        found[label] = seconds, {kernel["name"]: kernel["verdict"] for kernel in result["kernels"]}
        uses = ", ".join(f"{one['kernels']} kernels in {one['seconds']:.2f} s" for one in result.get("devices", []))
        print(f"several: {label}: {len(result['kernels'])} kernels, {cases} cases: {seconds:.2f} s{'; ' + uses if uses else ''}")
        # One line a verdict: an unlucky kernel may be inconclusive in either.
        print("   ", ", ".join(f"{name} {verdict}" for name, verdict in found[label][1].items() if verdict not in ("pass", "unchanged")) or "all pass")
    suite.restore()
    share = found["all"][0] / found["one"][0]
    print(f"several: {len(gpus)} GPUs take {share:.2f} of one's time (limit for two: 0.6); verdicts "
          + ("equal" if found["one"][1] == found["all"][1] else "DIFFER"))
    if len(gpus) < 2:
        print("[skipped] several: this machine has one GPU, so nothing was compared")
        return True
    return share <= 0.6 and found["one"][1] == found["all"][1]


def run_cold_and_warm(bench, name, kernels):
    seconds = []
    for label in ("cold", "warm"):
        # The code must be new to kgate's cache in the first run and known in the second.
        bench.mark(9000)
        cache = bench.work / "speed-cache"
        if label == "cold":
            subprocess.run(["rm", "-rf", str(cache)], check=True)
        start = time.monotonic()
        result = bench.run(f"speed-{label}", kernels=kernels, cache=cache)
        seconds.append(time.monotonic() - start)
        cases = sum(len(kernel["cases"]) for kernel in result["kernels"])
        timed = sum(1 for _ in timed_cases(result))
        parts = ", ".join(f"{part} {value:.2f}" for part, value in result["timings"].items())
        print(f"speed: {name}, {label} cache: {len(result['kernels'])} kernels, {cases} cases, {timed} timed: {seconds[-1]:.2f} s; {parts}")
        # Once the first kernel is compiled the GPU has work, or waits for code.
        idle = result["timings"].get("idle_s", 0)
        print(f"speed: {name}, {label} cache: the GPU waited for code {100 * idle / seconds[-1]:.1f} % of the run once the first kernel had it (limit 20 %)")
    bench.restore()
    return seconds


def experiment_keys(bench, arguments):
    bench.mark(9001)
    result = bench.run("keys", kernels=["softmax"])
    bench.restore()
    wanted = {
        "": "schema tool started seconds profile verdict exit_code reason backend source policy fingerprint class device sandbox seed shard "
            "kernels environment timings",
        "tool": "name version commit", "source": "commit dirty base", "policy": "ref commit digest", "device": "name uuid",
        "sandbox": "level", "shard": "index total planned",
        "environment": "clocks temperature power throttle_reasons other_processes dropped cause",
        "timings": "compile_s check_s time_s wait_s total_s",
        "kernels.0": "name path verdict reason code candidate comparisons resources diff cases",
        "kernels.0.candidate": "sources code cases", "kernels.0.comparisons.0": "against commit ratio low high verdict",
        "kernels.0.resources.candidate": "registers shared_bytes spill_bytes code_bytes", "kernels.0.diff": "source options launch",
        "kernels.0.cases.0": "name role sizes verdict reason numerics",
    }
    missing = []
    for place, keys in wanted.items():
        value = result
        for part in filter(None, place.split(".")):
            value = value[int(part)] if part.isdigit() else value.get(part, {})
        missing += [f"{place}.{key}".strip(".") for key in keys.split() if key not in value]
    print("keys: " + ("all of result.json's keys are there" if not missing else "missing " + ", ".join(missing)))
    return not missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kgate", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--extra", nargs="*", default=[], help="further options of kgate run")
    parser.add_argument("--device", help="the GPU, by index or UUID")
    parser.add_argument("--timed-only", action="store_true", help="leave out the cases that are only checked (in a new work folder)")
    parser.add_argument("--threads", help="CPU threads of a run")
    parser.add_argument("experiment", choices=["aa", "slowdowns", "small", "processes", "neighbour", "noise", "speed", "keys", "several"])
    parser.add_argument("--seconds", type=float, default=1e9, help="aa: no further run is begun after so many seconds")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--percent", type=float, nargs="*", default=[3.0, 6.0])
    parser.add_argument("--calibrations", type=int, default=8)
    parser.add_argument("--kernels", nargs="*")
    arguments = parser.parse_args()
    experiments = {name.removeprefix("experiment_"): function for name, function in globals().items() if name.startswith("experiment_")}
    return 0 if experiments[arguments.experiment](Bench(arguments), arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
